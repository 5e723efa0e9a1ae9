"""``motionweave studio``: everything the library does, in the browser."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        type=Path,
        nargs="*",
        metavar="PATH",
        help="motion files, folders of them, or one project file (.mwproj); "
        "without any, the built-in clips",
    )
    add_server(parser)


def add_server(parser: argparse.ArgumentParser) -> None:
    """Where to listen, and for whom."""
    group = parser.add_argument_group("server")
    group.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen on (default: this machine only)",
    )
    group.add_argument("--port", type=int, help="port to listen on (default: the first free one)")
    group.add_argument(
        "--token", default="", help="secret that a browser must know (random if not given)"
    )
    group.add_argument(
        "--no-browser", action="store_true", help="print the address, do not open a browser"
    )


def run(args: argparse.Namespace) -> None:
    from motionweave.studio.server.server import serve

    serve(
        args.paths,
        host=args.host,
        port=args.port,
        token=args.token,
        browser=not args.no_browser,
    )
