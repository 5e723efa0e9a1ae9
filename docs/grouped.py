"""What the API pages need from Griffe beside NumPy docstrings.

Parameters that share one entry (``name, frames, fps``) each get their own type, and a default
that a function makes (``(lambda: zeros(3))()``) is shown as what it makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import griffe

_MADE = re.compile(r"\(lambda: (.*)\)\(\)", re.DOTALL)


class Grouped(griffe.Extension):
    """Puts the signature's types and defaults into parsed docstrings."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Look through a package when all of it is there."""
        for one in _inside(pkg):
            for parameter in getattr(one, "parameters", ()):
                made = _MADE.fullmatch(str(parameter.default))
                if made:
                    parameter.default = made[1]
            if one.docstring is not None:
                one.docstring.__class__ = _Docstring


def _inside(one: griffe.Object) -> Iterator[griffe.Object]:
    yield one
    for member in one.members.values():
        if not member.is_alias:
            yield from _inside(member)


class _Docstring(griffe.Docstring):
    def parse(self, *args: Any, **options: Any) -> list[griffe.DocstringSection]:
        sections = super().parse(*args, **options)
        known = {p.name.lstrip("*"): p for p in getattr(self.parent, "parameters", ())}
        for section in sections:
            if section.kind is griffe.DocstringSectionKind.parameters:
                for entry in section.value:
                    if entry.name.lstrip("*") in known:
                        own = known[entry.name.lstrip("*")]
                        entry.annotation, entry.value = own.annotation, own.default
        return sections
