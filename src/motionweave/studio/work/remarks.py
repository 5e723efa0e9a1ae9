"""What the library says about a result, as the studio says it: plainly, with a place to go to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from motionweave.errors import Kind, Notice
from motionweave.measure.finding import Finding, FindingKind

# What each kind of finding is, about a joint.
_SAID: dict[FindingKind, str] = {
    "acceleration": "{joint} moves abruptly",
    "twist": "{joint} twists hard",
    "knee": "{joint} bends backwards",
    "floor": "{joint} goes into the floor",
    "slide": "{joint} slides over the floor",
    "drift": "{joint} drifts while it is planted",
    "speed": "The body lurches",
    "path": "The body takes another path than the clips",
    "contacts": "The feet lost their contacts",
}
# What is said about warnings of these kinds; nothing where it is told elsewhere: doubts about a
# registration belong to it, and are told with every blend of it.
KNOWN_WARNINGS: dict[Kind, str | None] = {
    Kind.FEET_LEFT_ALONE: "The feet are not planted, because that would make the motion worse",
    Kind.DOUBTFUL_MATCH: None,
}
# A clause that names a parameter, a function or an option of the library: use slope_limit=7,
# ends='free'; mw.travel, or convert --travel.
_PYTHON = re.compile(r"\w+=|\(\w+\)|`|\b[a-z]+_[a-z_]+\b|\bmw\.\w|--\w")
_QUOTED = re.compile(r"'[^']+'(?!\w)")


@dataclass(frozen=True)
class Remark:
    """One thing to know about a result.

    Parameters
    ----------
    text
        In a few words of the studio.
    details
        As the library says it.
    frame, joint
        Where to look; None where it is not about a place. A joint may be a kind of contact,
        such as ``left_heel``.
    notice
        Whether it only says what was done, and nothing is doubtful.
    """

    text: str
    details: str = ""
    frame: int | None = None
    joint: str | None = None
    notice: bool = False


def remark_of(warning: Warning | str) -> Remark | None:
    """The remark for a warning of the library; None for one that is told elsewhere."""
    message, kind = str(warning), getattr(warning, "kind", None)
    said = None if kind is None else KNOWN_WARNINGS[kind]
    if kind is not None and said is None:
        return None
    finding = getattr(warning, "finding", None)
    if not isinstance(finding, Finding):
        return Remark(plain(message), message, notice=isinstance(warning, Notice))
    joint = finding.joint
    text = said or _SAID.get(finding.kind, "{joint} looks doubtful")
    return Remark(text.format(joint=_named(joint)), message, finding.frame, joint)


def doubts_of(doubts: Sequence[str]) -> tuple[Remark, ...]:
    """What a registration doubts about itself, each a remark of its own."""
    # Where in the match something is, its parameter, is a time like any other here.
    said = [doubt.replace(" at u = ", " at ") for doubt in doubts]
    return tuple(
        Remark(text[:1].upper() + text[1:], doubt) for text, doubt in zip(said, doubts, strict=True)
    )


def plain(message: str) -> str:
    """A message without the clauses that speak of the library's parameters, as a sentence."""
    # Names of clips and files may be spelt like a parameter, and contain commas.
    unnamed = _QUOTED.sub(lambda name: "'" * len(name[0]), message)
    ends = [0, *(gap.end() for gap in re.finditer(r"(?<=[;:,])\s+", unnamed)), len(message)]
    kept = [message[a:b] for a, b in pairwise(ends) if not _PYTHON.search(unnamed[a:b])]
    text = "".join(kept).rstrip(";:, ")
    return text[:1].upper() + text[1:]


def _named(joint: str | None) -> str:
    words = (joint or "a joint").replace("_", " ")
    return words[:1].upper() + words[1:]
