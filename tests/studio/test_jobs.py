"""Work in the background: the newest wins, errors become messages."""

from __future__ import annotations

import asyncio
import threading
import warnings

from motionweave.errors import MotionError, QualityWarning
from motionweave.studio.jobs import Latest, Outcome, attempt, in_thread


def test_the_newest_request_wins_and_none_runs_twice() -> None:
    started: list[int] = []
    done: list[int] = []

    async def main() -> None:
        busy: list[bool] = []
        latest = Latest(busy.append)
        go = threading.Event()

        def work(number: int) -> int:
            started.append(number)
            go.wait(5)
            return number

        for number in range(5):
            latest.submit(lambda n=number: work(n), lambda o: done.append(o.value or 0))
            await asyncio.sleep(0.02)
        go.set()
        while busy[-1:] != [False]:
            await asyncio.sleep(0.01)
        assert busy == [True, False]

    asyncio.run(main())
    assert started == [0, 4]
    assert done == [0, 4]


def test_cancelled_work_says_nothing_more() -> None:
    done: list[Outcome[int]] = []

    async def main() -> None:
        latest = Latest()
        go = threading.Event()
        latest.submit(lambda: go.wait(5) and 1, done.append)
        await asyncio.sleep(0.05)
        latest.cancel()
        go.set()
        await asyncio.sleep(0.1)
        latest.submit(lambda: 2, done.append)
        await asyncio.sleep(0.1)

    asyncio.run(main())
    assert [outcome.value for outcome in done] == [2]


def test_errors_and_warnings_become_messages() -> None:
    def bad() -> int:
        warnings.warn("feet slide", QualityWarning, stacklevel=1)
        warnings.warn("feet slide", QualityWarning, stacklevel=1)
        raise MotionError("no such frame")

    outcome = attempt(bad)
    assert outcome.value is None
    assert outcome.error == "no such frame"
    assert outcome.warnings == ("feet slide",)


def test_warnings_of_threads_are_not_mixed_up() -> None:
    def warning(text: str) -> str:
        for _ in range(20):
            warnings.warn(text, QualityWarning, stacklevel=1)
        return text

    async def main() -> None:
        texts = [f"w{i}" for i in range(8)]
        outcomes = await asyncio.gather(*(in_thread(lambda t=t: warning(t)) for t in texts))
        assert [outcome.warnings for outcome in outcomes] == [(text,) for text in texts]

    asyncio.run(main())
