; What a checked launch does when a block begins and at its barriers. Part of the runtime; nothing when Worker.watch is null.

define void @simulator_watch_begin(ptr %worker, i32 %warps) {
start:
  %watch.at = getelementptr i8, ptr %worker, i64 {Worker.watch}
  %watch = load ptr, ptr %watch.at
  %off = icmp eq ptr %watch, null
  br i1 %off, label %end, label %begin

begin: ; shadow memory: nothing was written
  %shared.at = getelementptr i8, ptr %watch, i64 {Watch.shared}
  %granules.at = getelementptr i8, ptr %watch, i64 {Watch.shared_granules}
  %shadow.at = getelementptr i8, ptr %watch, i64 {Watch.shared_bytes}
  %fill.at = getelementptr i8, ptr %watch, i64 {Watch.shared_fill}
  %shared = load ptr, ptr %shared.at
  %granules = load i64, ptr %granules.at
  %shadow = load i64, ptr %shadow.at
  %fill.32 = load i32, ptr %fill.at
  %fill = trunc i32 %fill.32 to i8
  %stored = shl i64 %granules, 2
  %rest = sub i64 %shadow, %stored
  %others = getelementptr i8, ptr %shared, i64 %stored
  call void @llvm.memset.p0.i64(ptr %shared, i8 %fill, i64 %stored, i1 false)
  call void @llvm.memset.p0.i64(ptr %others, i8 0, i64 %rest, i1 false)
  %local.at = getelementptr i8, ptr %watch, i64 {Watch.local}
  %local.bytes.at = getelementptr i8, ptr %watch, i64 {Watch.local_bytes}
  %local = load ptr, ptr %local.at
  %local.bytes = load i64, ptr %local.bytes.at
  call void @llvm.memset.p0.i64(ptr %local, i8 0, i64 %local.bytes, i1 false)
  %defined.at = getelementptr i8, ptr %watch, i64 {Watch.defined}
  %defined.bytes.at = getelementptr i8, ptr %watch, i64 {Watch.defined_bytes}
  %defined = load ptr, ptr %defined.at
  %defined.bytes = load i64, ptr %defined.bytes.at
  call void @llvm.memset.p0.i64(ptr %defined, i8 0, i64 %defined.bytes, i1 false)
  %shared.span.at = getelementptr i8, ptr %watch, i64 {Watch.shared_span}
  %global.span.at = getelementptr i8, ptr %watch, i64 {Watch.global_span}
  %plain.at = getelementptr i8, ptr %watch, i64 {Watch.plain}
  %plain = load i32, ptr %plain.at
  %raceless = icmp ne i32 %plain, 0
  %span = select i1 %raceless, i32 -2, i32 0
  store i32 %span, ptr %shared.span.at
  store i32 %span, ptr %global.span.at
  %block.at = getelementptr i8, ptr %worker, i64 {Worker.block}
  %block = load i64, ptr %block.at
  %block.up = add i64 %block, 1
  %block.high = shl i64 %block.up, 32
  %lo = or i64 %block.high, 1
  %lo.at = getelementptr i8, ptr %watch, i64 {Watch.global_lo}
  store i64 %lo, ptr %lo.at
  %fenced.at = getelementptr i8, ptr %watch, i64 {Watch.fenced}
  store i32 0, ptr %fenced.at
  %knows.at = getelementptr i8, ptr %watch, i64 {Watch.knows}
  %knows = load i32, ptr %knows.at
  store i32 0, ptr %knows.at
  %clocks.at = getelementptr i8, ptr %watch, i64 {Watch.clocks}
  %clocks = load ptr, ptr %clocks.at
  %forget = icmp ne i32 %knows, 0
  br label %clock

clock:
  %w = phi i32 [ 0, %begin ], [ %w.next, %clock ]
  %w.64 = zext i32 %w to i64
  %offset = mul i64 %w.64, {CLOCK_BYTES}
  %one = getelementptr i8, ptr %clocks, i64 %offset
  %bytes = select i1 %forget, i64 {CLOCK_BYTES}, i64 {Clock.known}
  call void @llvm.memset.p0.i64(ptr %one, i8 0, i64 %bytes, i1 false)
  %w.next = add i32 %w, 1
  %more = icmp ult i32 %w.next, %warps
  br i1 %more, label %clock, label %end

end:
  ret void
}

; A barrier of the whole block is complete: what came before it is in order with what follows.
define void @simulator_watch_release(ptr %worker, i32 %warps) {
start:
  %watch.at = getelementptr i8, ptr %worker, i64 {Worker.watch}
  %watch = load ptr, ptr %watch.at
  %off = icmp eq ptr %watch, null
  br i1 %off, label %end, label %begin

begin:
  %clocks.at = getelementptr i8, ptr %watch, i64 {Watch.clocks}
  %clocks = load ptr, ptr %clocks.at
  %list.at = getelementptr i8, ptr %worker, i64 {Worker.warps}
  %list = load ptr, ptr %list.at
  %warp.bytes.at = getelementptr i8, ptr %worker, i64 {Worker.warp_bytes}
  %warp.bytes = load i64, ptr %warp.bytes.at
  %first.block.at = getelementptr i8, ptr %list, i64 {Warp.barrier_block}
  %first.block = load i32, ptr %first.block.at
  br label %look

look: ; the newest time; did all lanes of every warp come to one barrier at once?
  %w = phi i32 [ 0, %begin ], [ %w.next, %look ]
  %newest = phi i32 [ 0, %begin ], [ %newest.next, %look ]
  %odd = phi i1 [ false, %begin ], [ %odd.next, %look ]
  %w.64 = zext i32 %w to i64
  %offset = mul i64 %w.64, {CLOCK_BYTES}
  %clock = getelementptr i8, ptr %clocks, i64 %offset
  %time.at = getelementptr i8, ptr %clock, i64 {Clock.time}
  %time = load i32, ptr %time.at
  %newest.next = call i32 @llvm.umax.i32(i32 %newest, i32 %time)
  %waiting.at = getelementptr i8, ptr %clock, i64 {Clock.waiting}
  %waiting = load i32, ptr %waiting.at
  %warp.offset = mul i64 %w.64, %warp.bytes
  %warp = getelementptr i8, ptr %list, i64 %warp.offset
  %lanes.at = getelementptr i8, ptr %warp, i64 {Warp.lanes}
  %lanes = load i32, ptr %lanes.at
  %state.at = getelementptr i8, ptr %warp, i64 {Warp.state}
  %state = load i32, ptr %state.at
  %block.at = getelementptr i8, ptr %warp, i64 {Warp.barrier_block}
  %block = load i32, ptr %block.at
  %some.miss = icmp ne i32 %waiting, %lanes
  %gone = icmp ne i32 %state, {WAITING}
  %elsewhere = icmp ne i32 %block, %first.block
  %odd.1 = or i1 %odd, %some.miss
  %odd.2 = or i1 %odd.1, %gone
  %odd.next = or i1 %odd.2, %elsewhere
  %w.next = add i32 %w, 1
  %more = icmp ult i32 %w.next, %warps
  br i1 %more, label %look, label %looked

looked:
  %callback.at = getelementptr i8, ptr %watch, i64 {Watch.callback}
  %callback = load ptr, ptr %callback.at
  %checks.at = getelementptr i8, ptr %watch, i64 {Watch.barriers}
  %checks = load i32, ptr %checks.at
  %checks.any = icmp ne i32 %checks, 0
  %report = and i1 %odd.next, %checks.any
  br i1 %report, label %unusual, label %usual

unusual:
  call void %callback(i32 {Event.BARRIER}, i32 0)
  br label %usual

usual:
  %tells.at = getelementptr i8, ptr %watch, i64 {Watch.tells}
  %tells = load i32, ptr %tells.at
  %tell = icmp ne i32 %tells, 0
  br i1 %tell, label %told, label %advance

told:
  call void %callback(i32 {Event.FENCED_BARRIER}, i32 0)
  br label %advance

advance:
  %now = add i32 %newest.next, 1
  %span = shl i32 %now, 5
  %plain.at = getelementptr i8, ptr %watch, i64 {Watch.plain}
  %plain = load i32, ptr %plain.at
  %raceless = icmp ne i32 %plain, 0
  br i1 %raceless, label %end, label %spans

spans:
  %shared.span.at = getelementptr i8, ptr %watch, i64 {Watch.shared_span}
  %global.span.at = getelementptr i8, ptr %watch, i64 {Watch.global_span}
  store i32 %span, ptr %shared.span.at
  store i32 %span, ptr %global.span.at
  br label %set

set:
  %v = phi i32 [ 0, %spans ], [ %v.next, %set ]
  %v.64 = zext i32 %v to i64
  %set.offset = mul i64 %v.64, {CLOCK_BYTES}
  %set.clock = getelementptr i8, ptr %clocks, i64 %set.offset
  %set.time.at = getelementptr i8, ptr %set.clock, i64 {Clock.time}
  %set.synced.at = getelementptr i8, ptr %set.clock, i64 {Clock.synced}
  store i32 %now, ptr %set.time.at
  store i32 %now, ptr %set.synced.at
  %v.next = add i32 %v, 1
  %set.more = icmp ult i32 %v.next, %warps
  br i1 %set.more, label %set, label %end

end:
  ret void
}

; A barrier of some warps, or one among several, is complete.
define void @simulator_watch_joined(ptr %worker, i32 %id) {
start:
  %watch.at = getelementptr i8, ptr %worker, i64 {Worker.watch}
  %watch = load ptr, ptr %watch.at
  %off = icmp eq ptr %watch, null
  br i1 %off, label %end, label %tell

tell:
  %callback.at = getelementptr i8, ptr %watch, i64 {Watch.callback}
  %callback = load ptr, ptr %callback.at
  call void %callback(i32 {Event.JOINED}, i32 %id)
  br label %end

end:
  ret void
}
