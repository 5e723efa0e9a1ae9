"""Some tabs at once beside bad uploads; ``python -m tests.studio.load`` does it with hundreds."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("nicegui", reason="the studio is not installed")

from tests.studio.load import crowd
from tests.studio.process import Server


def test_tabs_are_served_beside_bad_uploads() -> None:
    server = Server()
    try:
        report = asyncio.run(crowd(server, clients=4, seconds=1.5))
    finally:
        server.stop()
    assert report.refused == []
    assert report.lost == 0
    assert len(report.waits) >= 8
    assert "Traceback" not in server.log
