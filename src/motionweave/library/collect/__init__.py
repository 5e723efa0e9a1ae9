"""All clips of an example's kind: match webs, after Kovar and Gleicher (2004)."""
