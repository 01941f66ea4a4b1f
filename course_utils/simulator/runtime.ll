; The part of the simulator that is the same for every kernel, as LLVM IR, since LLVM is there anyway and a C compiler may
; not be: here the blocks and warps; beside it counting.ll, lanes.ll, barriers.ll and records.ll. Names in braces are byte
; offsets and constants from layout.py, filled in by machine.py, which also declares the intrinsics.

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
  %barrier_id.at = getelementptr i8, ptr %worker, i64 {Worker.barrier_id}
  %mixed.at = getelementptr i8, ptr %worker, i64 {Worker.mixed}
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
  call void @simulator_watch_begin(ptr %worker, i32 %warps)
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
  %reset.yields.at = getelementptr i8, ptr %reset.warp, i64 {Warp.yields}
  %reset.order.at = getelementptr i8, ptr %reset.warp, i64 {Warp.order}
  store i32 0, ptr %reset.yields.at
  store i32 0, ptr %reset.order.at
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

barrier: ; nobody can go on: a barrier must be complete
  %alive.now = load i32, ptr %alive.at
  %nobody = icmp eq i32 %alive.now, 0
  br i1 %nobody, label %new.block, label %release

release:
  store i32 0, ptr %turn.at
  %waiting.now = load i32, ptr %waiting.at
  %mixed = load i32, ptr %mixed.at
  %one.barrier = icmp eq i32 %mixed, 0
  %everybody = icmp eq i32 %waiting.now, %alive.now
  %usual = and i1 %one.barrier, %everybody
  br i1 %usual, label %release.all, label %release.some

release.all:
  %barrier.id = load i32, ptr %barrier_id.at
  store i32 0, ptr %waiting.at
  call void @simulator_watch_release(ptr %worker, i32 %warps)
  call void @simulator_release_all(ptr %worker, i32 %warps, i32 %barrier.id)
  br label %turn

release.some:
  %released = call i32 @simulator_release(ptr %worker, i32 %warps, i32 %alive.now)
  %waiting.left = sub i32 %waiting.now, %released
  store i32 %waiting.left, ptr %waiting.at
  %stuck = icmp eq i32 %released, 0
  br i1 %stuck, label %return.stuck, label %turn

return.stuck:
  ret i32 {Status.STUCK}

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
  %waiting.exit = load i32, ptr %waiting.at
  %exit.last = icmp eq i32 %waiting.exit, %alive.less
  br label %next.turn

waits:
  store i32 {WAITING}, ptr %state.at
  %its.id.at = getelementptr i8, ptr %warp, i64 {Warp.barrier_id}
  %its.count.at = getelementptr i8, ptr %warp, i64 {Warp.barrier_count}
  %its.id = load i32, ptr %its.id.at
  %its.count = load i32, ptr %its.count.at
  %waiting.was = load i32, ptr %waiting.at
  %waiting.more = add i32 %waiting.was, 1
  store i32 %waiting.more, ptr %waiting.at
  %is.first = icmp eq i32 %waiting.was, 0
  %first.id.was = load i32, ptr %barrier_id.at
  %first.id = select i1 %is.first, i32 %its.id, i32 %first.id.was
  store i32 %first.id, ptr %barrier_id.at
  %elsewhere = icmp ne i32 %first.id, %its.id
  %counts = icmp ne i32 %its.count, 0
  %odd = or i1 %elsewhere, %counts
  %odd.32 = zext i1 %odd to i32
  %mixed.was = load i32, ptr %mixed.at
  %mixed.kept = select i1 %is.first, i32 0, i32 %mixed.was
  %mixed.now = or i32 %mixed.kept, %odd.32
  store i32 %mixed.now, ptr %mixed.at
  %alive.there = load i32, ptr %alive.at
  %wait.last = icmp eq i32 %waiting.more, %alive.there
  br label %next.turn

next.turn:
  %all.stopped = phi i1 [ %exit.last, %exited ], [ %wait.last, %waits ]
  %after = add i32 %candidate, 1
  %after.over = icmp uge i32 %after, %warps
  %after.turn = select i1 %after.over, i32 0, i32 %after
  store i32 %after.turn, ptr %turn.at
  br i1 %all.stopped, label %barrier, label %turn

yields: ; a slice is used up: others get a turn, and Python from time to time
  %order.at = getelementptr i8, ptr %warp, i64 {Warp.order}
  %order = load i32, ptr %order.at
  %yields.at = getelementptr i8, ptr %warp, i64 {Warp.yields}
  %yields.was = load i32, ptr %yields.at
  %yields.now = add i32 %yields.was, 1
  store i32 %yields.now, ptr %yields.at
  %is.masked = icmp eq i32 %mode, {MASKED}
  %is.late = icmp ugt i32 %yields.now, {YIELDS_BEFORE_TURNS}
  %takes.turns = and i1 %is.masked, %is.late
  %flipped = xor i32 %order, 1
  %order.next = select i1 %takes.turns, i32 %flipped, i32 0
  store i32 %order.next, ptr %order.at
  ; Lanes that are ahead of others which wait for them need only a short turn of their own.
  %ahead = icmp eq i32 %order.next, 1
  %rounds.next = select i1 %ahead, i64 1000, i64 %slice
  store i64 %rounds.next, ptr %rounds.at
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
  %spent = icmp sge i64 %slices.now, %budget.total
  br i1 %spent, label %return.yield, label %turn

return.yield:
  ret i32 {Status.YIELD}
}
