"""The page on our own file formats says what the files hold, and its examples can be read."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import motionweave as mw
from motionweave.body.rig.override import read_override
from motionweave.io.store.sidecar import load_contacts
from tests.docs.blocks import ROOT, blocks

PAGE = ROOT / "docs" / "our_files.md"


def _examples(language: str) -> list[str]:
    return [block.text for block in blocks(PAGE) if block.language == language]


def test_examples_can_be_read(tmp_path: Path) -> None:
    contacts, roles, mapping = _examples("json")
    (tmp_path / "walk.contacts.json").write_text(contacts)
    assert len(load_contacts(tmp_path / "walk.contacts.json", frames=93)) == 2
    (tmp_path / "rig.json").write_text(roles)
    assert read_override(tmp_path / "rig.json")["left_ankle"] == "FootL"
    assert set(json.loads(mapping)) == {"LeftUpLeg", "Spine2", "Tail"}
    (tmp_path / "walk.events.csv").write_text(_examples("text")[0])
    assert len(mw.load_events(tmp_path / "walk.events.csv").states) == 2
    (tmp_path / "step.yaml").write_text(_examples("yaml")[0])
    assert mw.load_warp(tmp_path / "step.yaml").title == "Step over an obstacle"


def test_every_field_of_a_registration_is_described(tmp_path: Path) -> None:
    mw.register(mw.sample("walk"), mw.sample("jog")).save(tmp_path / "gaits.mwreg")
    with zipfile.ZipFile(tmp_path / "gaits.mwreg") as archive:
        header = json.loads(archive.read("registration.json"))
    page = PAGE.read_text(encoding="utf-8")
    fields = {*header, *header["clips"][0], *header["timewarp"]}
    assert not [name for name in fields if f"`{name}" not in page]


def test_every_entry_of_a_warp_file_is_described() -> None:
    from motionweave.methods.warping import files

    page = PAGE.read_text(encoding="utf-8")
    assert not [name for name in (*files._TOP, *files._KEY) if f"`{name}`" not in page]
