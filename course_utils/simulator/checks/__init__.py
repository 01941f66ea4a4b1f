"""The four checks: memory, races, initialisation, barriers.

A checked launch compiles the kernel with calls beside its accesses. Shadow memory holds for each granule
who stored and loaded last, and when; compiled code compares that with the barriers passed since, for many
lanes at once. What stays open goes to Python, which knows of named barriers, fences and flags, decides,
and puts it into words. docs/simulator.md tells the rules and what is not seen.

In the order data flows: structures (what compiled code and Python share), bases (from which variable an
address derives), scheme (what to check in one kernel), shadow_code and emit (the compiled half), shadow
(shadow memory), clocks (which accesses are ordered), observer (who is meant, of one block), races, unwritten,
bounds, barriers and telling (one concern each), sentences (findings in words), monitor (one launch), second
(the build without optimisation).
"""
