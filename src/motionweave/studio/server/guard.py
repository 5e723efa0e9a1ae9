"""Who may talk to the server: this machine's own browser, or whoever has the token.

Any page on the web can make a browser send requests to 127.0.0.1, and can let its own name
point there, and so can other users of this machine. So requests are refused that come from
another origin, that name another host, or that lack the token.
"""

from __future__ import annotations

import contextlib
import hmac
import ipaddress
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "motionweave_token"
# Bytes of a refused body that are waited for.
_MOST_DISCARDED = 2_000_000_000
# The page's own scripts are compiled in the browser (Vue), and its widgets carry their styles:
# what must not happen is that anything is fetched from, or sent to, elsewhere.
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self' blob:; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine."""
    name = host.strip("[]").lower()
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


class Guard:
    """Lets through what may pass, and refuses the rest with a plain sentence.

    Parameters
    ----------
    app
        The application behind it.
    token
        What requests must carry, as the cookie that ``/?token=...`` sets; empty for none.
        Without one only this machine is served.
    most_bytes
        The largest request body.
    local
        Whether only this machine is served although there is a token.
    """

    def __init__(self, app: App, *, token: str = "", most_bytes: int, local: bool = False) -> None:
        self.app = app
        self._token = token
        self._local = local or not token
        self._most = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        reason = self._foreign(scope, headers)
        if reason:
            await _refuse(scope, receive, send, 403, reason)
            return
        if self._token and not self._known(headers):
            given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
            if scope["type"] == "http" and self._same(given):
                await _welcome(send, self._token)
            else:
                reason = "Open the whole address that the studio printed, with its token."
                await _refuse(scope, receive, send, 401, reason)
            return
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        if _length(headers) > self._most:
            await _refuse(scope, receive, send, 413, self._too_large(), more=True)
            return
        await self._limited(scope, receive, send)

    def _foreign(self, scope: Scope, headers: dict[str, str]) -> str:
        """Why a request is not from our own page; empty if it is."""
        host = headers.get("host", "")
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            name = ""
        if self._local and not is_loopback(name):
            return f"Requests for the host {host!r} are not answered here."
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return "Requests from other sites are refused."
        entering = (
            scope["type"] == "http"
            and scope["method"] == "GET"
            and headers.get("sec-fetch-mode") == "navigate"
            and scope["path"] == "/"
        )
        site = headers.get("sec-fetch-site", "same-origin")
        if site not in ("same-origin", "none") and not entering:
            return "Requests from other sites are refused."
        return ""

    def _known(self, headers: dict[str, str]) -> bool:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        return cookie is not None and self._same(cookie.value)

    def _same(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())

    def _too_large(self) -> str:
        return f"That is more than {self._most / 1e6:.0f} MB at once; send fewer or shorter clips."

    async def _limited(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, counting the body, whatever length was announced."""
        count = 0
        started = exceeded = more = False

        async def counted() -> MutableMapping[str, Any]:
            nonlocal count, exceeded, more
            message = await receive()
            count += len(message.get("body", b""))
            if count > self._most:
                exceeded, more = True, message.get("more_body", False)
                raise _TooLargeError
            return message

        async def headed(message: MutableMapping[str, Any]) -> None:
            nonlocal started
            if exceeded and not started:
                # What the application says about the error is not the reason for it.
                return
            if message["type"] == "http.response.start":
                started = True
                message = {**message, "headers": [*message.get("headers", []), *_HEADERS]}
            await send(message)

        with contextlib.suppress(_TooLargeError):
            await self.app(scope, counted, headed)
        if exceeded and not started:
            await _refuse(scope, receive, send, 413, self._too_large(), more=more)


class _TooLargeError(Exception):
    """The body went on after the limit."""


def _length(headers: dict[str, str]) -> int:
    text = headers.get("content-length", "0")
    return int(text) if text.isdigit() else 0


async def _refuse(
    scope: Scope, receive: Receive, send: Send, status: int, reason: str, *, more: bool = False
) -> None:
    """Refuse a request; with ``more``, one whose body is still to come."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": reason})
        return
    body = reason.encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        *_HEADERS,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": more})
    if more:
        # Many clients look for an answer only when they have sent everything.
        await _discard(receive)
        await send({"type": "http.response.body", "body": b""})


async def _discard(receive: Receive) -> None:
    """Let a body run dry, keeping nothing of it; without end it is not listened to."""
    count, more = 0, True
    while more and count < _MOST_DISCARDED:
        message = await receive()
        count += len(message.get("body", b""))
        more = message["type"] == "http.request" and message.get("more_body", False)


async def _welcome(send: Send, token: str) -> None:
    """Keep the token as a cookie and take it out of the address."""
    cookie = f"{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict".encode()
    headers = [(b"location", b"/"), (b"set-cookie", cookie), *_HEADERS]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
