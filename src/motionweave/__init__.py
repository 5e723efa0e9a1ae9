"""motionweave makes new character motion out of motion-capture clips.

The names below are the public interface. They are loaded on first use, so that
``import motionweave`` itself costs next to nothing.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from motionweave.analysis.contacts import detect_contacts, estimate_floor
    from motionweave.analysis.events import find_events
    from motionweave.analysis.mirror import mirror
    from motionweave.analysis.quality import Quality, quality
    from motionweave.analysis.retarget import common_skeleton, on_skeleton
    from motionweave.analysis.rig import find_rig, use_rig
    from motionweave.analysis.states import EventTable, State
    from motionweave.blending.blend import blend
    from motionweave.blending.parametric import ParametricSpace, parametric
    from motionweave.blending.stepper import Stepper
    from motionweave.blending.transition import junctions, transition
    from motionweave.cleanup.footskate import clean_feet
    from motionweave.core.constraints import Constraint
    from motionweave.core.markers import Markers
    from motionweave.core.motion import Motion, concatenate
    from motionweave.core.planar import Planar
    from motionweave.core.skeleton import Skeleton
    from motionweave.errors import (
        BlendError,
        FormatError,
        MissingDependencyError,
        MotionError,
        MotionweaveError,
        QualityWarning,
        RegistrationError,
        RigError,
        WarpError,
    )
    from motionweave.framespace.blend import Framespace, framespace
    from motionweave.framespace.interpolant import Interpolant
    from motionweave.io.clips import load, load_markers, save
    from motionweave.io.events import load_events, save_events
    from motionweave.registration.curve import RegistrationCurve
    from motionweave.registration.files import load_registration
    from motionweave.registration.markers import MarkerCurve
    from motionweave.registration.register import register
    from motionweave.samples.clips import sample
    from motionweave.subspace.transition import (
        SplineTransition,
        Subspace,
        spline_transition,
        subspace,
    )
    from motionweave.warping.files import Recipe, load_warp, save_warp
    from motionweave.warping.join import join
    from motionweave.warping.keys import Key
    from motionweave.warping.warp import warp

__version__ = "0.1.0"

# Public name -> module that holds it. Sorted by module.
_HOMES = {
    "detect_contacts": "analysis.contacts",
    "estimate_floor": "analysis.contacts",
    "find_events": "analysis.events",
    "mirror": "analysis.mirror",
    "common_skeleton": "analysis.retarget",
    "on_skeleton": "analysis.retarget",
    "Quality": "analysis.quality",
    "quality": "analysis.quality",
    "find_rig": "analysis.rig",
    "use_rig": "analysis.rig",
    "EventTable": "analysis.states",
    "State": "analysis.states",
    "clean_feet": "cleanup.footskate",
    "blend": "blending.blend",
    "ParametricSpace": "blending.parametric",
    "parametric": "blending.parametric",
    "Stepper": "blending.stepper",
    "junctions": "blending.transition",
    "transition": "blending.transition",
    "Constraint": "core.constraints",
    "Markers": "core.markers",
    "Motion": "core.motion",
    "concatenate": "core.motion",
    "Planar": "core.planar",
    "Skeleton": "core.skeleton",
    "BlendError": "errors",
    "FormatError": "errors",
    "MissingDependencyError": "errors",
    "MotionError": "errors",
    "MotionweaveError": "errors",
    "QualityWarning": "errors",
    "RegistrationError": "errors",
    "RigError": "errors",
    "WarpError": "errors",
    "Framespace": "framespace.blend",
    "framespace": "framespace.blend",
    "Interpolant": "framespace.interpolant",
    "load": "io.clips",
    "load_markers": "io.clips",
    "save": "io.clips",
    "load_events": "io.events",
    "save_events": "io.events",
    "RegistrationCurve": "registration.curve",
    "load_registration": "registration.files",
    "MarkerCurve": "registration.markers",
    "register": "registration.register",
    "sample": "samples.clips",
    "SplineTransition": "subspace.transition",
    "Subspace": "subspace.transition",
    "spline_transition": "subspace.transition",
    "subspace": "subspace.transition",
    "Recipe": "warping.files",
    "load_warp": "warping.files",
    "save_warp": "warping.files",
    "join": "warping.join",
    "Key": "warping.keys",
    "warp": "warping.warp",
}

__all__ = [  # noqa: RUF022 - the names of _HOMES, written out for static tools
    "detect_contacts",
    "estimate_floor",
    "find_events",
    "mirror",
    "common_skeleton",
    "on_skeleton",
    "Quality",
    "quality",
    "find_rig",
    "use_rig",
    "EventTable",
    "State",
    "clean_feet",
    "blend",
    "ParametricSpace",
    "parametric",
    "Stepper",
    "junctions",
    "transition",
    "Constraint",
    "Markers",
    "Motion",
    "concatenate",
    "Planar",
    "Skeleton",
    "BlendError",
    "FormatError",
    "MissingDependencyError",
    "MotionError",
    "MotionweaveError",
    "QualityWarning",
    "RegistrationError",
    "RigError",
    "WarpError",
    "Framespace",
    "framespace",
    "Interpolant",
    "load",
    "load_markers",
    "save",
    "load_events",
    "save_events",
    "RegistrationCurve",
    "load_registration",
    "MarkerCurve",
    "register",
    "sample",
    "SplineTransition",
    "Subspace",
    "spline_transition",
    "subspace",
    "Recipe",
    "load_warp",
    "save_warp",
    "join",
    "Key",
    "warp",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'motionweave' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"motionweave.{home}"), name)
    globals()[name] = value
    return value


class _Package(ModuleType):
    """This package; a public function goes before a subpackage of the same name.

    Importing ``motionweave.subspace`` binds the subpackage here, where ``mw.subspace(a, b)``
    is looked up: that must stay the function, whatever was imported first.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
