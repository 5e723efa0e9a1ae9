"""Registration curves (Kovar & Gleicher 2003): timing, alignment and contacts of clips."""
