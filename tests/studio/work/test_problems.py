"""What the library complains of, as the studio shows it: by its kind, not by its words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import motionweave
from motionweave.errors import (
    BlendError,
    Kind,
    MotionweaveError,
    Notice,
    QualityWarning,
    RegistrationError,
    RigError,
)
from motionweave.measure.finding import Finding
from motionweave.registration.register import register
from motionweave.samples.clips import sample
from motionweave.studio.screens import SCREENS
from motionweave.studio.work.problems import KNOWN_ERRORS, problem_of
from motionweave.studio.work.remarks import KNOWN_WARNINGS, remark_of
from tests.body.normalize.test_quadrupeds import dog, filed
from tests.studio.documents import document_with

# Screens on which an error of a kind can come up, with settings that lead to it.
MET: dict[Kind, dict[str, dict[str, Any]]] = {
    Kind.ENDS_DIFFER: {"blend": {"ends": "fixed"}},
    Kind.NO_STRETCH: {"blend": {"ends": "free"}},
    Kind.NO_CYCLE: {"blend": {"cyclic": True}, "framespace": {}},
    Kind.TOO_SHORT: {"blend": {}, "spline": {}},
    Kind.NO_ROOM: {"transition": {"at": (0, 0)}},
    Kind.SEAMS_MEET: {"sequence": {"keep": "all"}},
    Kind.T_POSE: {"spline": {"leave": 0}},
}


def test_every_kind_is_known_and_is_set_where_a_message_is_made() -> None:
    assert set(KNOWN_ERRORS) | set(KNOWN_WARNINGS) == set(Kind)
    assert not set(KNOWN_ERRORS) & set(KNOWN_WARNINGS)
    root = Path(motionweave.__file__).parent
    shown = {root / "errors.py", *(root / "studio/work").glob("*.py")}
    sources = "".join(
        path.read_text(encoding="utf-8") for path in root.rglob("*.py") if path not in shown
    )
    assert [kind for kind in Kind if f"Kind.{kind.name}" not in sources] == []


@pytest.mark.parametrize(
    ("kind", "screen"), [(kind, screen) for kind, screens in MET.items() for screen in screens]
)
def test_an_error_of_a_known_kind_has_a_sentence_and_a_button_that_helps(
    kind: Kind, screen: str
) -> None:
    cls = next(one for one in SCREENS if one.name == screen)
    settings = replace(cls.with_clips(cls.Settings(), ("c1", "c2")), **MET[kind][screen])
    document = document_with(["walk", "jog"], screen, settings)
    problem = problem_of(BlendError("walk: any words", kind=kind), screen, document)
    assert problem.sentence == KNOWN_ERRORS[kind].format(names="walk and jog", one="walk")
    assert problem.remedies
    for remedy in problem.remedies:
        assert kind not in remedy.vain
        assert remedy.apply(document).settings[screen] != settings


def test_words_alone_say_nothing() -> None:
    document = document_with(
        ["walk", "jog"], "blend", SCREENS[0].Settings(clips=("c1", "c2"), ends="fixed")
    )
    same = [
        problem_of(RegistrationError(words), "blend", document)
        for words in ("they cannot match from end to end", "something else")
    ]
    assert same[0].sentence == same[1].sentence
    labels = [[remedy.label for remedy in problem.remedies] for problem in same]
    assert labels[0] == labels[1]


def test_what_leads_into_a_problem_is_not_offered_against_it() -> None:
    settings = SCREENS[0].Settings(clips=("c1", "c2"), ends="free")
    document = document_with(["walk", "jog"], "blend", settings)

    def offered(kind: Kind | None) -> set[str]:
        problem = RegistrationError("no", kind=kind)
        return {remedy.label for remedy in problem_of(problem, "blend", document).remedies}

    assert "Treat as cycles" in offered(None)
    assert "Treat as cycles" not in offered(Kind.NO_CYCLE)
    assert "Use whole clips" not in offered(Kind.ENDS_DIFFER)


def test_bodies_that_do_not_correspond_are_told_shortly_and_nothing_vain_is_offered(
    tmp_path: Path,
) -> None:
    with pytest.raises(RigError) as raised:
        register(sample("walk"), motionweave.load(filed(dog(), tmp_path)))
    assert raised.value.kind is Kind.OTHER_BODY
    for names, labels in (
        (["walk", "jog"], []),
        (["walk", "jog", "sneak"], ["Only walk and jog"]),
    ):
        ids = tuple(f"c{i + 1}" for i in range(len(names)))
        document = document_with(names, "blend", SCREENS[0].Settings(clips=ids))
        problem = problem_of(raised.value, "blend", document)
        assert "too different" in problem.sentence
        assert len(problem.sentence) < 140
        assert [remedy.label for remedy in problem.remedies] == labels


def test_the_library_says_which_kind_it_is() -> None:
    walk = sample("walk")
    for clips, ends, kind in (
        ((walk, walk[:10]), "fixed", Kind.ENDS_DIFFER),
        ((walk, walk[:1]), "auto", Kind.TOO_SHORT),
        ((walk, sample("jump")[:40]), "cyclic", Kind.NO_CYCLE),
    ):
        with pytest.raises(MotionweaveError) as raised:
            register(*clips, ends=ends)
        assert raised.value.kind is kind


def test_warnings_are_told_by_their_kind() -> None:
    finding = Finding("acceleration", "Head accelerates", 12, "Head", 2.0, 1.0)
    jump = remark_of(QualityWarning("the feet were not planted", finding))
    assert jump is not None
    assert jump.text == "Head moves abruptly"
    left = remark_of(QualityWarning("any words", finding, kind=Kind.FEET_LEFT_ALONE))
    assert left is not None
    assert left.text.startswith("The feet are not planted")
    assert (left.frame, left.details) == (12, "any words")
    # Doubts about a registration are told with every blend of it.
    assert remark_of(QualityWarning("any words", kind=Kind.DOUBTFUL_MATCH)) is None
    assert remark_of(Notice("doubtful registration")) is not None


def test_a_clip_may_be_called_like_a_parameter() -> None:
    said = "clip 'walk_fast, left' has a different skeleton; give ends='free', or use `fit`"
    remark = remark_of(Notice(said))
    assert remark is not None
    assert remark.notice
    assert remark.text == "Clip 'walk_fast, left' has a different skeleton"


def test_what_only_python_and_the_command_line_can_do_is_not_proposed() -> None:
    said = "clip 'walk' walks in place, so feet will slide; make it travel first (mw.travel, or "
    remark = remark_of(QualityWarning(f"{said}convert --travel)"))
    assert remark is not None
    assert remark.text == "Clip 'walk' walks in place, so feet will slide"
