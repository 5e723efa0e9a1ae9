"""Where motionweave runs, how it is installed, and where the library of clips is."""

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import bpy

from .compute import engine

# What the button installs: the wheel that comes with the extension, else the published one.
_PUBLISHED = "motionweave"


class Preferences(bpy.types.AddonPreferences):
    """Shown in Edit > Preferences > Add-ons."""

    bl_idname = __package__

    engine: bpy.props.EnumProperty(
        name="Run motionweave",
        items=(
            ("AUTO", "Automatically", "Inside Blender if possible, otherwise beside it"),
            ("INSIDE", "Inside Blender", "In Blender's own Python"),
            ("PROCESS", "Beside Blender", "In a separate process"),
        ),
    )
    python: bpy.props.StringProperty(
        name="Python",
        description="A Python that has motionweave, for running it beside Blender",
        subtype="FILE_PATH",
    )
    library: bpy.props.StringProperty(
        name="Library", description="Folder of clips to search for motions", subtype="DIR_PATH"
    )

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.prop(self, "engine")
        layout.prop(self, "python")
        row = layout.row()
        row.operator(MOTIONWEAVE_OT_check.bl_idname, icon="CHECKMARK")
        row.operator(MOTIONWEAVE_OT_install.bl_idname, icon="IMPORT")
        layout.prop(self, "library")


def preferences(context: Any) -> Any:
    """The preferences; None where the add-on runs without having been enabled."""
    found = context.preferences.addons.get(__package__)
    return None if found is None else found.preferences


def own_environment() -> Path | None:
    """The folder that the button installs into; None where Blender has no place for it."""
    try:
        return Path(bpy.utils.extension_path_user(__package__, path="environment"))
    except ValueError:  # not installed as an extension
        return None


def engine_place(context: Any) -> str:
    """Where jobs run; see `compute.engine.place`."""
    chosen = preferences(context)
    mode, python = ("AUTO", "") if chosen is None else (chosen.engine, chosen.python)
    return engine.place(mode, bpy.path.abspath(python) if python else "", own_environment())


def library_folder(context: Any) -> str:
    """The folder of the library."""
    chosen = preferences(context)
    folder = "" if chosen is None else bpy.path.abspath(chosen.library)
    if not folder:
        raise engine.Problem("no library is chosen: enter its folder in the add-on's preferences")
    if not Path(folder).is_dir():
        raise engine.Problem(f"{folder}: there is no such folder; see the add-on's preferences")
    return folder


class MOTIONWEAVE_OT_check(bpy.types.Operator):
    """Show where motionweave runs and which version it is"""

    bl_idname = "motionweave.check"
    bl_label = "Check"

    def execute(self, context: Any) -> set[str]:
        try:
            where = engine_place(context)
            found = engine.Task(where, "check", [], {}).result().values
        except engine.Problem as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        runs = f"in {where}" if where else "inside Blender"
        self.report({"INFO"}, f"motionweave {found['version']} runs {runs}")
        if found["missing"]:
            lacks = ", ".join(found["missing"])
            self.report({"WARNING"}, f"This version lacks {lacks}; install a newer one")
        return {"FINISHED"}


class MOTIONWEAVE_OT_install(bpy.types.Operator):
    """Download motionweave and install it in a separate folder"""

    bl_idname = "motionweave.install"
    bl_label = "Install"

    _thread: Any = None
    _timer: Any = None
    _problem = ""

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not getattr(bpy.app, "online_access", True):
            cls.poll_message_set("Allow online access in Preferences > System > Network first")
            return False
        return True

    def execute(self, context: Any) -> set[str]:
        environment = own_environment()
        if environment is None:
            self.report({"ERROR"}, "Install the extension from its zip file first")
            return {"CANCELLED"}
        self._problem = install(environment)
        return self._told()

    def invoke(self, context: Any, event: Any) -> set[str]:
        environment = own_environment()
        if environment is None or bpy.app.background:
            return self.execute(context)

        def work() -> None:
            self._problem = install(environment)

        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()
        self._timer = context.window_manager.event_timer_add(0.2, window=context.window)
        context.window_manager.modal_handler_add(self)
        context.workspace.status_text_set("Installing motionweave")
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        if event.type != "TIMER" or self._thread.is_alive():
            return {"PASS_THROUGH"}
        context.window_manager.event_timer_remove(self._timer)
        context.workspace.status_text_set(None)
        return self._told()

    def _told(self) -> set[str]:
        if self._problem:
            self.report({"ERROR"}, f"motionweave could not be installed: {self._problem}")
            return {"CANCELLED"}
        self.report({"INFO"}, "motionweave is installed")
        return {"FINISHED"}


def install(environment: Path) -> str:
    """Make an environment with motionweave in it; returns what went wrong, or nothing."""
    bundled = sorted(Path(__file__).with_name("wheels").glob("motionweave-*.whl"))
    wanted = str(bundled[-1]) if bundled else _PUBLISHED
    python = str(engine.python_of(environment))
    engine.end_process()
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(environment)],
        [python, "-m", "pip", "install", "--disable-pip-version-check", wanted],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            lines = (done.stderr or done.stdout).strip().splitlines()
            return lines[-1] if lines else f"{command[2]} ended with code {done.returncode}"
    return ""


CLASSES = (MOTIONWEAVE_OT_check, MOTIONWEAVE_OT_install, Preferences)


def register() -> None:
    for one in CLASSES:
        bpy.utils.register_class(one)


def unregister() -> None:
    engine.end_process()
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
