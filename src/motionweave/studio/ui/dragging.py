"""What is dragged from one part of the page to another."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from nicegui.element import Element

# A clip of the shelf, by its id.
CLIP = "application/x-motionweave-clip"
# Something that a screen lists, as ``screen:what``.
FOUND = "application/x-motionweave-found"
# The result of a screen, by the screen's name.
MADE = "application/x-motionweave-result"
CARRIED = (CLIP, FOUND, MADE)

# Milliseconds that something is held over a tab before its screen opens.
_SPRING = 600


def carrying(kind: str, what: object) -> str:
    """A handler of ``dragstart``: what is dragged, and of which kind it is."""
    return f"(event) => event.dataTransfer.setData('{kind}', '{what}')"


def carrying_marked() -> str:
    """A handler of ``dragstart`` for an element whose ``data-kind`` and ``data-what`` change."""
    return """(event) => {
      const { kind, what } = event.currentTarget.dataset;
      if (kind) event.dataTransfer.setData(kind, what); else event.preventDefault();
    }"""


def receive(element: Element, kinds: Sequence[str], handler: Callable[[str, str], None]) -> None:
    """Let things of some kinds be dropped on an element, which is lit while one is over it.

    ``handler`` is called with the kind and with what it is.
    """
    ours = f"{json.dumps(kinds)}.find((kind) => event.dataTransfer.types.includes(kind))"
    lit = "event.currentTarget.classList"
    element.on(
        "dragover",
        js_handler=f"(event) => {{ if ({ours}) {{ event.preventDefault(); {lit}.add('over'); }} }}",
    )
    leaving = "!event.currentTarget.contains(event.relatedTarget)"
    element.on("dragleave", js_handler=f"(event) => {{ if ({leaving}) {lit}.remove('over'); }}")
    element.on(
        "drop",
        lambda event: handler(str(event.args["kind"]), str(event.args["what"])),
        js_handler=f"""(event) => {{
          {lit}.remove('over');
          const kind = {ours};
          if (!kind) return;
          event.preventDefault();
          emit({{ kind, what: event.dataTransfer.getData(kind) }});
        }}""",
    )


def spring(element: Element, kinds: Sequence[str], handler: Callable[[], None]) -> None:
    """Call a handler when something of some kinds is held over an element for a moment."""
    ours = f"{json.dumps(kinds)}.some((kind) => event.dataTransfer.types.includes(kind))"
    leaving = "!event.currentTarget.contains(event.relatedTarget)"
    element.on(
        "dragenter",
        lambda _: handler(),
        js_handler=f"""(event) => {{
          const held = event.currentTarget;
          if ({ours} && !held.spring) held.spring = setTimeout(() => emit(), {_SPRING});
        }}""",
    )
    stop = "clearTimeout(event.currentTarget.spring); event.currentTarget.spring = 0;"
    element.on("dragleave", js_handler=f"(event) => {{ if ({leaving}) {{ {stop} }} }}")
    element.on("drop", js_handler=f"(event) => {{ {stop} }}")
