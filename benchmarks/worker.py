"""Runs inside the peers' own virtual environment: does one peer's work when told to.

Reads one JSON request a line from standard input and answers each with one JSON line:
``{"task": name, "args": {...}}`` prepares a task, ``{"run": true}`` does it once and
answers with the processor time it took. Knows nothing of motionweave.
"""

from __future__ import annotations

import json
import sys
import time


def load_pymotion(path):
    from pymotion.io.bvh import BVH

    return lambda: BVH().load(path)


def load_bvhio(path):
    import bvhio

    return lambda: bvhio.readAsHierarchy(path)


def load_fairmotion(path):
    from fairmotion.data import bvh

    return lambda: bvh.load(path)


def forward_pymotion(path):
    import numpy as np
    from pymotion.ops.skeleton import fk

    data = np.load(path)
    # Scalar first.
    rotations = np.roll(data["rotations"], 1, axis=-1)
    return lambda: fk(rotations, data["root"], data["offsets"], data["parents"])


def dtw_python(path):
    import numpy as np
    from dtw import dtw, stepPattern

    cost = np.load(path)
    return lambda: dtw(cost, step_pattern=stepPattern.symmetricP05, distance_only=False)


def dtw_librosa(path):
    import librosa
    import numpy as np

    cost = np.load(path)
    return lambda: librosa.sequence.dtw(C=cost)


def dtw_tslearn(path):
    import numpy as np
    from tslearn.metrics import dtw_path_from_metric

    cost = np.load(path)
    return lambda: dtw_path_from_metric(cost, metric="precomputed")


def dtw_dtaidistance(path):
    import numpy as np
    from dtaidistance import dtw

    cost = np.load(path)
    one, two = np.ascontiguousarray(cost[0]), np.ascontiguousarray(cost[:, 0])
    return lambda: dtw.warping_path_fast(one, two)


TASKS = {
    f.__name__: f
    for f in (
        load_pymotion,
        load_bvhio,
        load_fairmotion,
        forward_pymotion,
        dtw_python,
        dtw_librosa,
        dtw_tslearn,
        dtw_dtaidistance,
    )
}


def main():
    answers = sys.stdout
    sys.stdout = sys.stderr  # peers that print must not spoil the answers
    work = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "task" in request:
                work = TASKS[request["task"]](**request["args"])
                answer = {"ready": True}
            else:
                began = time.process_time()
                work()
                answer = {"seconds": time.process_time() - began}
        except Exception as error:  # whatever a peer does, the run goes on and says so
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
