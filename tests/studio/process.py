"""A studio in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from motionweave.studio.files.autosave import VARIABLE


class Server:
    """A running studio; ``arguments`` are those of the command line.

    ``state`` is the folder of what it keeps between runs, by default one of its own.
    """

    def __init__(self, *arguments: str, port: int = 0, state: Path | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name) if state is None else state
        code = "import sys; from motionweave.cli.main import main; sys.exit(main())"
        words = ["studio", "--no-browser", "--port", str(port), *arguments]
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, VARIABLE: str(folder)},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if "http://" not in line:
            raise RuntimeError(f"the studio did not start: {line}{self.process.communicate()[1]}")
        #: What a browser opens, and what it is without its token.
        self.entrance = line.split()[-1]
        self.address, _, self.token = self.entrance.partition("?token=")
        self._log: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        self._log.extend(self.process.stderr)

    @property
    def port(self) -> int:
        return int(self.address.split("?")[0].rstrip("/").rpartition(":")[2])

    @property
    def log(self) -> str:
        """What it said on its standard error so far."""
        return "".join(self._log)

    @contextmanager
    def frugal(self, megabytes: int) -> Iterator[None]:
        """Fails if it needs more memory inside than that on top (where the system can tell)."""
        if sys.platform != "linux":
            yield
            return
        # 5: forget the most memory that was ever in use.
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")
        before = self._memory("VmRSS")
        yield
        needed = (self._memory("VmHWM") - before) / 1e6
        assert needed < megabytes, f"{needed:.0f} MB"

    def memory(self) -> float:
        """Megabytes that it holds; zero where the system does not tell."""
        return self._memory("VmRSS") / 1e6 if sys.platform == "linux" else 0.0

    def _memory(self, what: str) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith(what))
        return 1024 * int(line.split()[1])

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)

    def kill(self) -> None:
        """End it without a chance to tidy up."""
        self.process.kill()
        self.process.wait(timeout=20)
