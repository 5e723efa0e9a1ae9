"""Textures of meshes: decoded once, made no larger than a film needs, and laid end to end."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.errors import QualityWarning

# Pixels along the longer side: beyond them a film of a usual size only flickers.
_LARGEST = 1024


@dataclass(frozen=True, eq=False)
class Textures:
    """Textures, as a compiled loop can look them up.

    Parameters
    ----------
    texels
        ``(n, 4)`` linear red, green and blue, and alpha, of all textures row by row.
    sheets
        ``(K, 3)`` of each texture its first texel, its rows and its columns; no rows for one
        that could not be read.
    """

    texels: NDArray[np.float32]
    sheets: NDArray[np.intp]


# For surfaces that have none.
NO_TEXTURES = Textures(np.zeros((1, 4), dtype=np.float32), np.zeros((1, 3), dtype=np.intp))


def decoded(images: Sequence[tuple[str, bytes]]) -> Textures:
    """Textures of a file, by kind and content; what cannot be read is said and left out.

    Parameters
    ----------
    images
        Kind, such as ``"image/png"``, and content. Without a kind there is nothing.
    """
    texels, sheets, start = [NO_TEXTURES.texels], [], 1
    for number, (kind, content) in enumerate(images):
        pixels = _pixels(content, number) if kind else None
        if pixels is None:
            sheets.append((0, 0, 0))
            continue
        sheets.append((start, *pixels.shape[:2]))
        texels.append(pixels.reshape(-1, 4))
        start += len(texels[-1])
    if not sheets:
        return NO_TEXTURES
    return Textures(np.concatenate(texels), np.array(sheets, dtype=np.intp))


def _pixels(content: bytes, number: int) -> NDArray[np.float32] | None:
    """A picture ``(rows, columns, 4)``, linear; None if it cannot be read."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            # Pillow only warns of pictures that are too large for any mesh.
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content)) as image:
                image.thumbnail((_LARGEST, _LARGEST))
                values = np.asarray(image.convert("RGBA"), dtype=np.float32) / 255.0
    except Exception as error:
        # A decoder of others raises whatever it stumbles over.
        message = f"texture {number} of the mesh cannot be read and is left out: {error}"
        warnings.warn(message, QualityWarning, stacklevel=2)
        return None
    colour = values[..., :3]
    values[..., :3] = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return values
