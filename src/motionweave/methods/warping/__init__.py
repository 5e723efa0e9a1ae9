"""Motion warping after Witkin & Popović: a clip reshaped by a few keys, its detail kept."""
