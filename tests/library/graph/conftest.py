"""A graph, shared by the tests of this folder."""

from __future__ import annotations

import pytest

import motionweave as mw
from motionweave.library.graph.graph import Graph


@pytest.fixture(scope="package")
def graph(library: mw.Library) -> Graph:
    return library.graph(tolerance=2.0)
