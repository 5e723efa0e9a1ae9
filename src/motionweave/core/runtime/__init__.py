"""How computations run: compiled kernels, threads, caches, cancellation."""
