"""A motion clip: read from a file, passed through every method, and written back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

import motionweave
from motionweave.core import checks, indexing, kinematics, rotations
from motionweave.core import constraints as constraint_tools
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array, sealed
from motionweave.core.carrier import STILL, Carrier
from motionweave.core.constraints import Constraint
from motionweave.core.joint_track import JointTrack
from motionweave.core.planar import Planar
from motionweave.core.skeleton import Skeleton
from motionweave.core.validated_arrays import mark_validated, unit_quaternions, validated
from motionweave.errors import MotionError


@dataclass(frozen=True, eq=False)
class Motion:
    """T frames of a character in motion. Never changed in place; up is +y.

    Parameters
    ----------
    skeleton
        The character, J joints.
    fps
        Frames per second.
    root
        ``(T, 3)`` global positions of the root joint, in the skeleton's unit.
    rotations
        ``(T, J, 4)`` local rotations as unit quaternions xyzw; the root's is global.
    translations
        ``(T, J, 3)`` local translations that replace the skeleton's offsets, for rigs whose bones
        change length; the root's column is not used. None for most rigs.
    constraints
        Contacts, in frames of this clip.
    name
        What to call the clip in messages and plots.
    source
        The layout of the file it came from (channels, axes, units), so that the same format can be
        written back. Opaque to everything but `io`.
    carrier
        What the file has above the pelvis; None if the pelvis is its root.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk = mw.sample("walk")
    >>> walk[10:40].resample(60)
    <Motion 'walk': 59 frames at 60 fps (0.97 s), 22 joints, 5 contacts>
    >>> walk["left_hand"].positions.shape == (len(walk), 3)
    True
    """

    skeleton: Skeleton
    fps: float
    root: Array
    rotations: Array
    translations: Array | None = None
    constraints: tuple[Constraint, ...] = ()
    name: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)
    carrier: Carrier | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.skeleton, Skeleton):
            raise MotionError(f"skeleton {checks.shown(self.skeleton)}: expected a Skeleton")
        root = validated(self.root, "root positions", (None, 3))
        frames, joints = len(root), len(self.skeleton)
        if not 0 < frames <= checks.MOST_FRAMES:
            raise MotionError(f"{frames} frames: a motion has 1 to {checks.MOST_FRAMES}")
        unit = partial(unit_quaternions, names=self.skeleton.names)
        turns = validated(self.rotations, "rotations", (frames, joints, 4), unit)
        object.__setattr__(self, "root", root)
        object.__setattr__(self, "rotations", turns)
        object.__setattr__(self, "fps", checks.rate(self.fps))
        if self.translations is not None:
            moves = validated(self.translations, "translations", (frames, joints, 3))
            object.__setattr__(self, "translations", moves)
        object.__setattr__(self, "constraints", constraint_tools.checked(self.constraints))
        if not isinstance(self.source, Mapping):
            raise MotionError(f"source {checks.shown(self.source)}: expected a mapping")
        # A plain copy, so that a motion can be sent to other processes.
        object.__setattr__(self, "source", dict(self.source))

    @classmethod
    def from_euler(
        cls,
        skeleton: Skeleton,
        fps: float,
        root: ArrayLike,
        angles: ArrayLike,
        order: str = "ZXY",
        **fields: Any,
    ) -> Motion:
        """A motion from Euler angles.

        Parameters
        ----------
        skeleton, fps, root
            As for the class itself.
        angles
            ``(T, J, 3)`` local angles in degrees, in the order of ``order``.
        order
            The axes, the first one applied last: ``"ZXY"`` is the meaning of the BVH channels
            Zrotation, Xrotation, Yrotation.
        **fields
            ``constraints``, ``name`` and the like.

        Returns
        -------
        Motion

        Examples
        --------
        >>> import numpy as np
        >>> import motionweave as mw
        >>> skeleton = mw.sample("walk").skeleton
        >>> angles = np.zeros((2, len(skeleton), 3))
        >>> mw.Motion.from_euler(skeleton, 30, np.zeros((2, 3)), angles, name="rest")
        <Motion 'rest': 2 frames at 30 fps (0.03 s), 22 joints>
        """
        turned = rotations.from_euler(np.radians(np.asarray(angles, dtype=np.float64)), order)
        return cls(skeleton, fps, np.asarray(root, dtype=np.float64), turned, **fields)

    @classmethod
    def from_global(
        cls, skeleton: Skeleton, fps: float, root: ArrayLike, orientations: ArrayLike, **fields: Any
    ) -> Motion:
        """A motion from global joint orientations.

        Parameters
        ----------
        skeleton, fps, root
            As for the class itself.
        orientations
            ``(T, J, 4)`` unit quaternions xyzw, as `orientations` gives them.
        **fields
            ``constraints``, ``name`` and the like.

        Returns
        -------
        Motion

        Examples
        --------
        >>> import motionweave as mw
        >>> walk = mw.sample("walk")
        >>> again = mw.Motion.from_global(walk.skeleton, walk.fps, walk.root, walk.orientations())
        >>> bool(abs(again.positions() - walk.positions()).max() < 1e-9)
        True
        """
        turned = np.array(orientations, dtype=np.float64)
        above = rotations.inverse(turned[..., skeleton.parents[1:], :])
        turned[..., 1:, :] = rotations.multiply(above, turned[..., 1:, :])
        return cls(skeleton, fps, np.asarray(root, dtype=np.float64), turned, **fields)

    def __len__(self) -> int:
        return len(self.root)

    def __repr__(self) -> str:
        called = f" {self.name!r}" if self.name else ""
        held = f", {len(self.constraints)} contacts" if self.constraints else ""
        return (
            f"<Motion{called}: {len(self)} frames at {self.fps:g} fps ({self.duration:.2f} s), "
            f"{len(self.skeleton)} joints{held}>"
        )

    def __eq__(self, other: object) -> bool:
        """Whether the same body moves in the same way with the same contacts.

        The clip's name and the layout of its file are ignored.
        """
        if not isinstance(other, Motion):
            return NotImplemented
        # A dictionary of what is known about motions mostly compares one with itself.
        return self is other or (
            self.fps == other.fps
            and self.constraints == other.constraints
            and self.skeleton == other.skeleton
            and np.array_equal(self.root, other.root)
            and np.array_equal(self.rotations, other.rotations)
            and _equal_or_none(self.translations, other.translations)
        )

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return (len(self) - 1) / self.fps

    @cached_property
    def known(self) -> dict[str, Any]:
        """What was found out about skeleton and frames, by the names of what found it: see
        `motionweave.core.runtime.cache.kept_with_motion`."""
        return {}

    @property
    def fingerprint(self) -> str:
        """A short fingerprint of a clip: its joints, frame rate and frames."""
        if "fingerprint" not in self.known:
            digest = hashlib.sha256(repr((self.skeleton.names, self.fps)).encode())
            digest.update(self.skeleton.parents.astype(np.int64).data)
            for array in (self.skeleton.offsets, self.root, self.rotations, self.translations):
                if array is not None:
                    digest.update(array.ravel().data)
            self.known["fingerprint"] = digest.hexdigest()[:32]
        return str(self.known["fingerprint"])

    def with_constraints(self, constraints: Iterable[Constraint]) -> Motion:
        """The same motion with other ``constraints``."""
        same = self._out_of_checked(constraints=constraint_tools.checked(constraints))
        same.__dict__["known"] = self.known
        return same

    def _out_of_checked(self, **fields: Any) -> Motion:
        """The same with other ``fields`` that were taken out of motions: they need no checks."""
        made = object.__new__(Motion)
        own = {name: self.__dict__[name] for name in self.__dataclass_fields__}
        made.__dict__.update(own | {"source": dict(self.source)} | fields)
        return made

    # Kinematics

    def positions(self) -> Array:
        """Global joint positions, ``(T, J, 3)``."""
        places = np.empty((len(self), len(self.skeleton), 3))
        for frames in kinematics.in_parts(len(self)):
            places[frames] = self.forward(frames)[0]
        return places

    def orientations(self) -> Array:
        """Global joint orientations, ``(T, J, 4)``."""
        return self.forward()[1]

    def forward(self, frames: slice = slice(None)) -> tuple[Array, Array]:
        """Global positions ``(T, J, 3)`` and orientations ``(T, J, 4)`` in one pass.

        Of a long take, some ``frames`` at a time need less memory.
        """
        return kinematics.forward(
            self.skeleton.parents,
            self.skeleton.offsets,
            self.root[frames],
            self.rotations[frames],
            None if self.translations is None else self.translations[frames],
        )

    def end_positions(self) -> Array:
        """Global positions of the end sites, ``(T, E, 3)``."""
        positions, orientations = self.forward()
        return end_positions(self.skeleton, positions, orientations)

    # Time

    def sample(self, frames: ArrayLike) -> Motion:
        """The motion at fractional ``frames`` ``(n,)``, at the same frame rate.

        Rotations take the shorter arc (slerp), positions are interpolated linearly, constraints are
        carried along. Frames may run backwards or repeat.
        """
        at = indexing.moments(frames, len(self), self._called())
        return replace(
            self,
            root=sealed(kinematics.sample_vectors(self.root, at)),
            rotations=sealed(kinematics.sample_rotations(self.rotations, at)),
            translations=self._moves_after(lambda m: sealed(kinematics.sample_vectors(m, at))),
            constraints=constraint_tools.carried(self.constraints, at),
            carrier=self._carrier_after(lambda above: above.sample(at)),
        )

    def resample(self, fps: float) -> Motion:
        """The same motion at another frame rate, ``fps``; the first frame stays the first."""
        fps = checks.rate(fps)
        if fps == self.fps:
            return self
        frames = indexing.at_rate(len(self), self.fps, fps)
        scale = fps / self.fps
        moved = tuple(
            replace(c, start=c.start * scale, end=c.end * scale) for c in self.constraints
        )
        sampled = replace(self, constraints=()).sample(frames)
        return replace(
            sampled,
            fps=fps,
            constraints=constraint_tools.clipped(moved, 0.0, len(frames) - 1),
            carrier=sampled._carrier_after(lambda above: replace(above, fps=fps)),
        )

    @overload
    def __getitem__(self, key: int | slice) -> Motion: ...

    @overload
    def __getitem__(self, key: str) -> JointTrack: ...

    def __getitem__(self, key: int | slice | str) -> Motion | JointTrack:
        """Frames by number or slice, constraints clipped and moved along; or one joint.

        A step other than 1 keeps the speed: ``motion[::2]`` has half the frame rate. A text
        is the name of a joint or the role of one: ``motion["left_hand"].positions``.
        """
        if isinstance(key, str):
            return JointTrack.of(self, key)
        chosen = indexing.chosen(key, len(self))
        start, last, step = float(chosen.start), float(chosen[-1]), chosen.step
        whole = isinstance(key, slice) and step == 1 and len(chosen) == len(self)
        if whole and all(c.start >= 0.0 and c.end <= last for c in self.constraints):
            return self
        inside = constraint_tools.clipped(self.constraints, start, last)
        frames = slice(chosen.start, chosen.stop, step)
        return self._out_of_checked(
            fps=checks.rate(self.fps / step),
            root=mark_validated(self.root[frames]),
            rotations=mark_validated(self.rotations[frames]),
            translations=self._moves_after(lambda m: mark_validated(m[frames])),
            constraints=constraint_tools.checked(
                Constraint((c.start - start) / step, (c.end - start) / step, c.kind) for c in inside
            ),
            carrier=self._carrier_after(lambda above: above[key]),
        )

    def trim(self, start: float = 0.0, end: float | None = None) -> Motion:
        """The part from ``start`` to ``end``, in seconds from the beginning.

        Parameters
        ----------
        start, end
            Seconds; None for the clip's own end. The nearest whole frames are used, unchanged.

        Returns
        -------
        Motion

        Raises
        ------
        MotionError
            If there is no frame between the two.

        Examples
        --------
        >>> import motionweave as mw
        >>> mw.sample("walk").trim(0.5, 1.5).duration
        1.0
        """
        check_arguments(Motion.trim, locals())
        return self[indexing.between(start, end, len(self), self.fps, self._called())]

    # Place

    def moved(self, planar: Planar) -> Motion:
        """The motion turned and shifted on the floor by ``planar``, one move or ``(T,)`` moves."""
        if not isinstance(planar, Planar):
            raise MotionError(f"move {checks.shown(planar)}: expected a Planar")
        if planar.shape not in ((), (len(self),)):
            raise MotionError(f"{len(self)} frames cannot be moved by {planar.shape} planar moves")
        turned = np.array(self.rotations)
        turned[:, 0] = planar.turn(self.rotations[:, 0])
        return replace(
            self,
            root=sealed(planar.apply(self.root)),
            rotations=sealed(turned),
            carrier=self._carrier_taken_along(lambda above: above.moved(planar)),
        )

    def faster(self, factor: float) -> Motion:
        """The same motion played faster by ``factor`` (below one: slower), at the same frame rate.

        Examples
        --------
        >>> import motionweave as mw
        >>> walk = mw.sample("walk")
        >>> round(walk.duration / walk.faster(2.0).duration, 1)
        2.0
        """
        factor = checks.number(factor, "speed", 1e-3, 1e3)
        if factor == 1.0:
            return self
        fps = self.fps * factor
        quick = replace(
            self, fps=fps, carrier=self._carrier_after(lambda above: replace(above, fps=fps))
        )
        return quick.resample(self.fps)

    def scaled(self, factor: float) -> Motion:
        """All lengths multiplied by ``factor``: another unit, or another size of character."""
        factor = checks.number(factor, "scale", 1e-12, 1e12)
        skeleton = replace(
            self.skeleton,
            offsets=self.skeleton.offsets * factor,
            end_offsets=self.skeleton.end_offsets * factor,
        )
        return replace(
            self,
            skeleton=skeleton,
            root=self.root * factor,
            translations=self._moves_after(lambda m: m * factor),
            # In step or not, it is scaled like the body.
            carrier=None
            if self.carrier is None
            else replace(self.carrier, motion=self.carrier.motion.scaled(factor)),
        )

    def mirrored(self, swap: Sequence[int] | NDArray[np.intp], kinds: Mapping[str, str]) -> Motion:
        """The mirror image of the motion, reflected in the plane x = 0.

        Parameters
        ----------
        swap
            ``(J,)`` index of each joint's counterpart on the other side; its own index for joints
            in the middle.
        kinds
            Constraint kinds to swap, such as ``{"left_toe": "right_toe", ...}``.
        """
        swap = np.asarray(swap, dtype=np.intp)
        across = np.array([-1.0, 1.0, 1.0])
        return replace(
            self,
            root=self.root * across,
            # A reflection turns the rotation about the axis it reflects the other
            # way twice, i.e. not at all, and the other two once.
            rotations=self.rotations[:, swap] * np.array([1.0, -1.0, -1.0, 1.0]),
            translations=self._moves_after(lambda m: m[:, swap] * across),
            constraints=tuple(replace(c, kind=kinds.get(c.kind, c.kind)) for c in self.constraints),
            carrier=self._carrier_taken_along(
                lambda above: above.mirrored(np.arange(len(above.skeleton)), {})
            ),
        )

    def _moves_after(self, change: Callable[[Array], Array]) -> Array | None:
        """The translations after a change, if there are any."""
        return None if self.translations is None else change(self.translations)

    def _carrier_after(self, change: Callable[[Motion], Motion]) -> Carrier | None:
        return None if self.carrier is None else self.carrier.changed(len(self), change)

    def _carrier_taken_along(self, change: Callable[[Motion], Motion]) -> Carrier | None:
        """The carrier moved with the body; a static one stays where it is."""
        if self.carrier is not None and self.carrier.kind == STILL:
            return self.carrier
        return self._carrier_after(change)

    # Faces

    def save(self, path: str | Path, **options: Any) -> None:
        """Save the motion to ``path``; ``options`` are those of `motionweave.save`."""
        motionweave.save(self, path, **options)

    def plot(self, path: str | Path | None = None, **options: Any) -> Any:
        """Draw the motion as a film strip; ``path`` and ``options`` are those of
        `motionweave.film_strip`."""
        return motionweave.film_strip(self, path, **options)

    def render(self, path: str | Path, **options: Any) -> None:
        """Render the motion to ``path``; ``options`` are those of `motionweave.render`."""
        motionweave.render(self, path, **options)

    def _repr_html_(self) -> str:
        """In a notebook a motion plays."""
        return motionweave.player(self)._repr_html_()

    def _called(self) -> str:
        return f" {self.name!r}" if self.name else ""


def end_positions(skeleton: Skeleton, positions: Array, orientations: Array) -> Array:
    """End sites ``(T, E, 3)`` of joints at ``(T, J, 3)`` turned by ``(T, J, 4)``."""
    return kinematics.attached(positions, orientations, skeleton.end_parents, skeleton.end_offsets)


def local_translations(motion: Motion) -> Array:
    """Local translations ``(T, J, 3)``: the rig's own, or its offsets."""
    if motion.translations is not None:
        return motion.translations
    return np.broadcast_to(motion.skeleton.offsets, (len(motion), len(motion.skeleton), 3))


def _equal_or_none(a: Array | None, b: Array | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def checked(motion: Any) -> Motion:
    """The given motion; `MotionError` if it is not one."""
    if not isinstance(motion, Motion):
        raise MotionError(f"{checks.shown(motion)}: expected a Motion")
    return motion


def all_checked(motions: Any) -> list[Motion]:
    """The given motions; `MotionError` if they are something else, or none at all."""
    try:
        given = list(motions)
    except TypeError:
        raise MotionError(f"{checks.shown(motions)}: expected several motions") from None
    if not given:
        raise MotionError("expected several motions, and got none")
    return [checked(motion) for motion in given]
