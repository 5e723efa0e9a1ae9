"""motionweave by its public names; a plain message says what an installed version lacks."""

from __future__ import annotations

import inspect
from typing import Any

import motionweave as mw
from motionweave.errors import MotionweaveError


def function(name: str) -> Any:
    """A public name of motionweave.

    Raises
    ------
    MotionweaveError
        If the installed version does not have it.
    """
    if not hasattr(mw, name):
        raise MotionweaveError(
            f"motionweave {mw.__version__} cannot do this ({name} is missing): install a newer "
            "version in the add-on's preferences"
        )
    return getattr(mw, name)


def options(called: Any, **given: Any) -> dict[str, Any]:
    """Options that are given (not None); one that the installed version lacks is an error."""
    known = inspect.signature(called).parameters
    wanted = {name: value for name, value in given.items() if value is not None}
    for name in wanted:
        if name not in known:
            raise MotionweaveError(
                f"motionweave {mw.__version__} has no option {name!r} here: install a newer "
                "version in the add-on's preferences, or leave the option as it is by default"
            )
    return wanted
