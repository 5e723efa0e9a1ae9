"""Two clips joined by a spline, as one motion (Mukai, section 2.3)."""

from __future__ import annotations

from motionweave.core.arguments import check_arguments
from motionweave.core.motion import Motion
from motionweave.errors import BlendError
from motionweave.methods.subspace.fitting import subspace


def spline_transition(
    a: Motion,
    b: Motion,
    leave: int | None = None,
    enter: int | None = None,
    *,
    degree: int = 4,
    length: float | None = None,
    bias: float = 0.0,
    clean: bool = True,
    paper: bool = False,
) -> Motion:
    """Join two clips by a spline in their subspace.

    For several transitions between the same clips, make the subspace once with `subspace`.

    Parameters
    ----------
    a, b
        Clips with the same joints; ``b`` is converted to the body and frame rate of ``a``.
    leave, enter
        Last frame kept of ``a`` and first frame kept of ``b``; None for the best.
    degree
        2 to 6. A quadratic spline is quick and plain; 4 or more leaves room for follow-through and
        anticipation.
    length
        Length of the spline relative to the most direct one; longer splines swing further and take
        more time. None for one that looks good and lasts as long as the body needs.
    bias
        -1 to 1: below 0 more follow-through of the first clip, above 0 more anticipation of
        the second.
    clean
        Whether to plant the feet that stand during the transition.
    paper
        Exactly as published; see `subspace`.

    Returns
    -------
    Motion
        The first clip up to ``leave``, the transition, and the second clip from ``enter``.

    Raises
    ------
    BlendError
        If a frame is not in its clip, or degree, length or bias is out of range.

    Warns
    -----
    QualityWarning
        If half of a clip or more is cut off at automatically chosen frames, if the spline leads
        through poses that no clip contains, or if the result is rougher than its clips.

    Examples
    --------
    >>> import motionweave as mw
    >>> mw.spline_transition(mw.sample("landing"), mw.sample("jump"), 11, 24).name
    'landing to jump'
    """
    check_arguments(spline_transition, locals(), BlendError)
    made = subspace(a, b, paper=paper).transition(
        leave, enter, degree=degree, length=length, bias=bias, clean=clean
    )
    return made.motion
