"""Candidates of examples, kept in the store: the links of the match web.

What is found for an example is kept; the next time, only clips that were added since are searched.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from motionweave.errors import LibraryError
from motionweave.library.index.features import ClipTrack
from motionweave.library.index.folder import IndexedFolder
from motionweave.library.index.snapshot import Index
from motionweave.library.search.candidates import TEMPOS, Candidate, at_tempos
from motionweave.library.search.query import Query


def linked(library: IndexedFolder, example: ClipTrack, most: int, query: Query) -> list[Candidate]:
    """Candidates for an example: those known from the web, and those from the other clips.

    Parameters
    ----------
    library
        Where to look.
    example
        What to look for.
    most
        The largest number of candidates at each tempo.
    query
        Which roles are compared, and in which clips.
    """
    index, store, roles = library.index, library.store, query.roles
    if query.among is not None:
        return at_tempos(index, example, most, roles=roles, among=query.among)
    question = _question(example, most, roles)
    kept = store.linked(question)
    newest = store.newest()
    found: list[Candidate] = []
    fresh = np.ones(len(index), dtype=bool)
    if kept is not None:
        found = _unpacked(kept[1], index)
        fresh = np.array([entry.id > kept[0] for entry in index.entries], dtype=bool)
        if not fresh.any():
            return found
    found += at_tempos(index, example, most, roles=roles, among=None if fresh.all() else fresh)
    found = sorted(found, key=lambda one: (one.cost, one.clip, one.rows))[: len(TEMPOS) * most]
    # The web only saves time: without it (if another process is writing), everything is found too.
    with suppress(LibraryError), store.writing() as writer:
        writer.link(question, newest, _packed(found, index))
    return found


def _question(example: ClipTrack, most: int, roles: Sequence[str]) -> str:
    digest = hashlib.sha256(np.ascontiguousarray(example.points).tobytes())
    digest.update(np.ascontiguousarray(example.heading).tobytes())
    digest.update(repr((most, tuple(roles), TEMPOS)).encode())
    return digest.hexdigest()


def _packed(found: Sequence[Candidate], index: Index) -> bytes:
    blob = io.BytesIO()
    np.savez_compressed(
        blob,
        np.array([index.entries[one.clip].id for one in found], dtype=np.int64),
        np.array([one.path for one in found], dtype=np.int32),
        np.array([one.cost for one in found]),
        np.array([one.tempo for one in found]),
    )
    return blob.getvalue()


def _unpacked(blob: bytes, index: Index) -> list[Candidate]:
    """Candidates that were kept, without those in clips that are gone."""
    numbers = {entry.id: number for number, entry in enumerate(index.entries)}
    with np.load(io.BytesIO(blob)) as arrays:
        clips, paths, costs, tempos = (arrays[f"arr_{i}"] for i in range(4))
    return [
        Candidate(numbers[int(clip)], path.astype(np.int64), float(cost), float(tempo))
        for clip, path, cost, tempo in zip(clips, paths, costs, tempos, strict=True)
        if int(clip) in numbers
    ]
