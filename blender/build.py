"""Build the extension's zip: ``python blender/build.py [--wheels PLATFORM]``.

The zip holds the extension and a wheel of motionweave, which its Install button installs
beside Blender with what it needs from the internet. With ``--wheels linux-x64`` (or
``windows-x64``, ``macos-arm64``, ``macos-x64``) it holds the wheels of SciPy, Numba and the
rest too, for that platform and Blender's Python, and everything runs inside Blender.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
# What pip calls the platforms of the extension format.
_PLATFORMS = {
    "linux-x64": ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"),
    "windows-x64": ("win_amd64",),
    "macos-arm64": ("macosx_11_0_arm64", "macosx_12_0_arm64"),
    "macos-x64": ("macosx_10_13_x86_64", "macosx_10_15_x86_64"),
}
_BLENDERS_PYTHON = "3.11"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheels", choices=sorted(_PLATFORMS), metavar="PLATFORM")
    parser.add_argument("--output", type=Path, default=ROOT / "dist")
    parser.add_argument("--without-library", action="store_true", help="leave out motionweave")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheels = [] if given.without_library else _wheels(Path(folder), given.wheels)
        print(build(given.output, wheels, given.wheels))


def build(output: Path, wheels: list[Path], platform: str | None = None) -> Path:
    """Write the zip into a folder and return its path."""
    manifest = (HERE / "blender_manifest.toml").read_text(encoding="utf-8")
    version = re.search(r'^version = "(.+)"$', manifest, re.MULTILINE)
    assert version is not None
    if platform:
        listed = ", ".join(f'"./wheels/{wheel.name}"' for wheel in wheels)
        told = f'platforms = ["{platform}"]\nwheels = [{listed}]\n\n[permissions]'
        manifest = manifest.replace("[permissions]", told)
    output.mkdir(parents=True, exist_ok=True)
    ending = f"-{platform}" if platform else ""
    target = output / f"motionweave-blender-{version[1]}{ending}.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("blender_manifest.toml", manifest)
        for path in sources():
            archive.write(path, path.relative_to(HERE).as_posix())
        for wheel in wheels:
            archive.write(wheel, f"wheels/{wheel.name}")
    return target


def sources() -> list[Path]:
    """The extension's own files, but for the manifest."""
    return [
        HERE / "LICENSE",
        *(path for path in sorted(HERE.rglob("*.py")) if path != Path(__file__).resolve()),
    ]


def _wheels(folder: Path, platform: str | None) -> list[Path]:
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", folder, ROOT], check=True)
    if platform:
        own = next(folder.glob("motionweave-*.whl"))
        kinds = [part for name in _PLATFORMS[platform] for part in ("--platform", name)]
        wanted = [own, "--only-binary=:all:", "--python-version", _BLENDERS_PYTHON, *kinds]
        subprocess.run([*pip, "download", "--dest", folder, *wanted], check=True)
        # Blender brings its own NumPy; another one beside it would break it.
        for wheel in folder.glob("numpy-*.whl"):
            wheel.unlink()
    return sorted(folder.glob("*.whl"))


if __name__ == "__main__":
    main()
