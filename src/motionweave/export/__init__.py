"""Sets of clips for game engines: same length, in step, with everything an engine needs."""
