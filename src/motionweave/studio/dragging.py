"""What is dragged from one part of the page to another."""

from __future__ import annotations

from collections.abc import Callable

from nicegui.element import Element

# A clip of the shelf, by its id.
CLIP = "application/x-motionweave-clip"
# A stretch that the library screen lists, by its row.
FOUND = "application/x-motionweave-found"


def carrying(kind: str, what: object) -> str:
    """A handler of ``dragstart``: what is dragged, and of which kind it is."""
    return f"(event) => event.dataTransfer.setData('{kind}', '{what}')"


def receive(element: Element, kind: str, handler: Callable[[str], None]) -> None:
    """Let things of one kind be dropped on an element, which is lit while one is over it."""
    ours = f"event.dataTransfer.types.includes('{kind}')"
    lit = "event.currentTarget.classList"
    element.on(
        "dragover",
        js_handler=f"(event) => {{ if ({ours}) {{ event.preventDefault(); {lit}.add('over'); }} }}",
    )
    leaving = "!event.currentTarget.contains(event.relatedTarget)"
    element.on("dragleave", js_handler=f"(event) => {{ if ({leaving}) {lit}.remove('over'); }}")
    element.on(
        "drop",
        lambda event: handler(str(event.args)),
        js_handler=f"""(event) => {{
          {lit}.remove('over');
          if (!{ours}) return;
          event.preventDefault();
          emit(event.dataTransfer.getData('{kind}'));
        }}""",
    )
