; Sectors and wavefronts of one access, from the actual addresses. Part of the runtime.

; Distinct 32-byte sectors among the addresses of the lanes in %mask, all of them in one buffer.
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

; The same for addresses in several buffers, whose sector numbers need more than 32 bits.
define i32 @simulator_far_sectors(<32 x i64> %addresses, i32 %mask) {
start:
  %places = alloca [32 x i64], align 64
  %sectors = lshr <32 x i64> %addresses, splat (i64 5)
  store <32 x i64> %sectors, ptr %places, align 64
  br label %strike

strike:
  %left = phi i32 [ %mask, %start ], [ %left.next, %more ]
  %count = phi i32 [ 0, %start ], [ %count.next, %more ]
  %done = icmp eq i32 %left, 0
  br i1 %done, label %counted, label %more

more:
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 true)
  %place = getelementptr i64, ptr %places, i32 %lane
  %sector = load i64, ptr %place, align 8
  %one = insertelement <32 x i64> poison, i64 %sector, i64 0
  %all = shufflevector <32 x i64> %one, <32 x i64> poison, <32 x i32> zeroinitializer
  %same = icmp eq <32 x i64> %sectors, %all
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


; Sectors of one global atomic: each sector is visited as often as the address in it that most lanes want.
define i32 @simulator_atomic_sectors(<32 x i64> %addresses, i32 %mask) {
start:
  %places = alloca [32 x i64], align 64
  %sectors = alloca [32 x i64], align 64
  %visits = alloca [32 x i32], align 64
  store <32 x i64> %addresses, ptr %places, align 64
  br label %strike

strike: ; one address after the other, with the number of lanes that want it
  %left = phi i32 [ %mask, %start ], [ %left.next, %noted ]
  %known = phi i32 [ 0, %start ], [ %known.next, %noted ]
  %empty = icmp eq i32 %left, 0
  br i1 %empty, label %sum, label %more

more:
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 true)
  %place = getelementptr i64, ptr %places, i32 %lane
  %address = load i64, ptr %place, align 8
  %one = insertelement <32 x i64> poison, i64 %address, i64 0
  %all = shufflevector <32 x i64> %one, <32 x i64> poison, <32 x i32> zeroinitializer
  %same = icmp eq <32 x i64> %addresses, %all
  %same.bits = bitcast <32 x i1> %same to i32
  %wanting = and i32 %same.bits, %left
  %count = call i32 @llvm.ctpop.i32(i32 %wanting)
  %left.next = xor i32 %left, %wanting
  %sector = lshr i64 %address, 5
  br label %look

look: ; has the sector been seen?
  %k = phi i32 [ 0, %more ], [ %k.next, %other ]
  %new = icmp eq i32 %k, %known
  br i1 %new, label %append, label %compare

compare:
  %sector.at = getelementptr i64, ptr %sectors, i32 %k
  %seen = load i64, ptr %sector.at, align 8
  %found = icmp eq i64 %seen, %sector
  br i1 %found, label %raise, label %other

other:
  %k.next = add i32 %k, 1
  br label %look

raise:
  %visits.at = getelementptr i32, ptr %visits, i32 %k
  %before = load i32, ptr %visits.at, align 4
  %after = call i32 @llvm.umax.i32(i32 %before, i32 %count)
  store i32 %after, ptr %visits.at, align 4
  br label %noted

append:
  %new.at = getelementptr i64, ptr %sectors, i32 %known
  store i64 %sector, ptr %new.at, align 8
  %new.visits.at = getelementptr i32, ptr %visits, i32 %known
  store i32 %count, ptr %new.visits.at, align 4
  %known.more = add i32 %known, 1
  br label %noted

noted:
  %known.next = phi i32 [ %known, %raise ], [ %known.more, %append ]
  br label %strike

sum:
  %i = phi i32 [ 0, %strike ], [ %i.next, %add ]
  %total = phi i32 [ 0, %strike ], [ %total.next, %add ]
  %done = icmp eq i32 %i, %known
  br i1 %done, label %end, label %add

add:
  %sum.at = getelementptr i32, ptr %visits, i32 %i
  %sum.one = load i32, ptr %sum.at, align 4
  %total.next = add i32 %total, %sum.one
  %i.next = add i32 %i, 1
  br label %sum

end:
  ret i32 %total
}

; Rounds of one shared atomic on 4-byte words: as many as lanes want the busiest bank, the same word or not.
define i32 @simulator_atomic_rounds(<32 x i32> %addresses, i32 %mask) {
start:
  %places = alloca [32 x i32], align 64
  %wanted = alloca [32 x i8], align 64
  %words = lshr <32 x i32> %addresses, splat (i32 2)
  %banks = and <32 x i32> %words, splat (i32 31)
  store <32 x i32> %banks, ptr %places, align 64
  store <32 x i8> zeroinitializer, ptr %wanted, align 64
  br label %next

next:
  %left = phi i32 [ %mask, %start ], [ %left.next, %more ]
  %most = phi i32 [ 0, %start ], [ %most.next, %more ]
  %empty = icmp eq i32 %left, 0
  br i1 %empty, label %end, label %more

more:
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 true)
  %minus = sub i32 %left, 1
  %left.next = and i32 %left, %minus
  %place = getelementptr i32, ptr %places, i32 %lane
  %bank = load i32, ptr %place, align 4
  %slot = getelementptr i8, ptr %wanted, i32 %bank
  %had = load i8, ptr %slot, align 1
  %has = add i8 %had, 1
  store i8 %has, ptr %slot, align 1
  %has.32 = zext i8 %has to i32
  %most.next = call i32 @llvm.umax.i32(i32 %most, i32 %has.32)
  br label %next

end:
  ret i32 %most
}

; Shared atomics that the machine code makes a loop of (f32 additions): in each round every bank serves its first lane,
; and the lanes left load their words again. Wavefronts of these loads in the low half, rounds in the high half.
define i32 @simulator_atomic_loop(<32 x i32> %addresses, i32 %mask) {
start:
  %places = alloca [32 x i32], align 64
  %words = lshr <32 x i32> %addresses, splat (i32 2)
  %banks = and <32 x i32> %words, splat (i32 31)
  store <32 x i32> %banks, ptr %places, align 64
  br label %round

round:
  %left = phi i32 [ %mask, %start ], [ %left.after, %served ]
  %total = phi i32 [ 0, %start ], [ %total.next, %served ]
  %empty = icmp eq i32 %left, 0
  br i1 %empty, label %end, label %loads

loads:
  %both = call i32 @simulator_wavefronts(<32 x i32> %addresses, i32 %left, i32 2, i1 true)
  %wavefronts = and i32 %both, 65535
  %one.round = add i32 %wavefronts, 65536
  %total.next = add i32 %total, %one.round
  br label %serve

serve:
  %candidates = phi i32 [ %left, %loads ], [ %candidates.next, %one ]
  %busy = phi i32 [ 0, %loads ], [ %busy.next, %one ]
  %left.after = phi i32 [ %left, %loads ], [ %left.next, %one ]
  %all.served = icmp eq i32 %candidates, 0
  br i1 %all.served, label %served, label %one

one:
  %lane = call i32 @llvm.cttz.i32(i32 %candidates, i1 true)
  %lane.bit = shl i32 1, %lane
  %candidates.next = xor i32 %candidates, %lane.bit
  %place = getelementptr i32, ptr %places, i32 %lane
  %bank = load i32, ptr %place, align 4
  %bank.bit = shl i32 1, %bank
  %taken = and i32 %busy, %bank.bit
  %free = icmp eq i32 %taken, 0
  %busy.next = or i32 %busy, %bank.bit
  %without = xor i32 %left.after, %lane.bit
  %left.next = select i1 %free, i32 %without, i32 %left.after
  br label %serve

served:
  br label %round

end:
  ret i32 %total
}
