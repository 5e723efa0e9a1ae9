"""What glTF, USD and FBX share: rest poses, units, key-framed curves, a body to look at."""
