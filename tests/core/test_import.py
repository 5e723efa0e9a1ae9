"""The public face: light to import, complete, and honest about what is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

import motionweave as mw


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys, motionweave\n"
        "heavy = {'numpy', 'scipy', 'numba', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(f'loaded at import: {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_public_name_resolves() -> None:
    assert set(mw.__all__) == set(mw._HOMES)
    for name in mw.__all__:
        assert getattr(mw, name) is not None
        assert name in dir(mw)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_thing"):
        mw.no_such_thing  # noqa: B018
