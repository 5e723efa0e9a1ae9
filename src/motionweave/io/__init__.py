"""Files: one module per format, found by the registry, behind `load` and `save`."""
