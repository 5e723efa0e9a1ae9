"""A studio in a process of its own: what it refuses, and that it goes on afterwards."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator

import pytest

from motionweave.studio.files.upload import MOST_BYTES
from motionweave.studio.server.guard import COOKIE
from tests.studio.malformed import MEGABYTE, bomb, broken_files, whole
from tests.studio.process import Server

pytest.importorskip("nicegui", reason="the studio is not installed")

# Megabytes.
LARGE = 200


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    one = Server()
    yield one
    one.stop()
    assert "Traceback" not in one.log


def ask(
    server: Server,
    path: str = "/",
    *,
    method: str = "GET",
    headers: dict[str, str] | None = None,
    body: bytes | Iterator[bytes] | None = None,
) -> tuple[int, str]:
    """Status and text of an answer."""
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    known = {"Cookie": f"{COOKIE}={server.token}", **(headers or {})}
    try:
        line.request(method, path, body=body, headers=known)
        answer = line.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    finally:
        line.close()


def multipart(files: dict[str, bytes]) -> tuple[dict[str, str], bytes]:
    """Headers and body of a form with files."""
    parts = []
    for name, data in files.items():
        quoted = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        head = (
            f'--edge\r\nContent-Disposition: form-data; name="files"; filename="{quoted}"\r\n\r\n'
        )
        parts.append(head.encode() + data + b"\r\n")
    body = b"".join(parts) + b"--edge--\r\n"
    return {"Content-Type": "multipart/form-data; boundary=edge"}, body


def send(server: Server, files: dict[str, bytes]) -> tuple[int, str]:
    headers, body = multipart(files)
    return ask(server, "/upload", method="POST", headers=headers, body=body)


@pytest.mark.parametrize("announced", [False, True])
def test_a_large_upload_is_refused_and_not_kept(server: Server, announced: bool) -> None:
    headers, body = multipart({"large.bvh": b""})
    head, tail = body.split(b"\r\n\r\n")
    if announced:
        size = len(head) + 4 + LARGE * len(MEGABYTE) + len(tail)
        headers["Content-Length"] = str(size)

    def parts() -> Iterator[bytes]:
        yield head + b"\r\n\r\n"
        for _ in range(LARGE):
            yield MEGABYTE
        yield tail

    with server.frugal(megabytes=30):
        status, said = ask(server, "/upload", method="POST", headers=headers, body=parts())
    assert status == 413
    assert f"{MOST_BYTES / 1e6:.0f} MB" in said
    assert ask(server, "/studio.css")[0] == 200


@pytest.mark.parametrize("name", broken_files())
def test_a_malformed_clip_is_taken_as_broken(server: Server, name: str) -> None:
    assert send(server, {name: broken_files()[name]}) == (200, "added")


@pytest.mark.parametrize(
    "content",
    [b"", b"no zip", bomb("project.json"), whole("walk.npz"), bomb("registration.json", 1)],
    ids=["empty", "text", "bomb", "another archive", "a registration"],
)
def test_a_malformed_project_is_refused(server: Server, content: bytes) -> None:
    with server.frugal(megabytes=30):
        status, said = send(server, {"mine.mwproj": content})
    assert status == 400
    assert "project" in said or "MB" in said
    assert ask(server, "/studio.css")[0] == 200


def test_forms_that_are_none_are_refused(server: Server) -> None:
    form = {"Content-Type": "multipart/form-data; boundary=edge"}
    for headers, body in (
        (form, b"--edge\r\nnonsense"),
        (form, b"--edge--\r\n"),
        ({"Content-Type": "multipart/form-data"}, b"x"),
        ({"Content-Type": "text/plain"}, b"x"),
        (form, b'--edge\r\nContent-Disposition: form-data; name="files"\r\n\r\nx\r\n--edge--\r\n'),
    ):
        assert ask(server, "/upload", method="POST", headers=headers, body=body)[0] == 400
    assert send(server, {f"{i}.bvh": b"x" for i in range(61)})[0] == 400


def handshake(server: Server, **headers: str) -> str:
    """The first line of the answer to a request for a websocket."""
    own = f"127.0.0.1:{server.port}"
    lines = {
        "Host": own,
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw==",
        "Sec-WebSocket-Version": "13",
        "Origin": f"http://{own}",
        "Cookie": f"{COOKIE}={server.token}",
        **headers,
    }
    text = "GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n"
    text += "".join(f"{name}: {value}\r\n" for name, value in lines.items()) + "\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
        line.sendall(text.encode())
        with line.makefile("rb") as answer:
            return answer.readline().decode()


def test_other_sites_and_names_are_refused(server: Server) -> None:
    evil = {"Origin": "https://evil.example"}
    headers, body = multipart({"a.bvh": b"x"})
    assert ask(server, "/upload", method="POST", headers={**headers, **evil}, body=body)[0] == 403
    assert ask(server, headers={"Host": "evil.example"})[0] == 403
    assert ask(server, headers={"Host": f"evil.example:{server.port}"})[0] == 403
    assert " 101 " in handshake(server)
    assert " 403 " in handshake(server, **evil)
    assert " 403 " in handshake(server, Host="evil.example", Origin="http://evil.example")


def test_other_users_of_this_machine_are_refused_and_nothing_is_fetched_from_elsewhere(
    server: Server,
) -> None:
    assert ask(server, headers={"Cookie": ""})[0] == 401
    assert " 403 " in handshake(server, Cookie="")
    assert ask(server, f"/?token={server.token}", headers={"Cookie": ""})[0] == 303
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    line.request("GET", "/studio.css", headers={"Cookie": f"{COOKIE}={server.token}"})
    policy = line.getresponse().getheader("Content-Security-Policy") or ""
    line.close()
    assert "default-src 'self'" in policy
    assert "http" not in policy


def test_listening_elsewhere_needs_a_token() -> None:
    server = Server("--host", "0.0.0.0")
    try:
        token = server.token
        stranger = {"Cookie": ""}
        assert len(token) >= 20
        assert ask(server, headers=stranger)[0] == 401
        assert ask(server, "/motion/1", headers=stranger)[0] == 401
        assert ask(server, "/?token=guess", headers=stranger)[0] == 401
        assert " 403 " in handshake(server, Cookie="")
        assert ask(server, f"/?token={token}", headers=stranger)[0] == 303
        assert ask(server, headers={"Cookie": f"{COOKIE}={token}"})[0] == 200
        assert " 101 " in handshake(server, Cookie=f"{COOKIE}={token}")
        assert "anyone who has this address" in server.log
    finally:
        server.stop()
