"""How kernels run: compiling and linking, threads, random streams, vector instructions."""
