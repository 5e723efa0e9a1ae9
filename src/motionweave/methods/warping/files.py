"""Warp files: keys and settings in YAML or JSON that a person can write by hand.

::

    title: Step over an obstacle
    unit: leg                       # lengths below are in leg lengths
    ease: 0.35                      # seconds
    keys:
      - at: middle of 2nd left swing
        pose:
          left_foot: {offset: [0, 0.25, 0]}
          spine: {turn: [8, 0, 0]}
    times:
      - [0, 0]
      - [60, end of 1st left swing]
    ground: {slope: 8}              # degrees; or stairs, profile, heights
    props:                          # what keys can be "of"
      box: {times: [0, 2], positions: [[0, 1, 0.5], [0, 1, 2.5]]}
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from motionweave.body.ground import Ground
from motionweave.body.rig.roles import find_rig
from motionweave.clips import load
from motionweave.core.arguments import check_arguments
from motionweave.core.checks import LARGEST, path_of, shown
from motionweave.core.motion import Motion
from motionweave.core.parsing import parse_json, parse_yaml, read_text, yaml_module
from motionweave.core.prop import Prop
from motionweave.errors import FormatError, MotionError, Notice, WarpError
from motionweave.io.store.atomic import atomic_path
from motionweave.methods.warping.keys import Key
from motionweave.methods.warping.moments import frame_of, frames_of, output_frame
from motionweave.methods.warping.warp import warp

# Settings of the whole warp in a file, named like the parameters of `warp`.
_OPTIONS = ("hold", "ease", "tension", "euler", "follow", "monotone", "release", "clean", "paper")
_TOP = (
    "title",
    "about",
    "unit",
    "keys",
    "times",
    "part_times",
    "props",
    "ground",
    "scene",
    *_OPTIONS,
)
_KEY = ("at", "until", "pose", "ease", "unit")
_CHANGES = tuple(f.name for f in fields(Key) if f.name not in ("frame", "until", "joint"))

# Joints that many bodies do not have, and what takes their part in a recipe, if anything does.
_DISPENSABLE: dict[str, str | None] = {
    "neck": "head",
    "left_toe": None,
    "right_toe": None,
    "left_shoulder": None,
    "right_shoulder": None,
}

TimePair = tuple[float | str, float | str]


@dataclass(frozen=True)
class Recipe:
    """A warp for many clips: keys, time keys and settings.

    Parameters
    ----------
    keys
        As for `warp`.
    times
        Pairs (output moment, source moment).
    part_times
        The same for parts of the body.
    options
        Other parameters of `warp`.
    title, about
        For people.
    scene
        Objects to draw around the character, such as a doorway; see `plots.warp`.
    """

    keys: tuple[Key, ...] = ()
    times: tuple[TimePair, ...] = ()
    part_times: Mapping[str, tuple[TimePair, ...]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    about: str = ""
    scene: tuple[Mapping[str, Any], ...] = ()

    def apply(self, motion: Motion, **changed: Any) -> Motion:
        """The warped ``motion``; parameters of `warp` (``changed``) override those of the recipe.

        A body without a neck turns its head instead, and keys of toes and collarbones that it does
        not have are left out; a `Notice` says so.
        """
        keys, notices = self._fitted(motion)
        for notice in notices:
            warnings.warn(notice, stacklevel=2)
        return warp(motion, keys, **{**self.arguments(motion), **changed})

    def arguments(self, motion: Motion) -> dict[str, Any]:
        """Keyword arguments of `warp` for a ``motion``, moments turned into frames."""
        arguments = dict(self.options)
        if self.times:
            arguments["time_keys"] = _frames(self.times, motion)
        if self.part_times:
            arguments["part_times"] = {
                part: _frames(pairs, motion) for part, pairs in self.part_times.items()
            }
        return arguments

    def _fitted(self, motion: Motion) -> tuple[tuple[Key, ...], list[Notice]]:
        """The keys for the joints that a body has, and what was done about the others."""
        rig = find_rig(motion.skeleton)
        keyed = {key.joint for key in self.keys}
        keys, notices = [], {}
        for key in self.keys:
            known = key.joint in rig.roles or key.joint in motion.skeleton.names
            if known or key.joint not in _DISPENSABLE:
                keys.append(key)
                continue
            other = _DISPENSABLE[key.joint]
            if other is not None and other not in keyed and rig.has(other):
                keys.append(replace(key, joint=other))
                done = f"its {other} turns instead"
            else:
                done = "what the recipe asks of it is left out"
            notices[key.joint] = Notice(f"the body has no {key.joint}: {done}")
        return tuple(keys), list(notices.values())

    def key_frames(self, motion: Motion) -> list[float]:
        """Frames of a ``motion`` that have keys, in order of time."""
        return sorted({frame for key in self.keys for frame in frames_of(key.frame, motion)})


def _frames(pairs: Sequence[TimePair], motion: Motion) -> list[tuple[float, float]]:
    return [(output_frame(to, motion), frame_of(source, motion)) for to, source in pairs]


def load_warp(path: str | Path) -> Recipe:
    """Read a warp file: keys and settings.

    Parameters
    ----------
    path
        A ``.yaml`` or ``.json`` file.

    Returns
    -------
    Recipe
        ``recipe.apply(motion)`` applies it.

    Raises
    ------
    FormatError
        If the file cannot be read; the message names the wrong entry.

    Examples
    --------
    >>> import motionweave as mw
    >>> mw.save_warp(mw.Recipe(keys=(mw.Key(20, "spine", turn=(25, 0, 0)),)), "stoop.yaml")
    >>> stooped = mw.load_warp("stoop.yaml").apply(mw.sample("walk"))
    """
    path = path_of(path)
    text = read_text(path)
    data = parse_json(text, path) if path.suffix.lower() == ".json" else parse_yaml(text, path)
    try:
        return read_recipe(data, path.parent)
    except WarpError as error:
        raise FormatError(str(error), path) from None


def save_warp(recipe: Recipe, path: str | Path) -> None:
    """Write a warp file.

    Parameters
    ----------
    recipe
        Keys and settings.
    path
        A ``.yaml`` or ``.json`` file; it is written completely or not at all.

    Examples
    --------
    >>> import motionweave as mw
    >>> mw.save_warp(mw.Recipe(keys=(mw.Key(20, "spine", turn=(25, 0, 0)),)), "stoop.json")
    """
    check_arguments(save_warp, locals(), FormatError)
    path = Path(path)
    data = recipe_data(recipe)
    if path.suffix.lower() == ".json":
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    else:
        text = yaml_module().safe_dump(
            data, sort_keys=False, allow_unicode=True, default_flow_style=None, width=88
        )
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def read_recipe(data: Any, folder: Path | None = None) -> Recipe:
    """A recipe from the contents of a warp file; a `WarpError` names the wrong entry.

    Files that it names are searched in ``folder``.
    """
    data = _mapping(data, "a warp file", _TOP)
    if not any(name in data for name in ("keys", "times", "part_times", "ground")):
        raise WarpError("a warp file needs keys, times or ground")
    unit = data.get("unit")
    props = {
        str(name): _prop(given, str(name), folder)
        for name, given in _mapping(data.get("props", {}), "props", None).items()
    }
    keys: list[Key] = []
    for number, entry in enumerate(_list(data.get("keys", []), "keys"), start=1):
        keys += _keys(entry, f"key {number}", unit, props)
    parts = _mapping(data.get("part_times", {}), "part_times", None)
    release = data.get("release")
    if release is not None and not isinstance(release, list | tuple):
        raise WarpError("release: expected a list of kinds of contact, such as [left_heel]")
    options = {name: data[name] for name in _OPTIONS if data.get(name) is not None}
    if data.get("ground") is not None:
        try:
            options["ground"] = Ground.from_data(data["ground"], unit)
        except MotionError as error:
            raise WarpError(str(error)) from None
    return Recipe(
        keys=tuple(keys),
        times=_pairs(data.get("times", []), "times"),
        part_times={str(part): _pairs(pairs, str(part)) for part, pairs in parts.items()},
        options=options,
        title=str(data.get("title", "")),
        about=str(data.get("about", "")),
        scene=tuple(_mapping(e, "scene", None) for e in _list(data.get("scene", []), "scene")),
    )


def recipe_data(recipe: Recipe) -> dict[str, Any]:
    """The contents of a warp file for this recipe."""
    data: dict[str, Any] = {}
    for name in ("title", "about"):
        if getattr(recipe, name):
            data[name] = getattr(recipe, name)
    data.update({name: _plain(value) for name, value in recipe.options.items()})
    entries: list[dict[str, Any]] = []
    for key in recipe.keys:
        moment = {"at": key.frame, **({} if key.until is None else {"until": key.until})}
        if not entries or {k: entries[-1].get(k) for k in ("at", "until")} != {
            "until": None,
            **moment,
        }:
            entries.append({**moment, "pose": {}})
        entries[-1]["pose"].setdefault(key.joint, []).append(_change_data(key))
    for entry in entries:
        entry["pose"] = {j: c[0] if len(c) == 1 else c for j, c in entry["pose"].items()}
    if entries:
        data["keys"] = entries
    things = {prop.name: prop for prop in _props(recipe)}
    if things:
        data["props"] = {name: prop.to_data() for name, prop in things.items()}
    if recipe.times:
        data["times"] = [list(pair) for pair in recipe.times]
    if recipe.part_times:
        data["part_times"] = {p: [list(x) for x in ts] for p, ts in recipe.part_times.items()}
    if recipe.scene:
        data["scene"] = [dict(prop) for prop in recipe.scene]
    return data


def _props(recipe: Recipe) -> list[Prop]:
    """The props of the keys, each once; a `WarpError` if two have the same name."""
    found: list[Prop] = []
    for key in recipe.keys:
        if isinstance(key.of, Prop) and key.of not in found:
            found.append(key.of)
    names = [prop.name for prop in found]
    if "" in names or len(set(names)) < len(names):
        raise WarpError(
            "every prop needs its own name to be written to a file: Prop(..., name='box')"
        )
    return found


def _change_data(key: Key) -> dict[str, Any]:
    plain = {f.name: f.default for f in fields(Key)}
    data = {
        name: _plain(getattr(key, name)) for name in _CHANGES if getattr(key, name) != plain[name]
    }
    if key.factor is not None:
        data.pop("mode", None)
    return data


def _plain(value: Any) -> Any:
    if isinstance(value, Prop):
        return value.name
    if isinstance(value, Ground):
        if value.made_of is None:
            raise WarpError("ground: a function cannot be written to a file; use Ground.heights")
        return dict(value.made_of)
    return list(value) if isinstance(value, tuple) else value


def _prop(given: Any, name: str, folder: Path | None) -> Prop:
    """A prop from its data: its trajectory, or a file whose first joint is the object."""
    try:
        if isinstance(given, str):
            return replace(Prop.of(load((folder or Path()) / given, contacts=False)), name=name)
        return Prop.from_data(given, name)
    except MotionError as error:
        raise WarpError(f"props, {name}: {error}") from None


def _keys(entry: Any, where: str, unit: Any, props: Mapping[str, Prop]) -> list[Key]:
    entry = _mapping(entry, where, _KEY)
    for needed in ("at", "pose"):
        if needed not in entry:
            raise WarpError(f"{where}: {needed!r} is missing")
    shared = {"unit": entry.get("unit", unit), "ease": entry.get("ease")}
    if entry.get("until") is not None:
        shared["until"] = _moment(entry["until"], where)
    keys = []
    for joint, changes in _mapping(entry["pose"], f"{where}, pose", None).items():
        for change in changes if isinstance(changes, list) else [changes]:
            given = _mapping(change, f"{where}, {joint}", _CHANGES)
            if isinstance(given.get("of"), str):
                given["of"] = props.get(given["of"], given["of"])
            keys.append(Key(_moment(entry["at"], where), str(joint), **{**shared, **given}))
    return keys


def _pairs(entries: Any, where: str) -> tuple[TimePair, ...]:
    pairs = []
    for entry in _list(entries, where):
        if not isinstance(entry, list | tuple) or len(entry) != 2:
            raise WarpError(
                f"{where}: {shown(entry)}; expected pairs [output moment, source moment]"
            )
        pairs.append((_moment(entry[0], where), _moment(entry[1], where)))
    return tuple(pairs)


def _moment(value: Any, where: str) -> float | str:
    if isinstance(value, int) and abs(value) > LARGEST:
        raise WarpError(f"{where}: {shown(value)} is not a frame of a clip")
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise WarpError(f"{where}: {shown(value)} is not a moment; write a frame or words")
    return value


def _mapping(value: Any, where: str, known: Sequence[str] | None) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise WarpError(f"{where}: expected names with values, got {shown(value)}")
    for name in value:
        if known is not None and name not in known:
            raise WarpError(f"{where}: {shown(name)} is not known; expected {', '.join(known)}")
    return dict(value)


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise WarpError(f"{where}: expected a list, got {shown(value)}")
    return list(value)
