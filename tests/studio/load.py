"""Many tabs at once, and bad company: ``python -m tests.studio.load [CLIENTS] [SECONDS] [ROUNDS]``.

Tabs are opened as a browser does it, with the page, its style and a socket, and stay for a while,
asking for things. Meanwhile uploads come that are broken, that are slow, and that end in the
middle. Then tabs are opened and closed in rounds, and memory is looked at.
"""

from __future__ import annotations

import ast
import asyncio
import re
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field

import aiohttp
import socketio

from motionweave.studio.server.guard import COOKIE
from tests.studio.process import Server


@dataclass
class Report:
    """What many tabs at once were given.

    Parameters
    ----------
    tabs
        How many were open at once.
    waits
        Seconds that each request took.
    refused
        Requests that were not answered as they should be.
    lost
        Tabs whose socket was closed by the server.
    memory
        Megabytes that the server held: before, with all tabs, and after each round.
    """

    tabs: int = 0
    waits: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    lost: int = 0
    memory: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        waits = sorted(self.waits)
        worst, usual = waits[-1], waits[len(waits) // 2]
        return (
            f"{self.tabs} tabs, {len(waits)} requests, {len(self.refused)} refused, "
            f"{self.lost} tabs lost; waits: median {usual:.3f} s, longest {worst:.2f} s; "
            f"memory in MB: {', '.join(f'{one:.0f}' for one in self.memory)}"
        )


class Tab:
    """A tab of a browser."""

    def __init__(self, server: Server, http: aiohttp.ClientSession, report: Report) -> None:
        self.server, self.http, self.report = server, http, report
        self.socket = socketio.AsyncClient(reconnection=False, http_session=http)
        self.closed = False
        self.socket.on("disconnect", self._gone)

    def _gone(self, *_: object) -> None:
        self.report.lost += not self.closed

    async def get(self, path: str) -> str:
        start = time.perf_counter()
        async with self.http.get(self.server.address.rstrip("/") + path) as answer:
            text = await answer.text()
            if answer.status != 200:
                self.report.refused.append(f"{path}: {answer.status}")
        self.report.waits.append(time.perf_counter() - start)
        return text

    async def open(self) -> None:
        """Fetch the page and shake hands, as its script does."""
        text = await self.get("/")
        said = re.search(r"query: (\{.*?\}),", text)
        assert said is not None
        query = {
            **ast.literal_eval(said[1]),
            "tab_id": f"t{id(self)}",
            "document_id": f"d{id(self)}",
        }
        query["implicit_handshake"] = "true"
        words = "&".join(f"{key}={value}" for key, value in query.items())
        try:
            await self.socket.connect(
                f"{self.server.address}?{words}",
                socketio_path="/_nicegui_ws/socket.io",
                transports=["websocket"],
                wait_timeout=60,
            )
        except socketio.exceptions.ConnectionError as error:
            self.report.refused.append(f"socket: {error}")

    async def close(self) -> None:
        self.closed = True
        await self.socket.disconnect()


def http(server: Server) -> aiohttp.ClientSession:
    """What speaks to the server, with its token."""
    return aiohttp.ClientSession(
        cookies={COOKIE: server.token},
        cookie_jar=aiohttp.CookieJar(unsafe=True),
        # The server may close a connection that is kept at the moment it is used again.
        connector=aiohttp.TCPConnector(limit=0, force_close=True),
        timeout=aiohttp.ClientTimeout(total=300),
    )


async def crowd(server: Server, clients: int, seconds: float) -> Report:
    """Many tabs at once, each asking for something every second, beside bad uploads."""
    report = Report(clients, memory=[server.memory()])
    async with http(server) as session:
        tabs = [Tab(server, session, report) for _ in range(clients)]
        company = asyncio.create_task(bad_company(server, session))
        # People come one after the other, not in the same instant.
        doors = asyncio.Semaphore(8)

        async def enter(tab: Tab) -> None:
            async with doors:
                await tab.open()

        await asyncio.gather(*(enter(tab) for tab in tabs))

        async def stay(tab: Tab) -> None:
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                await tab.get("/studio.css")
                await asyncio.sleep(1.0)

        await asyncio.gather(*(stay(tab) for tab in tabs))
        report.memory.append(server.memory())
        company.cancel()
        with suppress(asyncio.CancelledError):
            await company
        await asyncio.gather(*(tab.close() for tab in tabs))
    return report


async def bad_company(server: Server, session: aiohttp.ClientSession) -> None:
    """Uploads without end that are broken, slow, or end in the middle."""
    address = server.address.rstrip("/") + "/upload"
    head = b'--edge\r\nContent-Disposition: form-data; name="files"; filename="slow.bvh"\r\n\r\n'
    form = {"Content-Type": "multipart/form-data; boundary=edge"}

    async def slowly() -> AsyncIterator[bytes]:
        yield head
        for _ in range(600):
            yield b"HIERARCHY "
            await asyncio.sleep(0.1)

    slow = [
        asyncio.create_task(session.post(address, data=slowly(), headers=form).__aenter__())
        for _ in range(5)
    ]
    try:
        while True:
            _, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(
                f"POST /upload HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nCookie: {COOKIE}="
                f"{server.token}\r\nContent-Type: {form['Content-Type']}\r\n"
                "Content-Length: 100000\r\n\r\n".encode()
                + head
            )
            await writer.drain()
            writer.close()
            async with session.post(address, data=head + b"\r\n--nonsense", headers=form) as answer:
                assert answer.status == 400, answer.status
            await asyncio.sleep(0.2)
    finally:
        for one in slow:
            one.cancel()
        await asyncio.gather(*slow, return_exceptions=True)


async def comings_and_goings(server: Server, sessions: int, rounds: int) -> Report:
    """Tabs opened and closed, some at a time; memory after each round."""
    report = Report(memory=[server.memory()])
    async with http(server) as session:
        for _ in range(rounds):
            tabs = [Tab(server, session, report) for _ in range(sessions)]
            for tab in tabs:
                await tab.open()
            await asyncio.gather(*(tab.close() for tab in tabs))
            # A tab may come back for half a minute; only then is it forgotten.
            await asyncio.sleep(FORGOTTEN)
            report.memory.append(server.memory())
            report.tabs += sessions
    return report


# Seconds after which the server has forgotten a tab that was closed.
FORGOTTEN = 36.0


def main(clients: int = 200, seconds: float = 60.0, rounds: int = 3) -> None:
    server = Server()
    try:
        print(asyncio.run(crowd(server, clients, seconds)), flush=True)
        time.sleep(FORGOTTEN)
        print(asyncio.run(comings_and_goings(server, 50, rounds)), flush=True)
    finally:
        server.stop()
    print(f"{server.log.count('Traceback')} errors in the log")
    print(server.log[-3000:])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
