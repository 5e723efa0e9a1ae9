"""motionweave makes new character motion from motion-capture clips.

The public names are listed in ``__init__.pyi``. They are loaded on first use, so that
``import motionweave`` itself costs next to nothing.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
