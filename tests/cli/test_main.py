"""What the command line says about words that it does not understand."""

from __future__ import annotations

import pytest

from motionweave.cli.main import main


def refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    try:
        code = main(words)
    except SystemExit as error:
        code = int(error.code or 0)
    assert code == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err


def test_nothing_asked_for_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert "transition" in refused([], capsys)


@pytest.mark.parametrize("words", [["blnd", "a.bvh"], ["blnd", "samples"]])
def test_a_misspelt_verb_is_suggested(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    expected = "motionweave: there is no verb 'blnd'; did you mean blend?\n"
    assert refused(words, capsys) == expected


def test_an_unknown_argument_leads_to_the_help_of_its_verb(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = refused(["convert", "a.bvh", "-o", "b", "--to", "glb"], capsys)
    assert said == "motionweave: --to glb is not an argument of convert; " + (
        "see motionweave convert --help\n"
    )
