"""What motionweave costs and how good its blends are, beside peers, in one run.

``python -m benchmarks`` writes ``results.md`` and ``results.json`` into this folder.
"""
