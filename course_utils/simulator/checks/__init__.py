"""The four checks: memory, races, initialisation, barriers.

In the order data flows: structures (what compiled code and Python share), bases (from which variable an
address derives), scheme (what to check in one kernel), shadow_code and emit (the compiled half), shadow
(shadow memory), clocks (which accesses are ordered), monitor (what Python does when compiled code calls it),
sentences (findings in words), copies (the second run, of the unoptimised build).
"""
