"""Joint roles as a user gives them, in a mapping or a JSON file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from motionweave.body.rig.names import ARM_ROLES, LEG_ROLES
from motionweave.core.checks import shown
from motionweave.core.parsing import parse_json, read_text
from motionweave.errors import FormatError, RigError

Override = Mapping[str, "str | Sequence[str] | int | None"]
Given = Mapping[str, "str | tuple[str, ...] | int | None"]

SIDES = ("left", "right")
CENTRE_ROLES = ("hips", "chest", "neck", "head")
ROLES = CENTRE_ROLES + tuple(f"{side}_{role}" for side in SIDES for role in LEG_ROLES + ARM_ROLES)


def read_override(override: Override | str | Path) -> dict[str, str | tuple[str, ...] | int | None]:
    """An override checked: role to joint name, ``spine`` to a tuple of them, None for no joint.

    ``legs`` is the number of legs that the body stands on.
    """
    where = "rig override"
    if isinstance(override, str | Path):
        where = str(override)
        try:
            override = parse_json(read_text(override), override)
        except FormatError as error:
            raise RigError(str(error)) from None
    if not isinstance(override, Mapping):
        raise RigError(f'{where}: expected an object such as {{"left_ankle": "FootL"}}')
    result: dict[str, str | tuple[str, ...] | int | None] = {}
    for role, name in override.items():
        if role == "legs":
            if isinstance(name, bool) or not isinstance(name, int) or name < 2:
                raise RigError(f"{where}: legs must be how many the body stands on, 2 or more")
            result[role] = name
            continue
        if role == "spine":
            if isinstance(name, str) or not isinstance(name, Sequence):
                raise RigError(f"{where}: spine must be a list of joint names, hips to chest")
            result[role] = tuple(str(each) for each in name)
            continue
        if role not in ROLES:
            raise RigError(
                f"{where}: no role {shown(role)}; roles are legs, spine, {', '.join(ROLES)}"
            )
        if not isinstance(name, str | None):
            raise RigError(f"{where}: {role} must be the name of a joint, or null for none")
        result[role] = name
    return result


def joints_of(override: Given) -> set[str]:
    """All joints that an override names."""
    names: set[str] = set()
    for value in override.values():
        if isinstance(value, str):
            names.add(value)
        elif isinstance(value, tuple):
            names.update(value)
    return names
