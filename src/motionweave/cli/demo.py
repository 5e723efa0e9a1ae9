"""``motionweave demo``: the studio on a blend that is already moving, or files to look at."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from motionweave.cli import common
from motionweave.cli.progress import progress
from motionweave.cli.studio import add_server
from motionweave.errors import FormatError

if TYPE_CHECKING:
    from motionweave.core.motion import Motion

# Clips to blend, and the weights of each file that is written.
_GAITS = ("walk", "jog", "sneak")
_BLENDS = {
    "walk_jog": (0.5, 0.5, 0.0),
    "walk_sneak": (0.5, 0.0, 0.5),
    "jog_sneak": (0.0, 0.5, 0.5),
    "all_three": (0.4, 0.3, 0.3),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--files",
        type=Path,
        metavar="DIR",
        help="write blends as BVH, a film strip and a picture of their registration to this "
        "folder, instead of opening the studio",
    )
    add_server(parser)


def run(args: argparse.Namespace) -> None:
    if args.files is not None:
        _write(args.files)
        return
    from motionweave.studio.server.server import serve

    serve(
        host=args.host,
        port=args.port,
        token=args.token,
        browser=not args.no_browser,
    )


def _write(folder: Path) -> None:
    from motionweave.methods.blending.blend import blend
    from motionweave.plots.filmstrip import film_strip
    from motionweave.plots.registration import registration_plot
    from motionweave.registration.register import register
    from motionweave.samples.clips import sample

    if folder.exists() and not folder.is_dir():
        raise FormatError("this is a file; give a folder to write into", folder)
    folder.mkdir(parents=True, exist_ok=True)
    clips = {name: sample(name) for name in _GAITS}
    curve = register(*clips.values())
    motions: dict[str, Motion] = dict(clips)
    for name, weights in progress(_BLENDS.items(), "blending", len(_BLENDS)):
        motions[name] = blend(curve, weights, clean=True)
        common.save_clip(motions[name], folder / f"{name}.bvh")
    film_strip(list(motions.values()), folder / "strip.png", labels=list(motions))
    registration_plot(curve, folder / "registration.png")
    print(
        f"{folder.resolve()}:\n"
        + "\n".join(f"  {name}.bvh  a blend of walk, jog and sneak" for name in _BLENDS)
        + "\n  strip.png  what they look like\n  registration.png  which frames match"
    )
