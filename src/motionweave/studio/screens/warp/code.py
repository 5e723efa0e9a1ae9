"""A warp as Python and as command lines."""

from __future__ import annotations

import json
import re
from typing import Any

from motionweave.methods.warping.files import Recipe as WarpFile
from motionweave.methods.warping.files import recipe_data
from motionweave.studio.document.document import ShelfClip
from motionweave.studio.screens import snippets
from motionweave.studio.screens.snippets import Snippet
from motionweave.studio.screens.warp.model import PoseKey, WarpSettings, inside

_KEYS_FILE = "keys.json"


def as_code(clip: ShelfClip, settings: WarpSettings, *, clean: bool) -> Snippet:
    """How to warp a clip like that outside the studio."""
    settings = inside(settings, len(clip.motion))
    (one,) = snippets.named([clip])
    options: dict[str, Any] = {"ease": settings.ease, "monotone": True}
    if settings.hold:
        options["hold"] = True
    if settings.follow:
        options["follow"] = True
    if not clean:
        options["clean"] = False
    rows = [f"    mw.Key({_called(key)})," for key in settings.keys]
    call = [one.variable, "keys"]
    if settings.times:
        pairs = ", ".join(f"({_number(a)}, {_number(b)})" for a, b in settings.times)
        call.append(f"time_keys=[{pairs}]")
    call += [f"{name}={value!r}" for name, value in options.items()]
    file = recipe_data(
        WarpFile(
            keys=tuple(key.key() for key in settings.keys),
            times=settings.times,
            options=options,
        )
    )
    file.setdefault("keys", [])
    return Snippet(
        snippets.script(
            [one],
            *(["keys = [", *rows, "]"] if rows else ["keys = []"]),
            f"motion = mw.warp({', '.join(call)})",
            f"mw.save(motion, {snippets.OUTPUT!r})",
        ),
        snippets.commands(
            [one],
            snippets.heredoc(_KEYS_FILE, _compact(json.dumps(file, indent=1))),
            snippets.command("motionweave", "warp", one.file, _KEYS_FILE, "-o", snippets.OUTPUT),
        ),
    )


def _compact(text: str) -> str:
    """JSON with lists of numbers in one line each."""
    return re.sub(r"\[[-+.\deE,\s]*\]", lambda found: re.sub(r"\s+", " ", found[0]), text)


def _called(key: PoseKey) -> str:
    given = ", ".join(f"{name}={value!r}" for name, value in key.given.items())
    return f"{_number(key.frame)}, {key.joint!r}, {given}"


def _number(value: float) -> str:
    return f"{value:g}"
