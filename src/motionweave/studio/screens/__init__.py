"""The screens of the studio.

To add a screen, make a folder with a subclass of `Screen` (see `screen.py`) and name it in
`SCREENS`; the tab, settings in the document, undo, project files, background work, the
viewport, quality figures, export and the copy menu follow from that.

A screen consists of

- ``Settings``: a frozen dataclass of plain values (numbers, strings, tuples, dicts) with a
  default for each. It is all the state that a screen has: it is undone and saved with the
  document. Clips are named by their ids.
- ``make(document, live)``: settings and clips in, a `Result` out, by calling the library. A
  static function that touches no widget: it runs in a thread, and is what benchmarks and tests
  call. ``live`` is True in the middle of a drag, when a quick picture is better than a
  finished one (no foot clean-up).
- ``build_panel()`` and ``build_dock()``: widgets to the right of and below the viewport, made
  once. Their handlers change settings with ``self.change(label, field=value, ...)``, in a drag
  with ``merge="..."`` and at its end with ``final=True``; nothing else happens in them.
- ``refresh(settings)``: settings into widgets. Called after every change, also those made by
  undo, by opening a project and in another tab.
- ``present(result)``: what was made into widgets (the viewport is done already).
- ``pieces(found)``: for a screen that lists motions which can be dragged to the shelf and into
  the sequence, how to load one of them.
- ``recipe(document)``: the same as Python and as command lines, see `snippets.py`.

`ui/components.py` has the widgets to build with: heat map, lanes, curve editor, clip picker.
"""

from __future__ import annotations

from motionweave.studio.screens.blend.screen import BlendScreen
from motionweave.studio.screens.framespace.screen import FramespaceScreen
from motionweave.studio.screens.library.screen import LibraryScreen
from motionweave.studio.screens.screen import Screen
from motionweave.studio.screens.sequence.screen import SequenceScreen
from motionweave.studio.screens.spline.screen import SplineScreen
from motionweave.studio.screens.transition.screen import TransitionScreen
from motionweave.studio.screens.warp.screen import WarpScreen

SCREENS: tuple[type[Screen], ...] = (
    BlendScreen,
    TransitionScreen,
    FramespaceScreen,
    SplineScreen,
    WarpScreen,
    SequenceScreen,
    LibraryScreen,
)
