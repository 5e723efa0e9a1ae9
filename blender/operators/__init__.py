"""The operators: what the panel's buttons, the search and scripts call."""

from . import analyse, combine, edit, library, live, marks

MODULES = (combine, live, marks, edit, analyse, library)
CLASSES = tuple(one for module in MODULES for one in module.CLASSES)
