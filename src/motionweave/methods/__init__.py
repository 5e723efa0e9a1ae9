"""The four published systems. None of them imports another."""
