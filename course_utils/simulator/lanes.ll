; Accesses whose addresses are known only when the kernel runs. Part of the runtime.

; The simulator_lanes_ functions check one access of the lanes in %mask, count it, and leave the host addresses in the
; worker. False when a lane is outside its buffer or not aligned; lanes and addresses are then in the worker too.

; Are all offsets of the lanes in %mask below %limit, and multiples of %size?
define i1 @simulator_inside(<32 x i64> %offsets, i32 %mask, i64 %limit, i64 %size) alwaysinline {
start:
  %align = sub i64 %size, 1
  %last = call i64 @llvm.usub.sat.i64(i64 %limit, i64 %align)
  %last.one = insertelement <32 x i64> poison, i64 %last, i64 0
  %last.all = shufflevector <32 x i64> %last.one, <32 x i64> poison, <32 x i32> zeroinitializer
  %below = icmp ult <32 x i64> %offsets, %last.all
  %align.one = insertelement <32 x i64> poison, i64 %align, i64 0
  %align.all = shufflevector <32 x i64> %align.one, <32 x i64> poison, <32 x i32> zeroinitializer
  %rest = and <32 x i64> %offsets, %align.all
  %aligned = icmp eq <32 x i64> %rest, zeroinitializer
  %good = and <32 x i1> %below, %aligned
  %bits = bitcast <32 x i1> %good to i32
  %bad = xor i32 %bits, -1
  %wrong = and i32 %bad, %mask
  %all = icmp eq i32 %wrong, 0
  ret i1 %all
}

; Host addresses base + offset.
define void @simulator_place(ptr %worker, <32 x i64> %offsets, i64 %base) alwaysinline {
start:
  %hosts = getelementptr i8, ptr %worker, i64 {Worker.hosts}
  %one = insertelement <32 x i64> poison, i64 %base, i64 0
  %all = shufflevector <32 x i64> %one, <32 x i64> poison, <32 x i32> zeroinitializer
  %places = add <32 x i64> %offsets, %all
  store <32 x i64> %places, ptr %hosts, align 8
  ret void
}

define void @simulator_note(ptr %worker, <32 x i64> %addresses, i32 %mask) alwaysinline {
start:
  %addresses.at = getelementptr i8, ptr %worker, i64 {Worker.addresses}
  %mask.at = getelementptr i8, ptr %worker, i64 {Worker.mask}
  store <32 x i64> %addresses, ptr %addresses.at, align 8
  store i32 %mask, ptr %mask.at
  ret void
}

; Masks of lanes, all of %count of them joined.
define i32 @simulator_any_of(ptr %masks, i64 %count) {
start:
  br label %next
next:
  %index = phi i64 [ 0, %start ], [ %index.up, %next ]
  %some = phi i32 [ 0, %start ], [ %more, %next ]
  %mask.at = getelementptr i32, ptr %masks, i64 %index
  %mask = load i32, ptr %mask.at
  %more = or i32 %some, %mask
  %index.up = add i64 %index, 1
  %again = icmp ult i64 %index.up, %count
  br i1 %again, label %next, label %done
done:
  ret i32 %more
}

; The number of the highest bit that is set in the %count words %ready and not in the words %shut; -1 if none is.
define i64 @simulator_highest(ptr %ready, ptr %shut, i64 %count) {
start:
  br label %next
next:
  %above = phi i64 [ %count, %start ], [ %index, %look ]
  %none = icmp eq i64 %above, 0
  br i1 %none, label %missing, label %look
look:
  %index = sub i64 %above, 1
  %ready.at = getelementptr i64, ptr %ready, i64 %index
  %shut.at = getelementptr i64, ptr %shut, i64 %index
  %word = load i64, ptr %ready.at
  %closed = load i64, ptr %shut.at, align 1
  %open = xor i64 %closed, -1
  %bits = and i64 %word, %open
  %empty = icmp eq i64 %bits, 0
  br i1 %empty, label %next, label %found
found:
  %zeros = call i64 @llvm.ctlz.i64(i64 %bits, i1 true)
  %bit = sub i64 63, %zeros
  %first = shl i64 %index, 6
  %number = or i64 %first, %bit
  ret i64 %number
missing:
  ret i64 -1
}

define void @simulator_add(ptr %counter, i64 %amount) alwaysinline {
start:
  %old = load i64, ptr %counter
  %new = add i64 %old, %amount
  store i64 %new, ptr %counter
  ret void
}

; Global memory. Mostly all lanes are in the buffer of the first; else each is looked up for itself.
define i1 @simulator_lanes_global(ptr %worker, ptr %warp, <32 x i64> %addresses, i32 %mask, i64 %size, i64 %local_bytes, ptr %counter) {
start:
  %lanes = call i32 @llvm.ctpop.i32(i32 %mask)
  %lanes.64 = zext i32 %lanes to i64
  %bytes = mul i64 %lanes.64, %size
  %bytes.up = add i64 %bytes, 31
  %ideal.sectors = lshr i64 %bytes.up, 5
  %counter.ideal = getelementptr i64, ptr %counter, i64 1
  %first.lane = call i32 @llvm.cttz.i32(i32 %mask, i1 true)
  %first = extractelement <32 x i64> %addresses, i32 %first.lane
  %number = lshr i64 %first, {REGION_BITS}
  %region = call i64 @llvm.umin.i64(i64 %number, i64 {LAST_REGION})
  %regions.at = getelementptr i8, ptr %worker, i64 {Worker.regions}
  %regions = load ptr, ptr %regions.at
  %entry = getelementptr { i64, i64 }, ptr %regions, i64 %region
  %limit = load i64, ptr %entry
  %delta.at = getelementptr i8, ptr %entry, i64 8
  %delta = load i64, ptr %delta.at
  %base = shl i64 %region, {REGION_BITS}
  %base.one = insertelement <32 x i64> poison, i64 %base, i64 0
  %base.all = shufflevector <32 x i64> %base.one, <32 x i64> poison, <32 x i32> zeroinitializer
  %offsets = sub <32 x i64> %addresses, %base.all
  %inside = call i1 @simulator_inside(<32 x i64> %offsets, i32 %mask, i64 %limit, i64 %size)
  br i1 %inside, label %near, label %far

near:
  %sectors = call i32 @simulator_sectors(<32 x i64> %addresses, i32 %mask)
  %sectors.64 = zext i32 %sectors to i64
  call void @simulator_add(ptr %counter, i64 %sectors.64)
  %near.ideal = call i64 @llvm.umin.i64(i64 %ideal.sectors, i64 %sectors.64)
  call void @simulator_add(ptr %counter.ideal, i64 %near.ideal)
  call void @simulator_place(ptr %worker, <32 x i64> %addresses, i64 %delta)
  ret i1 true

far:
  %far.sectors = call i32 @simulator_far_sectors(<32 x i64> %addresses, i32 %mask)
  %far.sectors.64 = zext i32 %far.sectors to i64
  call void @simulator_add(ptr %counter, i64 %far.sectors.64)
  %far.ideal = call i64 @llvm.umin.i64(i64 %ideal.sectors, i64 %far.sectors.64)
  call void @simulator_add(ptr %counter.ideal, i64 %far.ideal)
  %found = call i1 @simulator_lanes_generic(ptr %worker, ptr %warp, <32 x i64> %addresses, i32 %mask, i64 %size, i64 %local_bytes, i32 0, i1 false, ptr null)
  ret i1 %found
}

; Shared memory. %log2 is that of the bytes a lane that the hardware moves at once, see merging.py.
define i1 @simulator_lanes_shared(ptr %worker, i64 %shared_bytes, <32 x i64> %addresses, i32 %mask, i64 %size, i32 %log2, i1 %load, ptr %counter) {
start:
  %inside = call i1 @simulator_inside(<32 x i64> %addresses, i32 %mask, i64 %shared_bytes, i64 %size)
  br i1 %inside, label %good, label %bad

bad:
  call void @simulator_note(ptr %worker, <32 x i64> %addresses, i32 %mask)
  ret i1 false

good:
  %shared.at = getelementptr i8, ptr %worker, i64 {Worker.shared}
  %shared = load i64, ptr %shared.at
  call void @simulator_place(ptr %worker, <32 x i64> %addresses, i64 %shared)
  %narrow = trunc <32 x i64> %addresses to <32 x i32>
  %both = call i32 @simulator_wavefronts(<32 x i32> %narrow, i32 %mask, i32 %log2, i1 %load)
  %wavefronts = and i32 %both, 65535
  %ideal = lshr i32 %both, 16
  %wavefronts.64 = zext i32 %wavefronts to i64
  %ideal.64 = zext i32 %ideal to i64
  %counter.ideal = getelementptr i64, ptr %counter, i64 1
  call void @simulator_add(ptr %counter, i64 %wavefronts.64)
  call void @simulator_add(ptr %counter.ideal, i64 %ideal.64)
  ret i1 true
}

; Local memory lies lane after lane here. On the GPU it is interleaved by words of 4 bytes: word w of lane l lies in
; sector 4w + l/8, and that is counted.
define i1 @simulator_lanes_local(ptr %worker, ptr %local, <32 x i64> %addresses, i32 %mask, i64 %size, i64 %local_bytes, ptr %counter) {
start:
  %inside = call i1 @simulator_inside(<32 x i64> %addresses, i32 %mask, i64 %local_bytes, i64 %size)
  br i1 %inside, label %good, label %bad

bad:
  call void @simulator_note(ptr %worker, <32 x i64> %addresses, i32 %mask)
  ret i1 false

good:
  %bytes.one = insertelement <32 x i64> poison, i64 %local_bytes, i64 0
  %bytes = shufflevector <32 x i64> %bytes.one, <32 x i64> poison, <32 x i32> zeroinitializer
  %own = mul <32 x i64> %bytes, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15, i64 16, i64 17, i64 18, i64 19, i64 20, i64 21, i64 22, i64 23, i64 24, i64 25, i64 26, i64 27, i64 28, i64 29, i64 30, i64 31>
  %offsets = add <32 x i64> %addresses, %own
  %start.at = ptrtoint ptr %local to i64
  call void @simulator_place(ptr %worker, <32 x i64> %offsets, i64 %start.at)
  %word = lshr <32 x i64> %addresses, splat (i64 2)
  %row = shl <32 x i64> %word, splat (i64 7)
  %place = or <32 x i64> %row, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60, i64 64, i64 68, i64 72, i64 76, i64 80, i64 84, i64 88, i64 92, i64 96, i64 100, i64 104, i64 108, i64 112, i64 116, i64 120, i64 124>
  %sectors = call i32 @simulator_sectors(<32 x i64> %place, i32 %mask)
  %sectors.64 = zext i32 %sectors to i64
  %words = lshr i64 %size, 2
  %one.word = icmp eq i64 %words, 0
  %times = select i1 %one.word, i64 1, i64 %words
  %total = mul i64 %sectors.64, %times
  call void @simulator_add(ptr %counter, i64 %total)
  ret i1 true
}

; A window of %limit bytes: constants and parameters.
define i1 @simulator_lanes_window(ptr %worker, ptr %window, i64 %limit, <32 x i64> %addresses, i32 %mask, i64 %size) {
start:
  %inside = call i1 @simulator_inside(<32 x i64> %addresses, i32 %mask, i64 %limit, i64 %size)
  br i1 %inside, label %good, label %bad

bad:
  call void @simulator_note(ptr %worker, <32 x i64> %addresses, i32 %mask)
  ret i1 false

good:
  %base = ptrtoint ptr %window to i64
  call void @simulator_place(ptr %worker, <32 x i64> %addresses, i64 %base)
  ret i1 true
}

; Generic addresses, each lane looked up for itself: any buffer, shared or local memory.
; Counted, unless %counter is null, for each kind of memory that lanes are in.
define i1 @simulator_lanes_generic(ptr %worker, ptr %warp, <32 x i64> %addresses.vector, i32 %mask, i64 %size, i64 %local_bytes, i32 %log2, i1 %load, ptr %counter) {
start:
  %uncounted = icmp eq ptr %counter, null
  br i1 %uncounted, label %resolve, label %sort

sort:
  %numbers = lshr <32 x i64> %addresses.vector, splat (i64 {REGION_BITS})
  %is.shared = icmp eq <32 x i64> %numbers, splat (i64 {SHARED_REGION})
  %is.local.lane = icmp eq <32 x i64> %numbers, splat (i64 {LOCAL_REGION})
  %is.global = icmp uge <32 x i64> %numbers, splat (i64 {FIRST_BUFFER})
  %shared.bits = bitcast <32 x i1> %is.shared to i32
  %local.bits = bitcast <32 x i1> %is.local.lane to i32
  %global.bits = bitcast <32 x i1> %is.global to i32
  %shared.lanes = and i32 %shared.bits, %mask
  %local.lanes = and i32 %local.bits, %mask
  %global.lanes = and i32 %global.bits, %mask
  %any.global = icmp ne i32 %global.lanes, 0
  br i1 %any.global, label %count.global, label %after.global

count.global:
  %global.sectors = call i32 @simulator_far_sectors(<32 x i64> %addresses.vector, i32 %global.lanes)
  %global.sectors.64 = zext i32 %global.sectors to i64
  call void @simulator_add(ptr %counter, i64 %global.sectors.64)
  %global.count = call i32 @llvm.ctpop.i32(i32 %global.lanes)
  %global.count.64 = zext i32 %global.count to i64
  %global.bytes = mul i64 %global.count.64, %size
  %global.bytes.up = add i64 %global.bytes, 31
  %global.together = lshr i64 %global.bytes.up, 5
  %global.ideal = call i64 @llvm.umin.i64(i64 %global.together, i64 %global.sectors.64)
  %counter.1 = getelementptr i64, ptr %counter, i64 1
  call void @simulator_add(ptr %counter.1, i64 %global.ideal)
  %counter.2 = getelementptr i64, ptr %counter, i64 2
  call void @simulator_add(ptr %counter.2, i64 1)
  br label %after.global

after.global:
  %any.shared = icmp ne i32 %shared.lanes, 0
  br i1 %any.shared, label %count.shared, label %after.shared

count.shared:
  %narrow = trunc <32 x i64> %addresses.vector to <32 x i32>
  %both = call i32 @simulator_wavefronts(<32 x i32> %narrow, i32 %shared.lanes, i32 %log2, i1 %load)
  %wavefronts = and i32 %both, 65535
  %ideal = lshr i32 %both, 16
  %wavefronts.64 = zext i32 %wavefronts to i64
  %ideal.64 = zext i32 %ideal to i64
  %counter.3 = getelementptr i64, ptr %counter, i64 3
  %counter.4 = getelementptr i64, ptr %counter, i64 4
  call void @simulator_add(ptr %counter.3, i64 %wavefronts.64)
  call void @simulator_add(ptr %counter.4, i64 %ideal.64)
  br label %after.shared

after.shared:
  %any.local = icmp ne i32 %local.lanes, 0
  br i1 %any.local, label %count.local, label %resolve

count.local:
  %word = lshr <32 x i64> %addresses.vector, splat (i64 2)
  %line = shl <32 x i64> %word, splat (i64 7)
  %spot = or <32 x i64> %line, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60, i64 64, i64 68, i64 72, i64 76, i64 80, i64 84, i64 88, i64 92, i64 96, i64 100, i64 104, i64 108, i64 112, i64 116, i64 120, i64 124>
  %local.sectors = call i32 @simulator_sectors(<32 x i64> %spot, i32 %local.lanes)
  %local.sectors.64 = zext i32 %local.sectors to i64
  %words = lshr i64 %size, 2
  %one.word = icmp eq i64 %words, 0
  %times = select i1 %one.word, i64 1, i64 %words
  %local.total = mul i64 %local.sectors.64, %times
  %counter.5 = getelementptr i64, ptr %counter, i64 5
  call void @simulator_add(ptr %counter.5, i64 %local.total)
  br label %resolve

resolve:
  call void @simulator_note(ptr %worker, <32 x i64> %addresses.vector, i32 %mask)
  %regions.at = getelementptr i8, ptr %worker, i64 {Worker.regions}
  %regions = load ptr, ptr %regions.at
  %addresses = getelementptr i8, ptr %worker, i64 {Worker.addresses}
  %hosts = getelementptr i8, ptr %worker, i64 {Worker.hosts}
  %local.at = getelementptr i8, ptr %warp, i64 {Warp.local}
  %local = load i64, ptr %local.at
  %align = sub i64 %size, 1
  br label %next

next:
  %left = phi i32 [ %mask, %resolve ], [ %left.next, %set ]
  %bad = phi i32 [ 0, %resolve ], [ %bad.next, %set ]
  %done = icmp eq i32 %left, 0
  br i1 %done, label %end, label %one

one:
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 true)
  %bit = shl i32 1, %lane
  %left.next = xor i32 %left, %bit
  %address.at = getelementptr i64, ptr %addresses, i32 %lane
  %address = load i64, ptr %address.at
  %number = lshr i64 %address, {REGION_BITS}
  %region = call i64 @llvm.umin.i64(i64 %number, i64 {LAST_REGION})
  %offset = and i64 %address, {OFFSET_MASK}
  %is.local = icmp eq i64 %region, {LOCAL_REGION}
  br i1 %is.local, label %in.local, label %in.buffer

in.local: ; every lane has its own
  %lane.64 = zext i32 %lane to i64
  %own = mul i64 %lane.64, %local_bytes
  %own.start = add i64 %local, %own
  %host.local = add i64 %own.start, %offset
  br label %check

in.buffer:
  %entry = getelementptr { i64, i64 }, ptr %regions, i64 %region
  %bytes = load i64, ptr %entry
  %delta.at = getelementptr i8, ptr %entry, i64 8
  %delta = load i64, ptr %delta.at
  %host.buffer = add i64 %address, %delta
  br label %check

check:
  %limit = phi i64 [ %local_bytes, %in.local ], [ %bytes, %in.buffer ]
  %host = phi i64 [ %host.local, %in.local ], [ %host.buffer, %in.buffer ]
  %last = call i64 @llvm.usub.sat.i64(i64 %limit, i64 %align)
  %inside = icmp ult i64 %offset, %last
  %rest = and i64 %offset, %align
  %aligned = icmp eq i64 %rest, 0
  %good = and i1 %inside, %aligned
  %bad.bit = select i1 %good, i32 0, i32 %bit
  br label %set

set:
  %bad.next = or i32 %bad, %bad.bit
  %host.at = getelementptr i64, ptr %hosts, i32 %lane
  store i64 %host, ptr %host.at
  br label %next

end:
  %all.good = icmp eq i32 %bad, 0
  ret i1 %all.good
}

