; What compiled code leaves for Python to read: traces (trace.py) and printf (printing.py). Part of the runtime.

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

; printf: a record a lane: block, thread in the block, address of the format, and 256 bytes of arguments.
define void @simulator_print(ptr %worker, ptr %warp, <32 x i64> %formats, <32 x i64> %arguments, i32 %mask, i64 %local_bytes) {
start:
  %formats.at = alloca [32 x i64], align 64
  %arguments.at = alloca [32 x i64], align 64
  store <32 x i64> %formats, ptr %formats.at, align 64
  store <32 x i64> %arguments, ptr %arguments.at, align 64
  %used.at = getelementptr i8, ptr %worker, i64 {Worker.print_used}
  %room.at = getelementptr i8, ptr %worker, i64 {Worker.print_room}
  %printed.at = getelementptr i8, ptr %worker, i64 {Worker.printed}
  %block.at = getelementptr i8, ptr %worker, i64 {Worker.block}
  %index.at = getelementptr i8, ptr %warp, i64 {Warp.index}
  %local.at = getelementptr i8, ptr %warp, i64 {Warp.local}
  %printed = load ptr, ptr %printed.at
  %room = load i64, ptr %room.at
  %block = load i64, ptr %block.at
  %index = load i32, ptr %index.at
  %local = load i64, ptr %local.at
  br label %next

next:
  %left = phi i32 [ %mask, %start ], [ %left.next, %done ]
  %empty = icmp eq i32 %left, 0
  br i1 %empty, label %end, label %one

one:
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 true)
  %minus = sub i32 %left, 1
  %left.next = and i32 %left, %minus
  %used = load i64, ptr %used.at
  %used.next = add i64 %used, {PRINT_LENGTH}
  store i64 %used.next, ptr %used.at
  %fits = icmp sle i64 %used.next, %room
  br i1 %fits, label %write, label %done

write:
  %place = getelementptr i64, ptr %printed, i64 %used
  %format.at = getelementptr i64, ptr %formats.at, i32 %lane
  %format = load i64, ptr %format.at
  %argument.at = getelementptr i64, ptr %arguments.at, i32 %lane
  %argument = load i64, ptr %argument.at
  %warp.first = shl i32 %index, 5
  %thread = add i32 %warp.first, %lane
  %thread.64 = zext i32 %thread to i64
  %second = getelementptr i64, ptr %place, i64 1
  %third = getelementptr i64, ptr %place, i64 2
  %fourth = getelementptr i64, ptr %place, i64 3
  store i64 %block, ptr %place
  store i64 %thread.64, ptr %second
  store i64 %format, ptr %third
  call void @llvm.memset.p0.i64(ptr %fourth, i8 0, i64 256, i1 false)
  %region = lshr i64 %argument, {REGION_BITS}
  %in.local = icmp eq i64 %region, {LOCAL_REGION}
  %offset = and i64 %argument, {OFFSET_MASK}
  %legal = icmp ult i64 %offset, %local_bytes
  %copy = and i1 %in.local, %legal
  br i1 %copy, label %arguments.copy, label %done

arguments.copy:
  %rest = sub i64 %local_bytes, %offset
  %bytes = call i64 @llvm.umin.i64(i64 %rest, i64 256)
  %lane.64 = zext i32 %lane to i64
  %own = mul i64 %lane.64, %local_bytes
  %from.lane = add i64 %local, %own
  %from.int = add i64 %from.lane, %offset
  %from = inttoptr i64 %from.int to ptr
  call void @llvm.memcpy.p0.p0.i64(ptr %fourth, ptr %from, i64 %bytes, i1 false)
  br label %done

done:
  br label %next

end:
  ret void
}
