; cp.async of {SIZE} bytes a lane: 0 when all went well, 1 when a shared address is not legal, 2 for a global one; lanes and
; addresses at fault are then in the worker. Names in braces are filled in by async_copy.py.
define i32 @{NAME}(ptr %worker, ptr %warp, i64 %shared_bytes, <32 x i64> %to, <32 x i64> %from, <32 x i32> %sizes, i32 %mask, i64 %local_bytes, ptr %counter) {
start:
  %targets = alloca <32 x i64>, align 64
  %amounts = alloca <32 x i32>, align 64
  %hosts = getelementptr i8, ptr %worker, i64 {Worker.hosts}
  %shared.at = getelementptr i8, ptr %worker, i64 {Worker.shared}
  %shared = load ptr, ptr %shared.at
  %to.good = call i1 @simulator_lanes_window(ptr %worker, ptr %shared, i64 %shared_bytes, <32 x i64> %to, i32 %mask, i64 {SIZE})
  br i1 %to.good, label %sources, label %bad.to

bad.to:
  ret i32 1

sources:
  %places = load <32 x i64>, ptr %hosts, align 8
  store <32 x i64> %places, ptr %targets, align 64
  %capped = call <32 x i32> @llvm.umin.v32i32(<32 x i32> %sizes, <32 x i32> splat (i32 {SIZE}))
  store <32 x i32> %capped, ptr %amounts, align 64
  %is.whole = icmp eq <32 x i32> %capped, splat (i32 {SIZE})
  %is.some = icmp ne <32 x i32> %capped, zeroinitializer
  %whole.bits = bitcast <32 x i1> %is.whole to i32
  %some.bits = bitcast <32 x i1> %is.some to i32
  %whole = and i32 %whole.bits, %mask
  %some = and i32 %some.bits, %mask
  %parts = xor i32 %some, %whole
  %no.whole = icmp eq i32 %whole, 0
  br i1 %no.whole, label %look.parts, label %check.whole

check.whole:
  %whole.good = call i1 @simulator_lanes_global(ptr %worker, ptr %warp, <32 x i64> %from, i32 %whole, i64 {SIZE}, i64 %local_bytes, ptr %counter)
  br i1 %whole.good, label %look.parts, label %bad.from

look.parts:
  %no.parts = icmp eq i32 %parts, 0
  br i1 %no.parts, label %next, label %check.parts

check.parts: ; lanes that read less: aligned like the others, and their last and first bytes in a buffer
  %low = and <32 x i64> %from, splat (i64 {ALIGN})
  %is.odd = icmp ne <32 x i64> %low, zeroinitializer
  %odd.bits = bitcast <32 x i1> %is.odd to i32
  %odd = and i32 %odd.bits, %parts
  %aligned = icmp eq i32 %odd, 0
  br i1 %aligned, label %check.ends, label %note

check.ends:
  %wide = zext <32 x i32> %capped to <32 x i64>
  %behind = add <32 x i64> %from, %wide
  %ends = sub <32 x i64> %behind, splat (i64 1)
  %ends.good = call i1 @simulator_lanes_generic(ptr %worker, ptr %warp, <32 x i64> %ends, i32 %parts, i64 1, i64 %local_bytes, i32 0, i1 false, ptr null)
  br i1 %ends.good, label %check.starts, label %search

check.starts: ; last, as it leaves the host addresses
  %starts.good = call i1 @simulator_lanes_generic(ptr %worker, ptr %warp, <32 x i64> %from, i32 %parts, i64 1, i64 %local_bytes, i32 0, i1 false, ptr null)
  br i1 %starts.good, label %next, label %search

search: ; which lane is it?
  %among = phi i32 [ %parts, %check.ends ], [ %parts, %check.starts ], [ %others, %search ]
  %fewer = sub i32 %among, 1
  %others = and i32 %among, %fewer
  %suspect = xor i32 %among, %others
  %end.good = call i1 @simulator_lanes_generic(ptr %worker, ptr %warp, <32 x i64> %ends, i32 %suspect, i64 1, i64 %local_bytes, i32 0, i1 false, ptr null)
  %start.good = call i1 @simulator_lanes_generic(ptr %worker, ptr %warp, <32 x i64> %from, i32 %suspect, i64 1, i64 %local_bytes, i32 0, i1 false, ptr null)
  %innocent = and i1 %end.good, %start.good
  br i1 %innocent, label %search, label %note

note:
  %guilty = phi i32 [ %odd, %check.parts ], [ %suspect, %search ]
  %addresses.at = getelementptr i8, ptr %worker, i64 {Worker.addresses}
  %mask.at = getelementptr i8, ptr %worker, i64 {Worker.mask}
  store <32 x i64> %from, ptr %addresses.at, align 8
  store i32 %guilty, ptr %mask.at
  ret i32 2

bad.from:
  ret i32 2

next:
  %left = phi i32 [ %mask, %look.parts ], [ %mask, %check.starts ], [ %left.next, %lane.done ]
  %none = icmp eq i32 %left, 0
  br i1 %none, label %end, label %one

one:
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 true)
  %less = sub i32 %left, 1
  %left.next = and i32 %left, %less
  %target.at = getelementptr i64, ptr %targets, i32 %lane
  %target.host = load i64, ptr %target.at
  %target = inttoptr i64 %target.host to ptr
  %source.at = getelementptr i64, ptr %hosts, i32 %lane
  %source.host = load i64, ptr %source.at
  %source = inttoptr i64 %source.host to ptr
  %amount.at = getelementptr i32, ptr %amounts, i32 %lane
  %amount = load i32, ptr %amount.at
  %full = icmp eq i32 %amount, {SIZE}
  br i1 %full, label %copy, label %clear

copy:
  %data = load {KIND}, ptr %source, align 1
  store {KIND} %data, ptr %target, align 1
  br label %lane.done

clear:
  store {KIND} zeroinitializer, ptr %target, align 1
  %empty = icmp eq i32 %amount, 0
  br i1 %empty, label %lane.done, label %byte

byte:
  %index = phi i32 [ 0, %clear ], [ %index.next, %byte ]
  %byte.from = getelementptr i8, ptr %source, i32 %index
  %byte.to = getelementptr i8, ptr %target, i32 %index
  %value = load i8, ptr %byte.from
  store i8 %value, ptr %byte.to
  %index.next = add i32 %index, 1
  %more = icmp ult i32 %index.next, %amount
  br i1 %more, label %byte, label %lane.done

lane.done:
  br label %next

end:
  ret i32 0
}
