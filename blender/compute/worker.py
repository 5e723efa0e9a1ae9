"""The process beside Blender: reads jobs from its input and writes replies to its output.

Started as a script by a Python that has motionweave; it ends when its input does.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Any


def main() -> None:
    # Replies have the pipe to themselves: whatever prints goes to the other one.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.path.append(str(Path(__file__).resolve().parents[1]))
    from compute import wire

    while True:
        message = wire.receive(sys.stdin.buffer)
        if message is None:
            return
        wire.send(output, _reply(message))


def _reply(message: bytes) -> bytes:
    from compute import wire

    values: dict[str, Any]
    try:
        from compute import jobs

        request, takes = wire.unpacked(message)
        reply = jobs.run(request["job"], takes, request["values"])
        values = {"values": reply.values, "messages": reply.messages}
        return wire.packed(values, reply.takes)
    except Exception as error:
        values = {"error": str(error), "kind": type(error).__name__}
        if not _is_ours(error):
            values["trace"] = traceback.format_exc()
        return wire.packed(values, [])


def _is_ours(error: Exception) -> bool:
    """Whether it is a message of motionweave to the user, not a fault."""
    errors = sys.modules.get("motionweave.errors")
    return errors is not None and isinstance(error, errors.MotionweaveError)


if __name__ == "__main__":
    main()
