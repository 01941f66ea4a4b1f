; Barriers: 16 of them a block of threads. Part of the runtime, see runtime.ll.

; The usual barrier: all warps that live wait at this one, and all go on.
define void @simulator_release_all(ptr %worker, i32 %warps, i32 %id) alwaysinline {
start:
  %list.at = getelementptr i8, ptr %worker, i64 {Worker.warps}
  %list = load ptr, ptr %list.at
  %bytes.at = getelementptr i8, ptr %worker, i64 {Worker.warp_bytes}
  %bytes = load i64, ptr %bytes.at
  call void @simulator_latch(ptr %worker, i32 %id)
  br label %one

one:
  %w = phi i32 [ 0, %start ], [ %w.next, %next ]
  %warp = phi ptr [ %list, %start ], [ %warp.next, %next ]
  %state.at = getelementptr i8, ptr %warp, i64 {Warp.state}
  %state = load i32, ptr %state.at
  %waits = icmp eq i32 %state, {WAITING}
  br i1 %waits, label %free, label %next

free:
  store i32 {READY}, ptr %state.at
  %barrier.at = getelementptr i8, ptr %warp, i64 {Warp.barrier}
  store i32 1, ptr %barrier.at
  br label %next

next:
  %warp.next = getelementptr i8, ptr %warp, i64 %bytes
  %w.next = add i32 %w, 1
  %more = icmp ult i32 %w.next, %warps
  br i1 %more, label %one, label %end

end:
  ret void
}

; The results of a reduction at a barrier are complete, and the next one starts.
define void @simulator_latch(ptr %worker, i32 %id) alwaysinline {
start:
  %sum.list = getelementptr i8, ptr %worker, i64 {Worker.sum}
  %all.list = getelementptr i8, ptr %worker, i64 {Worker.all}
  %any.list = getelementptr i8, ptr %worker, i64 {Worker.any}
  %last_sum.list = getelementptr i8, ptr %worker, i64 {Worker.last_sum}
  %last_all.list = getelementptr i8, ptr %worker, i64 {Worker.last_all}
  %last_any.list = getelementptr i8, ptr %worker, i64 {Worker.last_any}
  %sum.at = getelementptr i32, ptr %sum.list, i32 %id
  %all.at = getelementptr i32, ptr %all.list, i32 %id
  %any.at = getelementptr i32, ptr %any.list, i32 %id
  %last_sum.at = getelementptr i32, ptr %last_sum.list, i32 %id
  %last_all.at = getelementptr i32, ptr %last_all.list, i32 %id
  %last_any.at = getelementptr i32, ptr %last_any.list, i32 %id
  %sum = load i32, ptr %sum.at
  %all = load i32, ptr %all.at
  %any = load i32, ptr %any.at
  store i32 %sum, ptr %last_sum.at
  store i32 %all, ptr %last_all.at
  store i32 %any, ptr %last_any.at
  store i32 0, ptr %sum.at
  store i32 1, ptr %all.at
  store i32 0, ptr %any.at
  ret void
}

; Lets the waiting warps of every complete barrier go on; returns how many warps that are.
define i32 @simulator_release(ptr %worker, i32 %warps, i32 %alive) {
start:
  %list.at = getelementptr i8, ptr %worker, i64 {Worker.warps}
  %list = load ptr, ptr %list.at
  %bytes.at = getelementptr i8, ptr %worker, i64 {Worker.warp_bytes}
  %bytes = load i64, ptr %bytes.at
  %arrived = getelementptr i8, ptr %worker, i64 {Worker.arrived}
  br label %next

next: ; one barrier after the other
  %id = phi i32 [ 0, %start ], [ %id.next, %skip ]
  %released = phi i32 [ 0, %start ], [ %released.next, %skip ]
  %finished = icmp eq i32 %id, 16
  br i1 %finished, label %end, label %count

end:
  ret i32 %released

count: ; who waits at it?
  %announced.at = getelementptr i32, ptr %arrived, i32 %id
  %announced = load i32, ptr %announced.at
  br label %count.one

count.one:
  %w = phi i32 [ 0, %count ], [ %w.next, %count.one ]
  %waiting = phi i32 [ 0, %count ], [ %waiting.next, %count.one ]
  %wanted = phi i32 [ 0, %count ], [ %wanted.next, %count.one ]
  %w.64 = zext i32 %w to i64
  %offset = mul i64 %w.64, %bytes
  %warp = getelementptr i8, ptr %list, i64 %offset
  %state.at = getelementptr i8, ptr %warp, i64 {Warp.state}
  %state = load i32, ptr %state.at
  %id.at = getelementptr i8, ptr %warp, i64 {Warp.barrier_id}
  %its.id = load i32, ptr %id.at
  %count.at = getelementptr i8, ptr %warp, i64 {Warp.barrier_count}
  %its.count = load i32, ptr %count.at
  %waits = icmp eq i32 %state, {WAITING}
  %same = icmp eq i32 %its.id, %id
  %here = and i1 %waits, %same
  %one = zext i1 %here to i32
  %waiting.next = add i32 %waiting, %one
  %larger = call i32 @llvm.umax.i32(i32 %wanted, i32 %its.count)
  %wanted.next = select i1 %here, i32 %larger, i32 %wanted
  %w.next = add i32 %w, 1
  %more = icmp ult i32 %w.next, %warps
  br i1 %more, label %count.one, label %complete

complete: ; warps count as 32 threads, also when some have left (PTX ISA 9.7.13.1)
  %threads = shl i32 %waiting.next, 5
  %present = add i32 %threads, %announced
  %enough = icmp uge i32 %present, %wanted.next
  %everybody = icmp eq i32 %waiting.next, %alive
  %no.count = icmp eq i32 %wanted.next, 0
  %is.complete = select i1 %no.count, i1 %everybody, i1 %enough
  %some = icmp ne i32 %waiting.next, 0
  %goes = and i1 %is.complete, %some
  br i1 %goes, label %latch, label %skip.none

skip.none:
  br label %skip

latch:
  call void @simulator_watch_joined(ptr %worker, i32 %id)
  store i32 0, ptr %announced.at
  call void @simulator_latch(ptr %worker, i32 %id)
  br label %free

free:
  %u = phi i32 [ 0, %latch ], [ %u.next, %free.next ]
  %u.64 = zext i32 %u to i64
  %free.offset = mul i64 %u.64, %bytes
  %free.warp = getelementptr i8, ptr %list, i64 %free.offset
  %free.state.at = getelementptr i8, ptr %free.warp, i64 {Warp.state}
  %free.state = load i32, ptr %free.state.at
  %free.id.at = getelementptr i8, ptr %free.warp, i64 {Warp.barrier_id}
  %free.id = load i32, ptr %free.id.at
  %free.waits = icmp eq i32 %free.state, {WAITING}
  %free.same = icmp eq i32 %free.id, %id
  %free.here = and i1 %free.waits, %free.same
  br i1 %free.here, label %free.it, label %free.next

free.it:
  store i32 {READY}, ptr %free.state.at
  %free.barrier.at = getelementptr i8, ptr %free.warp, i64 {Warp.barrier}
  store i32 1, ptr %free.barrier.at
  br label %free.next

free.next:
  %u.next = add i32 %u, 1
  %free.more = icmp ult i32 %u.next, %warps
  br i1 %free.more, label %free, label %freed

freed:
  %released.more = add i32 %released, %waiting.next
  br label %skip

skip:
  %released.next = phi i32 [ %released, %skip.none ], [ %released.more, %freed ]
  %id.next = add i32 %id, 1
  br label %next
}

; Lanes say yes or no at a barrier that reduces: those in %yes, out of those in %mask.
define void @simulator_reduce(ptr %worker, i32 %id, i32 %yes, i32 %mask) {
start:
  %sum.list = getelementptr i8, ptr %worker, i64 {Worker.sum}
  %all.list = getelementptr i8, ptr %worker, i64 {Worker.all}
  %any.list = getelementptr i8, ptr %worker, i64 {Worker.any}
  %sum.at = getelementptr i32, ptr %sum.list, i32 %id
  %all.at = getelementptr i32, ptr %all.list, i32 %id
  %any.at = getelementptr i32, ptr %any.list, i32 %id
  %count = call i32 @llvm.ctpop.i32(i32 %yes)
  %sum = load i32, ptr %sum.at
  %sum.new = add i32 %sum, %count
  store i32 %sum.new, ptr %sum.at
  %every = icmp eq i32 %yes, %mask
  %every.32 = zext i1 %every to i32
  %all = load i32, ptr %all.at
  %all.new = and i32 %all, %every.32
  store i32 %all.new, ptr %all.at
  %some = icmp ne i32 %yes, 0
  %some.32 = zext i1 %some to i32
  %any = load i32, ptr %any.at
  %any.new = or i32 %any, %some.32
  store i32 %any.new, ptr %any.at
  ret void
}

; A warp that counts at a barrier without waiting at it.
define void @simulator_arrive(ptr %worker, i32 %id) {
start:
  %list = getelementptr i8, ptr %worker, i64 {Worker.arrived}
  %place = getelementptr i32, ptr %list, i32 %id
  %old = load i32, ptr %place
  %new = add i32 %old, 32
  store i32 %new, ptr %place
  ret void
}
