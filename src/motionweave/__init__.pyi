"""The public names of motionweave and where they live.

This file is the one list of them: type checkers and editors read it, and ``__init__.py``
imports each name from here on first use.
"""

from .body.correspondence import JointMapping as JointMapping
from .body.mirror import mirror as mirror
from .body.retarget import on_skeleton as on_skeleton
from .body.rig.roles import find_rig as find_rig
from .body.rig.roles import with_rig as with_rig
from .clips import load as load
from .clips import load_all as load_all
from .clips import load_markers as load_markers
from .clips import save as save
from .contacts.clean.footskate import clean_feet as clean_feet
from .contacts.detect import detect_contacts as detect_contacts
from .contacts.detect import estimate_floor as estimate_floor
from .contacts.event_files import load_events as load_events
from .contacts.event_files import save_events as save_events
from .contacts.events import find_events as find_events
from .contacts.states import EventTable as EventTable
from .contacts.states import State as State
from .core.constraints import Constraint as Constraint
from .core.markers import Markers as Markers
from .core.motion import JointTrack as JointTrack
from .core.motion import Motion as Motion
from .core.planar import Planar as Planar
from .core.skeleton import Skeleton as Skeleton
from .errors import BlendError as BlendError
from .errors import FormatError as FormatError
from .errors import LibraryError as LibraryError
from .errors import MissingDependencyError as MissingDependencyError
from .errors import MotionError as MotionError
from .errors import MotionweaveError as MotionweaveError
from .errors import Notice as Notice
from .errors import QualityWarning as QualityWarning
from .errors import RegistrationError as RegistrationError
from .errors import Remedy as Remedy
from .errors import RetargetNotice as RetargetNotice
from .errors import RigError as RigError
from .errors import WarpError as WarpError
from .export.export import export_set as export_set
from .library.fill import inbetween as inbetween
from .library.library import Library as Library
from .measure.quality import Quality as Quality
from .measure.quality import quality as quality
from .methods.blending.blend import blend as blend
from .methods.blending.parametric import ParametricSpace as ParametricSpace
from .methods.blending.parametric import parametric as parametric
from .methods.blending.stepper import Stepper as Stepper
from .methods.blending.transition import junctions as junctions
from .methods.blending.transition import transition as transition
from .methods.framespace.blend import Framespace as Framespace
from .methods.framespace.blend import framespace as framespace
from .methods.framespace.interpolant import Interpolant as Interpolant
from .methods.subspace.transition import SplineTransition as SplineTransition
from .methods.subspace.transition import Subspace as Subspace
from .methods.subspace.transition import spline_transition as spline_transition
from .methods.subspace.transition import subspace as subspace
from .methods.warping.files import Recipe as Recipe
from .methods.warping.files import load_warp as load_warp
from .methods.warping.files import save_warp as save_warp
from .methods.warping.join import join as join
from .methods.warping.keys import Key as Key
from .methods.warping.warp import warp as warp
from .plots.filmstrip import film_strip as film_strip
from .plots.registration import registration_plot as registration_plot
from .registration.curve import RegistrationCurve as RegistrationCurve
from .registration.files import load_registration as load_registration
from .registration.files import save_registration as save_registration
from .registration.loops import in_place as in_place
from .registration.loops import loop as loop
from .registration.loops import travel as travel
from .registration.markers import MarkerCurve as MarkerCurve
from .registration.register import register as register
from .registration.verdict import Verdict as Verdict
from .rendering.player import player as player
from .rendering.render import render as render
from .retargeting import common_skeleton as common_skeleton
from .retargeting import concatenate as concatenate
from .retargeting import joint_mapping as joint_mapping
from .retargeting import on_common_skeleton as on_common_skeleton
from .retargeting import retarget as retarget
from .samples.clips import sample as sample

__version__: str
