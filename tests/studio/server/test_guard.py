"""Who is let in, and who is not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from motionweave.studio.server.guard import COOKIE, Guard, is_loopback

HOME = {"host": "127.0.0.1:8930"}


async def _echo(scope: Any, receive: Any, send: Any) -> None:
    """Reads all of the body, then answers with its length."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        return
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def ask(
    headers: dict[str, str],
    *,
    token: str = "",
    kind: str = "http",
    method: str = "GET",
    path: str = "/",
    query: str = "",
    body: list[bytes] | None = None,
) -> list[dict[str, Any]]:
    """All messages that come back."""
    sent: list[dict[str, Any]] = []
    parts = body or [b""]
    waiting = [
        {"type": "http.request", "body": part, "more_body": i + 1 < len(parts)}
        for i, part in enumerate(parts)
    ]
    if kind == "websocket":
        waiting = [{"type": "websocket.connect"}]

    async def receive() -> Any:
        return waiting.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
    }
    asyncio.run(Guard(_echo, token=token, most_bytes=100)(scope, receive, send))
    return sent


def status(headers: dict[str, str], **more: Any) -> int:
    return int(ask(headers, **more)[0]["status"])


@pytest.mark.parametrize("host", ["127.0.0.1:8930", "localhost:8930", "[::1]:8930", "127.0.0.1"])
def test_this_machine_is_answered(host: str) -> None:
    assert status({"host": host}) == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8930", "127.0.0.1.evil.example", "", "192.168.1.5", "["]
)
def test_other_names_are_not_answered(host: str) -> None:
    # A page elsewhere may let its own name point to 127.0.0.1 (DNS rebinding).
    assert status({"host": host}) == 403


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_other_origins_are_refused(origin: str, method: str) -> None:
    assert status({**HOME, "origin": origin}, method=method, path="/upload") == 403


def test_our_own_page_is_let_through() -> None:
    headers = {**HOME, "origin": "http://127.0.0.1:8930", "sec-fetch-site": "same-origin"}
    assert status(headers, method="POST", path="/upload") == 200


def test_other_sites_may_link_here_but_not_fetch() -> None:
    away = {**HOME, "sec-fetch-site": "cross-site"}
    assert status({**away, "sec-fetch-mode": "navigate"}) == 200
    assert status({**away, "sec-fetch-mode": "no-cors"}, path="/motion/1") == 403
    assert status({**away, "sec-fetch-mode": "navigate"}, path="/motion/1") == 403
    assert status({**away, "sec-fetch-mode": "navigate"}, method="POST") == 403


def test_websockets_are_guarded_too() -> None:
    assert ask(HOME, kind="websocket")[0]["type"] == "websocket.accept"
    for headers in ({**HOME, "origin": "https://evil.example"}, {"host": "evil.example"}):
        assert ask(headers, kind="websocket")[0]["type"] == "websocket.close"
    away = {"host": "studio.example"}
    assert ask(away, kind="websocket", token="secret")[0]["type"] == "websocket.close"


def test_a_token_lets_in_and_becomes_a_cookie() -> None:
    away = {"host": "studio.example:8930"}
    assert status(away, token="secret") == 401
    assert status(away, token="secret", query="token=wrong") == 401
    answer = ask(away, token="secret", query="token=secret")[0]
    headers = dict(answer["headers"])
    assert answer["status"] == 303
    assert headers[b"location"] == b"/"
    assert b"HttpOnly" in headers[b"set-cookie"]
    assert b"SameSite=Strict" in headers[b"set-cookie"]
    assert status({**away, "cookie": f"{COOKIE}=secret"}, token="secret") == 200
    assert status({**away, "cookie": f"{COOKIE}=other"}, token="secret") == 401
    known = {**away, "cookie": f"{COOKIE}=secret", "origin": "https://evil.example"}
    assert status(known, token="secret") == 403


def test_large_bodies_are_refused_whatever_they_announce() -> None:
    assert status({**HOME, "content-length": "101"}, method="POST") == 413
    assert status(HOME, method="POST", body=[b"x" * 60, b"x" * 60]) == 413
    assert status(HOME, method="POST", body=[b"x" * 60, b"x" * 40]) == 200


def test_answers_cannot_be_framed_or_guessed() -> None:
    headers = dict(ask(HOME)[0]["headers"])
    assert headers[b"x-frame-options"] == b"DENY"
    assert headers[b"x-content-type-options"] == b"nosniff"


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.0.0.1", True),
        ("127.3.2.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("localhost.evil.example", False),
    ],
)
def test_loopback(host: str, here: bool) -> None:
    assert is_loopback(host) is here
