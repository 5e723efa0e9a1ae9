"""Writing files: completely or not at all, versioned archives, contacts beside a clip."""
