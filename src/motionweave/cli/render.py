"""``motionweave render``: motions as video, animated image, still image or web page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from motionweave.cli import common
from motionweave.cli.progress import bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_clips(parser, "several")
    common.add_output(parser, "picture to write (mp4, webm, gif, webp, png, jpg, html)")
    seen = parser.add_argument_group("camera")
    seen.add_argument(
        "--camera",
        choices=("follow", "fixed", "orbit"),
        default="follow",
        help="follow the body, stay fixed, or orbit it (default: follow)",
    )
    seen.add_argument(
        "--view",
        type=_view,
        default="three-quarter",
        metavar="VIEW",
        help="three-quarter, front, side, back, top, or degrees from the front (default: "
        "three-quarter)",
    )
    seen.add_argument("--zoom", type=float, default=1.0, help="above 1 makes the body larger")
    look = parser.add_argument_group("picture")
    look.add_argument(
        "--size", type=_size, default=(640, 360), metavar="WxH", help="pixels (default: 640x360)"
    )
    look.add_argument("--fps", type=float, default=30.0, help="frames per second (default: 30)")
    look.add_argument("--speed", type=float, default=1.0, help="0.5 is slow motion (default: 1)")
    look.add_argument(
        "--rounds", type=int, default=1, help="how many times to play it (default: 1)"
    )
    look.add_argument("--once", action="store_true", help="stop an animated image at its end")
    look.add_argument(
        "--background",
        default="light",
        help="light, dark, transparent, or a colour such as #ffffff (default: light)",
    )
    look.add_argument("--no-contacts", action="store_true", help="do not mark contacts")
    look.add_argument(
        "--trails",
        metavar="JOINT,...",
        help="what leaves trails: hands, feet, or the names of roles or joints",
    )
    look.add_argument("--ghosts", type=int, default=0, help="how many earlier poses to show")
    look.add_argument(
        "--overlay",
        action="store_true",
        help="show several clips in one scene instead of side by side",
    )
    look.add_argument("--labels", action="store_true", help="show the clips' names above them")
    look.add_argument(
        "--colours", metavar="#RRGGBB,...", help="colours of the bodies, one per clip"
    )
    look.add_argument("--frame", type=float, help="frame to show in a still image")
    look.add_argument(
        "--mesh", type=Path, metavar="FILE", help="glTF file with a mesh to draw on the joints"
    )
    look.add_argument("--no-mesh", action="store_true", help="draw the simple body, not a mesh")
    look.add_argument("--codec", metavar="NAME", help="video codec: h264, h265 or vp9")
    common.add_json(parser)


def run(args: argparse.Namespace) -> None:
    common.check_output(args.output, args.clips, motion=False)
    motions = common.load_clips(args, args.clips)
    from motionweave.rendering.render import render

    labels = [motion.name or path.stem for motion, path in zip(motions, args.clips, strict=True)]
    options: dict[str, Any] = {
        "camera": args.camera,
        "view": args.view,
        "zoom": args.zoom,
        "size": args.size,
        "fps": args.fps,
        "speed": args.speed,
        "rounds": args.rounds,
        "loop": not args.once,
        "background": args.background,
        "contacts": not args.no_contacts,
        "trails": [word for word in (args.trails or "").split(",") if word],
        "ghosts": args.ghosts,
        "layout": "overlay" if args.overlay else "beside",
        "labels": labels if args.labels else None,
        "colours": args.colours.split(",") if args.colours else None,
        "frame": args.frame,
        "mesh": False if args.no_mesh else args.mesh or True,
        "codec": args.codec,
    }
    with bar("drawing") as progress:
        render(motions, args.output, progress=progress, **options)
    size = args.output.stat().st_size
    answer = {"output": str(args.output), "bytes": size}
    common.emit(args, answer, f"{args.output}: {size / 1000:.0f} kB")


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    try:
        return int(width), int(height)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a size such as 640x360") from None


def _view(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text
