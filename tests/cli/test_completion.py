"""Scripts that complete commands: everything the parsers know is in them, and shells take them."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from motionweave.cli.completion import SCRIPTS, commands
from motionweave.cli.examples import EXAMPLES
from motionweave.cli.main import VERBS, main


@pytest.mark.parametrize("shell", sorted(SCRIPTS))
def test_every_verb_and_option_is_in_the_script(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for command in commands():
        assert all(word in script for word in command.words)
        for option in command.options:
            assert all(flag.lstrip("-") in script for flag in option.flags), option


def _completed(line: str) -> list[str]:
    words = line.split(" ")
    program = SCRIPTS["bash"](tuple(commands())) + (
        f"\nCOMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}\n"
        '_motionweave; printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(["bash", "-c", program], check=True, capture_output=True, text=True)
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes() -> None:
    assert _completed("motionweave tr") == ["transition"]
    assert _completed("motionweave blend a.bvh --metho") == ["--method"]
    assert set(_completed("motionweave blend a.bvh --method ")) == {"registered", "linear"}
    assert "--words" in _completed("motionweave library find clips --")
    assert _completed("motionweave blend -o ") == []


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_take_their_script(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    script = SCRIPTS[shell](tuple(commands()))
    subprocess.run([shell, "-n"], input=script, check=True, capture_output=True, text=True)


def test_every_verb_has_an_example() -> None:
    assert set(EXAMPLES) == set(VERBS)
    for verb, lines in EXAMPLES.items():
        assert any(line.startswith(f"motionweave {verb}") for line in lines)
