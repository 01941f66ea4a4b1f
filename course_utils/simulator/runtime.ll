; The part of the simulator that is the same for every kernel: block by block, warp by warp, and the counting of sectors
; and wavefronts. LLVM IR, as LLVM is there anyway and a C compiler may not be. Names in braces are byte offsets and
; constants from layout.py, filled in by machine.py.

declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.usub.sat.i64(i64, i64)
declare i32 @llvm.vector.reduce.or.v32i32(<32 x i32>)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; Distinct 32-byte sectors among the addresses of the lanes in %mask.
define i32 @simulator_sectors(<32 x i64> %addresses, i32 %mask) {
start:
  %places = alloca [32 x i32], align 64
  %shifted = lshr <32 x i64> %addresses, splat (i64 5)
  %sectors = trunc <32 x i64> %shifted to <32 x i32>
  %whole = icmp eq i32 %mask, -1
  br i1 %whole, label %ascending, label %general

ascending: ; sorted lanes, the usual case: count the steps
  %before = shufflevector <32 x i32> %sectors, <32 x i32> poison, <32 x i32> <i32 0, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30>
  %step = sub <32 x i32> %sectors, %before
  %down = icmp slt <32 x i32> %step, zeroinitializer
  %down.bits = bitcast <32 x i1> %down to i32
  %sorted = icmp eq i32 %down.bits, 0
  br i1 %sorted, label %steps, label %general

steps:
  %new = icmp ne <32 x i32> %step, zeroinitializer
  %new.bits = bitcast <32 x i1> %new to i32
  %new.count = call i32 @llvm.ctpop.i32(i32 %new.bits)
  %steps.total = add i32 %new.count, 1
  ret i32 %steps.total

general: ; take the first lane left, strike out all lanes in the same sector, again
  store <32 x i32> %sectors, ptr %places, align 64
  br label %strike

strike:
  %left = phi i32 [ %mask, %general ], [ %left.next, %more ]
  %count = phi i32 [ 0, %general ], [ %count.next, %more ]
  %done = icmp eq i32 %left, 0
  br i1 %done, label %counted, label %more

more:
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 true)
  %place = getelementptr i32, ptr %places, i32 %lane
  %sector = load i32, ptr %place, align 4
  %one = insertelement <32 x i32> poison, i32 %sector, i64 0
  %all = shufflevector <32 x i32> %one, <32 x i32> poison, <32 x i32> zeroinitializer
  %same = icmp eq <32 x i32> %sectors, %all
  %same.bits = bitcast <32 x i1> %same to i32
  %others = xor i32 %same.bits, -1
  %left.next = and i32 %left, %others
  %count.next = add i32 %count, 1
  br label %strike

counted:
  ret i32 %count
}

; Wavefronts of one shared-memory request in the low half of the result, their ideal in the high half: the rule that
; sectors.py states. %log2 is that of the bytes a lane.
define i32 @simulator_wavefronts(<32 x i32> %addresses, i32 %mask, i32 %log2, i1 %load) {
start:
  %places = alloca [32 x i32], align 64
  %wanted = alloca [32 x i8], align 64
  %narrow = icmp ult i32 %log2, 3
  %unit.log2 = call i32 @llvm.umax.i32(i32 %log2, i32 2)
  %shift.one = insertelement <32 x i32> poison, i32 %unit.log2, i64 0
  %shift = shufflevector <32 x i32> %shift.one, <32 x i32> poison, <32 x i32> zeroinitializer
  %units = lshr <32 x i32> %addresses, %shift
  %bank.shift = sub i32 %unit.log2, 2
  %banks = lshr i32 32, %bank.shift
  %bank.mask = sub i32 %banks, 1
  store <32 x i32> %units, ptr %places, align 64
  br i1 %narrow, label %words, label %wide

words: ; up to 4 bytes a lane: one group. No bank wanted twice is the usual case.
  %bank = and <32 x i32> %units, splat (i32 31)
  %bank.bit = shl <32 x i32> splat (i32 1), %bank
  %mask.vector = bitcast i32 %mask to <32 x i1>
  %bank.used = select <32 x i1> %mask.vector, <32 x i32> %bank.bit, <32 x i32> zeroinitializer
  %used = call i32 @llvm.vector.reduce.or.v32i32(<32 x i32> %bank.used)
  %used.count = call i32 @llvm.ctpop.i32(i32 %used)
  %lane.count = call i32 @llvm.ctpop.i32(i32 %mask)
  %free = icmp eq i32 %used.count, %lane.count
  br i1 %free, label %no.conflict, label %groups

no.conflict:
  ret i32 65537

wide:
  br i1 %load, label %partners, label %halves

partners: ; does every lane agree with its neighbour n^1, or with n^2? An inactive partner agrees.
  %neighbour = shufflevector <32 x i32> %addresses, <32 x i32> poison, <32 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6, i32 9, i32 8, i32 11, i32 10, i32 13, i32 12, i32 15, i32 14, i32 17, i32 16, i32 19, i32 18, i32 21, i32 20, i32 23, i32 22, i32 25, i32 24, i32 27, i32 26, i32 29, i32 28, i32 31, i32 30>
  %second = shufflevector <32 x i32> %addresses, <32 x i32> poison, <32 x i32> <i32 2, i32 3, i32 0, i32 1, i32 6, i32 7, i32 4, i32 5, i32 10, i32 11, i32 8, i32 9, i32 14, i32 15, i32 12, i32 13, i32 18, i32 19, i32 16, i32 17, i32 22, i32 23, i32 20, i32 21, i32 26, i32 27, i32 24, i32 25, i32 30, i32 31, i32 28, i32 29>
  %differs1 = icmp ne <32 x i32> %addresses, %neighbour
  %differs1.bits = bitcast <32 x i1> %differs1 to i32
  %differs2 = icmp ne <32 x i32> %addresses, %second
  %differs2.bits = bitcast <32 x i1> %differs2 to i32
  %odd = lshr i32 %mask, 1
  %odd.in = and i32 %odd, 1431655765
  %even = shl i32 %mask, 1
  %even.in = and i32 %even, -1431655766
  %swap1 = or i32 %odd.in, %even.in
  %upper = lshr i32 %mask, 2
  %upper.in = and i32 %upper, 858993459
  %lower = shl i32 %mask, 2
  %lower.in = and i32 %lower, -858993460
  %swap2 = or i32 %upper.in, %lower.in
  %pairs1 = and i32 %mask, %swap1
  %pairs2 = and i32 %mask, %swap2
  %wrong1 = and i32 %differs1.bits, %pairs1
  %wrong2 = and i32 %differs2.bits, %pairs2
  %agree1 = icmp eq i32 %wrong1, 0
  %agree2 = icmp eq i32 %wrong2, 0
  %agree = or i1 %agree1, %agree2
  br i1 %agree, label %doubled, label %halves

doubled:
  br label %sized

halves:
  br label %sized

sized:
  %doubling = phi i32 [ 1, %doubled ], [ 0, %halves ]
  %size.shift = sub i32 %log2, 2
  %size.base = lshr i32 32, %size.shift
  %size.wide = shl i32 %size.base, %doubling
  br label %groups

groups:
  %group = phi i32 [ 32, %words ], [ %size.wide, %sized ]
  %group.64 = zext i32 %group to i64
  %group.pow = shl i64 1, %group.64
  %group.ones.64 = sub i64 %group.pow, 1
  %group.ones = trunc i64 %group.ones.64 to i32
  br label %next.group

next.group:
  %first = phi i32 [ 0, %groups ], [ %first.next, %group.end ]
  %total = phi i32 [ 0, %groups ], [ %total.next, %group.end ]
  %finished = icmp uge i32 %first, 32
  br i1 %finished, label %all.done, label %one.group

one.group:
  %group.lanes = shl i32 %group.ones, %first
  %left.start = and i32 %mask, %group.lanes
  store <32 x i8> zeroinitializer, ptr %wanted, align 64
  %active = icmp ne i32 %left.start, 0
  %ideal = zext i1 %active to i32
  br label %strike

strike:
  %left = phi i32 [ %left.start, %one.group ], [ %left.next, %more ]
  %most = phi i32 [ 0, %one.group ], [ %most.next, %more ]
  %empty = icmp eq i32 %left, 0
  br i1 %empty, label %group.end, label %more

more:
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 true)
  %place = getelementptr i32, ptr %places, i32 %lane
  %unit = load i32, ptr %place, align 4
  %one = insertelement <32 x i32> poison, i32 %unit, i64 0
  %all = shufflevector <32 x i32> %one, <32 x i32> poison, <32 x i32> zeroinitializer
  %same = icmp eq <32 x i32> %units, %all
  %same.bits = bitcast <32 x i1> %same to i32
  %others = xor i32 %same.bits, -1
  %left.next = and i32 %left, %others
  %its.bank = and i32 %unit, %bank.mask
  %slot = getelementptr i8, ptr %wanted, i32 %its.bank
  %had = load i8, ptr %slot, align 1
  %has = add i8 %had, 1
  store i8 %has, ptr %slot, align 1
  %has.32 = zext i8 %has to i32
  %most.next = call i32 @llvm.umax.i32(i32 %most, i32 %has.32)
  br label %strike

group.end:
  %ideal.high = shl i32 %ideal, 16
  %both = or i32 %most, %ideal.high
  %total.next = add i32 %total, %both
  %first.next = add i32 %first, %group
  br label %next.group

all.done:
  ret i32 %total
}

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
  %sectors = call i32 @simulator_sectors(<32 x i64> %addresses, i32 %mask)
  %sectors.64 = zext i32 %sectors to i64
  call void @simulator_add(ptr %counter, i64 %sectors.64)
  %lanes = call i32 @llvm.ctpop.i32(i32 %mask)
  %lanes.64 = zext i32 %lanes to i64
  %bytes = mul i64 %lanes.64, %size
  %bytes.up = add i64 %bytes, 31
  %ideal.sectors = lshr i64 %bytes.up, 5
  %counter.ideal = getelementptr i64, ptr %counter, i64 1
  call void @simulator_add(ptr %counter.ideal, i64 %ideal.sectors)
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
  call void @simulator_place(ptr %worker, <32 x i64> %addresses, i64 %delta)
  ret i1 true

far:
  %found = call i1 @simulator_lanes_generic(ptr %worker, ptr %warp, <32 x i64> %addresses, i32 %mask, i64 %size, i64 %local_bytes)
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
define i1 @simulator_lanes_generic(ptr %worker, ptr %warp, <32 x i64> %addresses.vector, i32 %mask, i64 %size, i64 %local_bytes) {
start:
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
  %left = phi i32 [ %mask, %start ], [ %left.next, %set ]
  %bad = phi i32 [ 0, %start ], [ %bad.next, %set ]
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

; Records for trace.py: 64-bit numbers, as long as there is room.
define void @simulator_trace_block(ptr %worker, i32 %block, i32 %mask, i32 %warp) {
start:
  %used.at = getelementptr i8, ptr %worker, i64 {Worker.trace_used}
  %room.at = getelementptr i8, ptr %worker, i64 {Worker.trace_room}
  %trace.at = getelementptr i8, ptr %worker, i64 {Worker.trace}
  %used = load i64, ptr %used.at
  %room = load i64, ptr %room.at
  %trace = load ptr, ptr %trace.at
  %next = add i64 %used, {BLOCK_LENGTH}
  store i64 %next, ptr %used.at
  %fits = icmp sle i64 %next, %room
  br i1 %fits, label %write, label %end

write:
  %place = getelementptr i64, ptr %trace, i64 %used
  %block.64 = zext i32 %block to i64
  %mask.64 = zext i32 %mask to i64
  %warp.64 = zext i32 %warp to i64
  %second = getelementptr i64, ptr %place, i64 1
  %third = getelementptr i64, ptr %place, i64 2
  %fourth = getelementptr i64, ptr %place, i64 3
  store i64 {BLOCK_RECORD}, ptr %place
  store i64 %block.64, ptr %second
  store i64 %mask.64, ptr %third
  store i64 %warp.64, ptr %fourth
  br label %end

end:
  ret void
}

define void @simulator_trace_site(ptr %worker, i32 %site, <32 x i64> %addresses) {
start:
  %used.at = getelementptr i8, ptr %worker, i64 {Worker.trace_used}
  %room.at = getelementptr i8, ptr %worker, i64 {Worker.trace_room}
  %trace.at = getelementptr i8, ptr %worker, i64 {Worker.trace}
  %used = load i64, ptr %used.at
  %room = load i64, ptr %room.at
  %trace = load ptr, ptr %trace.at
  %next = add i64 %used, {SITE_LENGTH}
  store i64 %next, ptr %used.at
  %fits = icmp sle i64 %next, %room
  br i1 %fits, label %write, label %end

write:
  %place = getelementptr i64, ptr %trace, i64 %used
  %site.64 = zext i32 %site to i64
  %second = getelementptr i64, ptr %place, i64 1
  %third = getelementptr i64, ptr %place, i64 2
  store i64 {SITE_RECORD}, ptr %place
  store i64 %site.64, ptr %second
  store <32 x i64> %addresses, ptr %third, align 8
  br label %end

end:
  ret void
}

; Runs blocks until none is left or something needs Python; returns a Status. Called again, it goes on where it was.
define i32 @simulator_run(ptr %launch, ptr %worker) {
start:
  %next.at = getelementptr i8, ptr %launch, i64 {Launch.next_block}
  %blocks.at = getelementptr i8, ptr %launch, i64 {Launch.blocks}
  %stop.at = getelementptr i8, ptr %launch, i64 {Launch.stop}
  %slice.at = getelementptr i8, ptr %launch, i64 {Launch.slice}
  %grid.at = getelementptr i8, ptr %launch, i64 {Launch.grid}
  %grid.y.at = getelementptr i8, ptr %grid.at, i64 4
  %warps.at = getelementptr i8, ptr %launch, i64 {Launch.warps}
  %shared_bytes.at = getelementptr i8, ptr %launch, i64 {Launch.shared_bytes}
  %full.at = getelementptr i8, ptr %launch, i64 {Launch.full}
  %partial.at = getelementptr i8, ptr %launch, i64 {Launch.partial}
  %masked.at = getelementptr i8, ptr %launch, i64 {Launch.masked}
  %rest.at = getelementptr i8, ptr %launch, i64 {Launch.rest}
  %first_mode.at = getelementptr i8, ptr %launch, i64 {Launch.first_mode}
  %open.at = getelementptr i8, ptr %worker, i64 {Worker.open}
  %block.at = getelementptr i8, ptr %worker, i64 {Worker.block}
  %index.at = getelementptr i8, ptr %worker, i64 {Worker.index}
  %index.y.at = getelementptr i8, ptr %index.at, i64 4
  %index.z.at = getelementptr i8, ptr %index.at, i64 8
  %shared.at = getelementptr i8, ptr %worker, i64 {Worker.shared}
  %list.at = getelementptr i8, ptr %worker, i64 {Worker.warps}
  %warp_bytes.at = getelementptr i8, ptr %worker, i64 {Worker.warp_bytes}
  %turn.at = getelementptr i8, ptr %worker, i64 {Worker.turn}
  %alive.at = getelementptr i8, ptr %worker, i64 {Worker.alive}
  %waiting.at = getelementptr i8, ptr %worker, i64 {Worker.waiting}
  %rounds.at = getelementptr i8, ptr %worker, i64 {Worker.rounds}
  %slices.at = getelementptr i8, ptr %worker, i64 {Worker.slices}
  %budget.at = getelementptr i8, ptr %worker, i64 {Worker.budget}

  %blocks = load i64, ptr %blocks.at
  %slice = load i64, ptr %slice.at
  %grid.x = load i32, ptr %grid.at
  %grid.y = load i32, ptr %grid.y.at
  %warps = load i32, ptr %warps.at
  %shared_bytes = load i64, ptr %shared_bytes.at
  %shared = load ptr, ptr %shared.at
  %list = load ptr, ptr %list.at
  %warp_bytes = load i64, ptr %warp_bytes.at
  %first_mode.64 = load i64, ptr %first_mode.at
  %first_mode = trunc i64 %first_mode.64 to i32
  %open = load i64, ptr %open.at
  %is.open = icmp ne i64 %open, 0
  br i1 %is.open, label %turn, label %new.block

new.block:
  store i64 0, ptr %open.at
  %stop = load atomic i64, ptr %stop.at monotonic, align 8
  %stopped = icmp ne i64 %stop, 0
  br i1 %stopped, label %return.stopped, label %take

return.stopped:
  ret i32 {Status.STOPPED}

take:
  %number = atomicrmw add ptr %next.at, i64 1 monotonic
  %any = icmp slt i64 %number, %blocks
  br i1 %any, label %open.block, label %return.done

return.done:
  ret i32 {Status.DONE}

open.block:
  store i64 %number, ptr %block.at
  %grid.x.64 = zext i32 %grid.x to i64
  %grid.y.64 = zext i32 %grid.y to i64
  %x = urem i64 %number, %grid.x.64
  %row = udiv i64 %number, %grid.x.64
  %y = urem i64 %row, %grid.y.64
  %z = udiv i64 %row, %grid.y.64
  %x.32 = trunc i64 %x to i32
  %y.32 = trunc i64 %y to i32
  %z.32 = trunc i64 %z to i32
  store i32 %x.32, ptr %index.at
  store i32 %y.32, ptr %index.y.at
  store i32 %z.32, ptr %index.z.at
  ; What shared memory holds at the start is undefined; the same odd bytes every time keep runs repeatable.
  call void @llvm.memset.p0.i64(ptr %shared, i8 -51, i64 %shared_bytes, i1 false)
  store i32 0, ptr %turn.at
  store i32 %warps, ptr %alive.at
  store i32 0, ptr %waiting.at
  store i64 1, ptr %open.at
  br label %reset

reset:
  %w = phi i32 [ 0, %open.block ], [ %w.next, %reset ]
  %w.64 = zext i32 %w to i64
  %reset.offset = mul i64 %w.64, %warp_bytes
  %reset.warp = getelementptr i8, ptr %list, i64 %reset.offset
  %reset.mode.at = getelementptr i8, ptr %reset.warp, i64 {Warp.mode}
  %reset.state.at = getelementptr i8, ptr %reset.warp, i64 {Warp.state}
  %reset.entry.at = getelementptr i8, ptr %reset.warp, i64 {Warp.entry}
  store i32 %first_mode, ptr %reset.mode.at
  store i32 {READY}, ptr %reset.state.at
  store i32 0, ptr %reset.entry.at
  %w.next = add i32 %w, 1
  %reset.more = icmp ult i32 %w.next, %warps
  br i1 %reset.more, label %reset, label %begin

begin:
  ; The masked code begins with every lane waiting at block 0 of the code.
  %starts.masked = icmp eq i32 %first_mode, {MASKED}
  br i1 %starts.masked, label %begin.masked, label %turn

begin.masked:
  %v = phi i32 [ 0, %begin ], [ %v.next, %begin.masked ]
  %v.64 = zext i32 %v to i64
  %begin.offset = mul i64 %v.64, %warp_bytes
  %begin.warp = getelementptr i8, ptr %list, i64 %begin.offset
  %begin.stay.at = getelementptr i8, ptr %begin.warp, i64 {Warp.stay}
  store i32 -1, ptr %begin.stay.at
  %v.next = add i32 %v, 1
  %begin.more = icmp ult i32 %v.next, %warps
  br i1 %begin.more, label %begin.masked, label %turn

turn: ; find a warp that can go on, round robin from the one whose turn it is
  %from = load i32, ptr %turn.at
  br label %search

search:
  %tried = phi i32 [ 0, %turn ], [ %tried.next, %not.ready ]
  %candidate.raw = add i32 %from, %tried
  %over = icmp uge i32 %candidate.raw, %warps
  %less = sub i32 %candidate.raw, %warps
  %candidate = select i1 %over, i32 %less, i32 %candidate.raw
  %candidate.64 = zext i32 %candidate to i64
  %offset = mul i64 %candidate.64, %warp_bytes
  %warp = getelementptr i8, ptr %list, i64 %offset
  %state.at = getelementptr i8, ptr %warp, i64 {Warp.state}
  %state = load i32, ptr %state.at
  %ready = icmp eq i32 %state, {READY}
  br i1 %ready, label %go, label %not.ready

not.ready:
  %tried.next = add i32 %tried, 1
  %exhausted = icmp uge i32 %tried.next, %warps
  br i1 %exhausted, label %barrier, label %search

barrier: ; nobody can go on: all that live wait, so the barrier is complete
  %alive.now = load i32, ptr %alive.at
  %nobody = icmp eq i32 %alive.now, 0
  br i1 %nobody, label %new.block, label %release

release:
  store i32 0, ptr %waiting.at
  store i32 0, ptr %turn.at
  br label %release.one

release.one:
  %u = phi i32 [ 0, %release ], [ %u.next, %release.next ]
  %u.64 = zext i32 %u to i64
  %release.offset = mul i64 %u.64, %warp_bytes
  %release.warp = getelementptr i8, ptr %list, i64 %release.offset
  %release.state.at = getelementptr i8, ptr %release.warp, i64 {Warp.state}
  %release.state = load i32, ptr %release.state.at
  %release.waits = icmp eq i32 %release.state, {WAITING}
  br i1 %release.waits, label %release.it, label %release.next

release.it:
  store i32 {READY}, ptr %release.state.at
  %release.barrier.at = getelementptr i8, ptr %release.warp, i64 {Warp.barrier}
  store i32 1, ptr %release.barrier.at
  br label %release.next

release.next:
  %u.next = add i32 %u, 1
  %release.more = icmp ult i32 %u.next, %warps
  br i1 %release.more, label %release.one, label %turn

go:
  store i32 %candidate, ptr %turn.at
  %mode.at = getelementptr i8, ptr %warp, i64 {Warp.mode}
  %entry.at = getelementptr i8, ptr %warp, i64 {Warp.entry}
  %lanes.at = getelementptr i8, ptr %warp, i64 {Warp.lanes}
  %lanes = load i32, ptr %lanes.at
  %all.lanes = icmp eq i32 %lanes, -1
  br label %step

step:
  %mode = load i32, ptr %mode.at
  switch i32 %mode, label %masked [ i32 {FAST}, label %fast
                                    i32 {REST}, label %rest ]

fast:
  %fast.at = select i1 %all.lanes, ptr %full.at, ptr %partial.at
  %fast.function = load ptr, ptr %fast.at
  %entry = load i32, ptr %entry.at
  %fast.status = call i32 %fast.function(ptr %warp, ptr %worker, ptr %launch, i32 %entry)
  br label %returned

masked:
  %masked.function = load ptr, ptr %masked.at
  %masked.missing = icmp eq ptr %masked.function, null
  br i1 %masked.missing, label %return.needs.masked, label %masked.call

return.needs.masked:
  ret i32 {Status.NEEDS_MASKED}

masked.call:
  %masked.status = call i32 %masked.function(ptr %warp, ptr %worker, ptr %launch, i32 0)
  br label %returned

rest:
  %rest.function = load ptr, ptr %rest.at
  %rest.missing = icmp eq ptr %rest.function, null
  br i1 %rest.missing, label %return.needs.rest, label %rest.call

return.needs.rest:
  ret i32 {Status.NEEDS_REST}

rest.call:
  %rest.status = call i32 %rest.function(ptr %warp, ptr %worker, ptr %launch, i32 0)
  br label %returned

returned:
  %status = phi i32 [ %fast.status, %fast ], [ %masked.status, %masked.call ], [ %rest.status, %rest.call ]
  switch i32 %status, label %return.status [ i32 {Status.EXIT}, label %exited
                                             i32 {Status.BARRIER}, label %waits
                                             i32 {Status.DIVERGED}, label %to.masked
                                             i32 {Status.REJOINED}, label %to.fast
                                             i32 {Status.NOT_ALIKE}, label %to.masked
                                             i32 {Status.WRAPPED}, label %to.rest
                                             i32 {Status.YIELD}, label %yields ]

return.status:
  ret i32 %status

to.masked:
  store i32 {MASKED}, ptr %mode.at
  br label %step

to.fast:
  store i32 {FAST}, ptr %mode.at
  br label %step

to.rest:
  store i32 {REST}, ptr %mode.at
  br label %step

exited:
  store i32 {DONE}, ptr %state.at
  %alive.was = load i32, ptr %alive.at
  %alive.less = sub i32 %alive.was, 1
  store i32 %alive.less, ptr %alive.at
  br label %turn

waits:
  store i32 {WAITING}, ptr %state.at
  br label %turn

yields: ; a slice is used up: is there budget left, and does anybody want us to stop?
  store i64 %slice, ptr %rounds.at
  %slices.was = load i64, ptr %slices.at
  %slices.now = add i64 %slices.was, 1
  store i64 %slices.now, ptr %slices.at
  %turn.raw = add i32 %candidate, 1
  %turn.over = icmp uge i32 %turn.raw, %warps
  %turn.next = select i1 %turn.over, i32 0, i32 %turn.raw
  store i32 %turn.next, ptr %turn.at
  %stop.now = load atomic i64, ptr %stop.at monotonic, align 8
  %stop.wanted = icmp ne i64 %stop.now, 0
  br i1 %stop.wanted, label %return.stopped, label %budget

budget:
  %budget.total = load i64, ptr %budget.at
  %spent = icmp sgt i64 %slices.now, %budget.total
  br i1 %spent, label %return.yield, label %turn

return.yield:
  ret i32 {Status.YIELD}
}
