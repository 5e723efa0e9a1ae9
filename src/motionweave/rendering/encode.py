"""Frames into files: video by ffmpeg, animated and still images by Pillow.

Video is written while frames are drawn, so that a long one needs no more memory than a short
one. Animated images have to be kept in memory, and are limited in length.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionweave.errors import FormatError, MissingDependencyError

Picture = NDArray[np.uint8]

# VP9 takes twenty times as long unless it is told not to try everything.
_QUICK = ("-deadline", "realtime", "-cpu-used", "8", "-row-mt", "1")
# Name -> ffmpeg's encoder, its pixel format, and its quality options.
CODECS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "h264": ("libx264", "yuv420p", ("-crf", "20", "-preset", "veryfast")),
    "h265": ("libx265", "yuv420p", ("-crf", "24", "-preset", "fast", "-tag:v", "hvc1")),
    "vp9": ("libvpx-vp9", "yuv420p", ("-crf", "32", "-b:v", "0", *_QUICK)),
}
_VIDEO = {".mp4": "h264", ".mov": "h264", ".mkv": "h264", ".webm": "vp9"}
_ANIMATED = (".gif", ".webp")
_STILL = (".png", ".jpg", ".jpeg")
SUFFIXES = (*_VIDEO, *_ANIMATED, *_STILL)
_WITH_ALPHA = (".png", ".gif", ".webp", ".webm")
# Frames of an animated image: it is held in memory as a whole.
_MOST_FRAMES = 1500
# Colours of a GIF, and the pixels of each example by which they are chosen.
_COLOURS = 128
_PIXELS = 4000
# A GIF's pixels are opaque or not: from this alpha on they are.
_OPAQUE = 128


@dataclass(frozen=True)
class Target:
    """A file to write, and how; made by `target`, which refuses impossible ones."""

    path: Path
    codec: str | None
    loop: bool

    @property
    def still(self) -> bool:
        """Whether it holds one frame."""
        return self.path.suffix.lower() in _STILL

    @property
    def animated(self) -> bool:
        """Whether it is an image that moves."""
        return self.path.suffix.lower() in _ANIMATED


def target(path: str | Path, *, codec: str | None, loop: bool, transparent: bool) -> Target:
    """Check, before any work is done, that a picture can be written.

    Parameters
    ----------
    path
        The suffix determines the format.
    codec
        One of `CODECS` for video, or None for the usual one.
    loop
        Whether an animated image repeats.
    transparent
        Whether frames have an alpha channel.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise FormatError(
            f"pictures of type {suffix or '(none)'} cannot be written; "
            f"supported: {', '.join(SUFFIXES)}, .html",
            path,
        )
    if transparent and suffix not in _WITH_ALPHA:
        raise FormatError(
            f"{suffix} has no transparency; use {', '.join(_WITH_ALPHA)} or another background",
            path,
        )
    if suffix in _VIDEO:
        codec = _VIDEO[suffix] if codec is None else codec
        if codec not in CODECS:
            raise FormatError(f"codec {codec!r}: expected {', '.join(CODECS)}", path)
        if suffix == ".webm" and codec != "vp9":
            raise FormatError(f"codec {codec!r}: a .webm file uses vp9", path)
        _require("imageio_ffmpeg", "video")
    elif codec is not None:
        raise FormatError(f"codec {codec!r}: only video has one, and {suffix} is an image", path)
    else:
        _require("PIL", "images")
    if path.is_dir():
        raise FormatError("this is a folder; give the name of a file", path)
    if not path.parent.is_dir():
        raise FormatError(f"the folder {path.parent} does not exist", path)
    return Target(path, codec, loop)


def check_length(where: Target, frames: int, fps: float) -> None:
    """Refuse an animated image that would not fit into memory."""
    if where.animated and frames > _MOST_FRAMES:
        raise FormatError(
            f"{frames} frames ({frames / fps:.0f} s) are too many for {where.path.suffix}; "
            f"the limit is {_MOST_FRAMES}: write .mp4 or .webm, or lower the frame rate",
            where.path,
        )


def write_frames(
    where: Target, frames: Iterable[Picture], fps: float, examples: Iterable[Picture] = ()
) -> None:
    """Write frames as they come; the file is written completely or not at all.

    Parameters
    ----------
    where
        The file.
    frames
        Bytes ``(height, width, 3)``, or 4 with transparency.
    fps
        How many there are per second.
    examples
        Some frames by which the colours of a GIF are chosen, beside the first.
    """
    from motionweave.io.store.atomic import atomic_path

    rows = iter(frames)
    first = next(rows, None)
    if first is None:
        raise FormatError("there are no frames to write", where.path)
    with atomic_path(where.path) as temporary:
        suffix = where.path.suffix.lower()
        if where.still:
            _save_still(first, temporary, suffix)
        elif suffix == ".gif":
            _save_gif(chain([first], rows), [first, *examples], temporary, fps, where.loop)
        elif suffix == ".webp":
            _save_webp(chain([first], rows), temporary, fps, where.loop)
        else:
            _save_video(chain([first], rows), first.shape, temporary, where, fps)


def _require(module: str, what: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise MissingDependencyError(f"writing {what} ({module})", "render")


def _save_video(
    frames: Iterator[Picture],
    shape: Sequence[int],
    temporary: Path,
    where: Target,
    fps: float,
) -> None:
    import imageio_ffmpeg

    encoder, pixels, options = CODECS[where.codec or "h264"]
    alpha = shape[2] == 4
    if alpha:
        pixels, options = "yuva420p", (*options, "-auto-alt-ref", "0")
    container = {".mkv": "matroska"}.get(where.path.suffix.lower(), where.path.suffix[1:].lower())
    writer: Any = imageio_ffmpeg.write_frames(
        str(temporary),
        (shape[1], shape[0]),
        pix_fmt_in="rgba" if alpha else "rgb24",
        pix_fmt_out=pixels,
        fps=fps,
        codec=encoder,
        quality=None,
        macro_block_size=1,
        ffmpeg_log_level="error",
        output_params=[*options, "-f", container],
    )
    writer.send(None)
    try:
        for frame in frames:
            writer.send(np.ascontiguousarray(frame))
    except OSError as error:
        reason = str(error).strip().splitlines()
        raise FormatError(
            f"ffmpeg cannot write this: {reason[-1] if reason else 'it stopped'}", where.path
        ) from error
    finally:
        writer.close()


def _save_still(frame: Picture, temporary: Path, suffix: str) -> None:
    from PIL import Image

    kind = "PNG" if suffix == ".png" else "JPEG"
    Image.fromarray(frame).save(temporary, format=kind, optimize=True)


def _save_webp(frames: Iterator[Picture], temporary: Path, fps: float, loop: bool) -> None:
    from PIL import Image

    images = (Image.fromarray(frame) for frame in frames)
    next(images).save(
        temporary,
        format="WEBP",
        save_all=True,
        append_images=images,
        duration=round(1000.0 / fps),
        loop=0 if loop else 1,
        quality=78,
        # More effort takes twice as long, and files become a twentieth to an eighth smaller.
        method=2,
    )


def _save_gif(
    frames: Iterator[Picture], examples: Sequence[Picture], temporary: Path, fps: float, loop: bool
) -> None:
    """One palette for all frames, so that nothing flickers and little changes."""
    from PIL import Image

    alpha = examples[0].shape[2] == 4
    palette = Image.fromarray(_usual_colours(examples)).quantize(_COLOURS, kmeans=1)

    def few_colours(frame: Picture) -> Any:
        image = Image.fromarray(np.ascontiguousarray(frame[..., :3])).quantize(
            palette=palette, dither=Image.Dither.NONE
        )
        if alpha:
            index = np.array(image)
            index[frame[..., 3] < _OPAQUE] = _COLOURS
            image.frombytes(index.tobytes())
        return image

    # Held as one byte per pixel: the lengths of frames must be known before the first is written.
    images = [few_colours(frame) for frame in frames]
    options: dict[str, Any] = {"transparency": _COLOURS, "disposal": 2} if alpha else {}
    if loop:
        options["loop"] = 0
    # GIF counts hundredths of a second; rounding errors are carried to the next frame.
    edges = np.round(np.arange(len(images) + 1) * 100.0 / fps).astype(int)
    images[0].save(
        temporary,
        format="GIF",
        save_all=True,
        append_images=images[1:],
        duration=[10 * int(d) for d in np.diff(edges)],
        optimize=False,
        **options,
    )


def _usual_colours(examples: Sequence[Picture]) -> Picture:
    """Colours ``(1, n, 3)`` of pictures, of those that occur often more than of others.

    Each is there by the square root of how often it was drawn from the pixels: by the number
    itself, the floor would leave few of a palette's entries to the body.
    """
    random = np.random.default_rng(0)
    drawn = []
    for picture in examples:
        pixels = picture.reshape(-1, picture.shape[2])
        if picture.shape[2] == 4:
            pixels = pixels[pixels[:, 3] >= _OPAQUE]
        drawn.append(random.choice(pixels[:, :3], min(len(pixels), _PIXELS), replace=False))
    colours, counts = np.unique(np.concatenate(drawn), axis=0, return_counts=True)
    if len(colours) == 0:
        return np.zeros((1, 1, 3), dtype=np.uint8)
    return np.repeat(colours, np.ceil(np.sqrt(counts)).astype(int), axis=0)[None]
