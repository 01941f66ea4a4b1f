"""Live Kernels: real CUDA kernels, compiled and run live, with a GPU or without."""
# Imported before anything is installed, and by any Python, however old: no package, no new syntax.
