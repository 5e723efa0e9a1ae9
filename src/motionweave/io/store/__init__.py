"""How files are written: whole or not at all, versioned archives, contacts beside a clip."""
