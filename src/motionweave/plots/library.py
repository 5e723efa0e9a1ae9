"""A picture of a library's motion graph."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from motionweave.library.graph.graph import Graph
from motionweave.plots.figure import finish, new_figure, styled

# The most clips that are drawn: the best connected.
_MOST_CLIPS = 200


def graph_picture(graph: Graph, path: str | Path) -> None:
    """Clips around a circle in the order of the library, with a line for every connection.

    Parameters
    ----------
    graph
        What to draw; of many clips the best connected.
    path
        File to write (png, pdf, svg).
    """
    count = np.bincount(graph.clips[:, 0], minlength=len(graph.index))
    shown = np.sort(np.argsort(-count, kind="stable")[:_MOST_CLIPS])
    shown = shown[count[shown] > 0]
    angle = 2.0 * np.pi * np.arange(len(shown)) / max(len(shown), 1)
    places = np.column_stack([np.sin(angle), np.cos(angle)])
    number = np.full(len(graph.index), -1)
    number[shown] = np.arange(len(shown))
    pairs, times = np.unique(number[graph.clips], axis=0, return_counts=True)
    with styled():
        drawing = new_figure(8.0, 8.0)
        axes = drawing.add_subplot()
        for (a, b), junctions in zip(pairs, times, strict=True):
            if min(a, b) >= 0 and a != b:
                line = places[[a, b]]
                axes.plot(
                    *line.T, color="tab:blue", alpha=min(0.6, 0.05 * junctions), linewidth=0.6
                )
        axes.scatter(*places.T, s=4.0 + 40.0 * count[shown] / count.max(), color="tab:orange")
        if len(shown) <= 60:
            for clip, place in zip(shown, places, strict=True):
                name = Path(graph.index.entries[int(clip)].path).stem
                axes.annotate(name, 1.04 * place, fontsize=5, ha="center")
        axes.set_title(f"{len(shown)} clips, {len(graph)} junctions")
        axes.set_aspect("equal")
        axes.axis("off")
        finish(drawing, path)
