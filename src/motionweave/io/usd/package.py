"""USD packages (``.usdz``): an archive whose first member is the stage, as phones show it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from motionweave.core.checks import shown
from motionweave.errors import FormatError
from motionweave.io.store.container import Members
from motionweave.io.usd.crate import check_crate

SUFFIX = ".usdz"
_LAYERS = (".usd", ".usda", ".usdc")
_STAGE = "motion.usdc"
_WHAT = "a USDZ package"

Result = TypeVar("Result")


def read(path: Path, read_stage: Callable[[Path, str], Result]) -> Result:
    """What is in the stage of a package.

    Pictures and sounds are left out. USD could read packages itself, but believes any size that
    they state; here they go through the same gate as all archives.

    Parameters
    ----------
    path
        The package.
    read_stage
        Reads a file, of which is said what it is expected to be.
    """
    with Members(path, _WHAT) as members, TemporaryDirectory(prefix="motionweave-") as folder:
        layers = [name for name in members.names if name.lower().endswith(_LAYERS)]
        if not layers:
            raise FormatError("the package has no stage (.usd, .usda or .usdc)", path)
        for name in layers:
            place = PurePosixPath(name)
            if place.is_absolute() or ".." in place.parts:
                raise FormatError(f"a member leads out of the package: {shown(name)}", path)
            data = members.read(name)
            check_crate(data, path)
            # A stage may refer to other layers of the package.
            target = Path(folder, *place.parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        try:
            return read_stage(Path(folder, *PurePosixPath(layers[0]).parts), _WHAT)
        except FormatError as error:
            raise FormatError(error.reason, path) from None


def pack(stage: Any, path: Path) -> None:
    """Write a stage as a package."""
    from pxr import UsdUtils

    with TemporaryDirectory(prefix="motionweave-") as folder:
        layer = str(Path(folder, _STAGE))
        if not stage.GetRootLayer().Export(layer) or not UsdUtils.CreateNewUsdzPackage(
            layer, str(path)
        ):
            raise FormatError("USD could not write the package", path)
