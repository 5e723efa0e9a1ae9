"""Sets of clips for game engines: equally long, in step, with everything an engine asks for."""
