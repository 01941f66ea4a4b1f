"""Instructions of the simulator's own, which stand beside those of PTX once calls and barriers are taken
apart."""

PRINT = "simulator_print"  # printf: format, arguments
ASSERT = "simulator_assert"  # a failed assert(): message, file, line, function
BARRIER_RESULT = "simulator_barrier_result"  # what a reducing barrier found
# Functions that stand once, see stack.py:
CALL, LEAVE = "simulator_call", "simulator_leave"
PUSH, POP, RETURN_ID, ENTER = "simulator_push", "simulator_pop", "simulator_return_id", "simulator_enter"
