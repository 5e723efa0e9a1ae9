"""Work in the background: the newest wins, errors become messages."""

from __future__ import annotations

import asyncio
import itertools
import threading
import warnings
from collections.abc import Callable

from motionweave.core.runtime.interrupt import checkpoint
from motionweave.errors import MotionError, QualityWarning
from motionweave.studio.work.jobs import Latest, Outcome, attempt, in_thread


async def until(condition: Callable[[], bool]) -> None:
    """Let the event loop run until a condition holds."""
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.001)


def test_the_newest_request_wins_and_none_runs_twice() -> None:
    started: list[int] = []
    done: list[int] = []

    async def main() -> None:
        busy: list[bool] = []
        latest = Latest(busy.append, patience=0.01)
        go = threading.Event()

        def work(number: int) -> int:
            started.append(number)
            go.wait(20)
            return number

        for number in range(5):
            latest.submit(lambda n=number: work(n), lambda o: done.append(o.value or 0))
            await until(lambda: started == [0])
        await until(lambda: busy == [True])
        go.set()
        await until(lambda: busy[-1:] == [False])
        assert busy == [True, False]

    asyncio.run(main())
    assert started == [0, 4]
    assert done == [0, 4]


def test_short_work_is_not_worth_mentioning() -> None:
    busy: list[bool] = []

    async def main() -> None:
        latest = Latest(busy.append, patience=5.0)
        done: list[Outcome[int]] = []
        latest.submit(lambda: 1, done.append)
        await until(lambda: len(done) == 1)

    asyncio.run(main())
    assert busy == []


def test_rest_comes_after_what_runs_and_what_waits() -> None:
    done: list[int] = []

    async def main() -> None:
        latest = Latest()
        await latest.rest()
        go = threading.Event()

        def work(number: int) -> int:
            go.wait(20)
            return number

        for number in (1, 2, 3):
            latest.submit(lambda n=number: work(n), lambda o: done.append(o.value or 0))
            await asyncio.sleep(0.01)
        resting = asyncio.ensure_future(latest.rest())
        await asyncio.sleep(0.01)
        assert not resting.done()
        go.set()
        async with asyncio.timeout(20):
            await resting
        assert done == [1, 3]
        # Nobody waits for what was given up.
        go.clear()
        latest.submit(lambda: work(4), lambda o: done.append(4))
        latest.cancel()
        async with asyncio.timeout(20):
            await latest.rest()
        go.set()

    asyncio.run(main())
    assert done == [1, 3]


def test_cancelled_work_says_nothing_more_and_nobody_waits_for_it() -> None:
    done: list[Outcome[int]] = []
    busy: list[bool] = []

    async def main() -> None:
        latest = Latest(busy.append, patience=0.0)
        started, go, ended = threading.Event(), threading.Event(), threading.Event()

        def deaf() -> int:
            started.set()
            go.wait(20)
            ended.set()
            return 1

        latest.submit(deaf, done.append)
        await until(started.is_set)
        await until(lambda: busy == [True])
        latest.cancel()
        assert busy == [True, False]
        latest.submit(lambda: 2, done.append)
        await until(lambda: len(done) == 1)
        assert not ended.is_set()
        go.set()
        await until(ended.is_set)
        latest.submit(lambda: 3, done.append)
        await until(lambda: len(done) == 2)

    asyncio.run(main())
    assert [outcome.value for outcome in done] == [2, 3]
    assert busy == [True, False] * (len(busy) // 2)


def test_cancelled_work_ends_at_its_next_step() -> None:
    done: list[Outcome[int]] = []

    async def main() -> None:
        latest = Latest()
        steps: list[int] = []
        ended = threading.Event()

        def work() -> int:
            try:
                for step in itertools.count():
                    checkpoint()
                    steps.append(step)
            finally:
                ended.set()
            return 0

        latest.submit(work, done.append)
        await until(lambda: bool(steps))
        latest.cancel()
        await until(ended.is_set)

    asyncio.run(main())
    assert done == []


def test_an_error_in_what_follows_does_not_end_all_work() -> None:
    done: list[int] = []

    def fails(outcome: Outcome[int]) -> None:
        done.append(outcome.value or 0)
        raise RuntimeError("in the page")

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
        latest = Latest()
        latest.submit(lambda: 1, fails)
        await until(lambda: done == [1])
        latest.submit(lambda: 2, lambda o: done.append(o.value or 0))
        await until(lambda: done == [1, 2])

    asyncio.run(main())


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
