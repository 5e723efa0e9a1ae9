"""The common look of all figures: fonts, colours, and how a figure is opened and saved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from motionweave.errors import FormatError, MissingDependencyError

INK = "#22262b"
FAINT = "#9aa3ad"
GRID = "#e3e7eb"
LEFT = "#2f6fb3"
RIGHT = "#d0672b"
MIDDLE = "#5d6670"
CONTACT = "#2e9e5b"
# Colours that are distinct in print and to most eyes.
SERIES = ("#2f6fb3", "#d0672b", "#2e9e5b", "#8a57b0", "#b8912a", "#c4456b", "#3a9aa8", "#6b7280")

_STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["Inter", "Source Sans 3", "Helvetica", "Arial", "DejaVu Sans"],
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9.0,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.8,
    "ytick.major.width": 0.8,
    "xtick.major.size": 3.0,
    "ytick.major.size": 3.0,
    "lines.linewidth": 1.4,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "figure.dpi": 110,
    "savefig.dpi": 160,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
}


def plotting() -> Any:
    """The matplotlib package; a `MissingDependencyError` says how to install it."""
    try:
        import matplotlib
    except ImportError:
        raise MissingDependencyError("drawing figures", "plots") from None
    return matplotlib


@contextmanager
def styled() -> Iterator[None]:
    """Everything drawn inside has motionweave's look; the user's settings are restored."""
    matplotlib = plotting()
    # Fonts of the list that are not installed need no mention.
    import logging

    logger = logging.getLogger("matplotlib.font_manager")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with matplotlib.rc_context(_STYLE):
            yield
    finally:
        logger.setLevel(level)


def new_figure(width: float, height: float) -> Any:
    """An empty figure in inches, without a window."""
    plotting()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def finish(figure: Any, path: str | Path | None) -> Any:
    """Write the figure to ``path`` if one is given (png, pdf, svg ...); returns the figure."""
    if path is not None:
        target = Path(path)
        known = figure.canvas.get_supported_filetypes()
        suffix = target.suffix.lower().lstrip(".")
        if suffix not in known:
            raise FormatError(
                f"cannot draw a {target.suffix or 'file without suffix'}: "
                "give the file a name that ends in .png, .pdf, .svg or .jpg",
                target,
            )
        from motionweave.io.store.atomic import atomic_path

        with styled(), atomic_path(target) as temporary:
            figure.savefig(temporary, format=suffix)
    return figure


def mix(colour: str, other: str, share: float) -> tuple[float, float, float]:
    """``colour`` with a share of ``other`` in it."""
    from matplotlib.colors import to_rgb

    a, b = to_rgb(colour), to_rgb(other)
    return tuple((1.0 - share) * x + share * y for x, y in zip(a, b, strict=True))  # type: ignore[return-value]
