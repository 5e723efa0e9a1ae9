"""Files: one module a format, found by the registry, behind `load` and `save`."""
