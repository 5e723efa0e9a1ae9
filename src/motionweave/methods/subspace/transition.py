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
    part: str | None = None,
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
    part
        A part of the body that alone changes to ``b``, such as ``"upper"`` or ``"arms"``; see
        `layer`. The legs and the path of ``a`` go on below it, and where ``b`` ends before ``a``,
        the part returns to ``a``.

    Returns
    -------
    Motion
        The first clip up to ``leave``, without a T-pose in front, the transition, and the second
        clip from ``enter``. With a ``part``, the first clip with that part of the others.

    Raises
    ------
    BlendError
        If a frame is not in its clip, degree, length or bias is out of range, or the part contains
        legs.
    RigError
        If the skeleton has no such part.

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
    >>> walk = mw.sample("walk")
    >>> waving = mw.spline_transition(walk, mw.sample("reach_high"), 20, 10, part="arms")
    >>> len(waving) == len(walk)
    True
    """
    check_arguments(spline_transition, locals(), BlendError)
    made = subspace(a, b, paper=paper, part=part).transition(
        leave, enter, degree=degree, length=length, bias=bias, clean=clean
    )
    return made.motion
