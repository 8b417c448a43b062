"""Finds lines of text in a picture, by the models of PP-OCRv6 that come with RapidOCR 3.10: Latin, Chinese and Japanese letters.

Of Western European letters, all with accents are among theirs; "„", "¡" and "ẞ" are not, and come as the nearest sign. One thread computes,
since a reading process can start no other. The models are loaded with this module: before the walls stand, and once for all
files that are read by forks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from rapidocr import RapidOCR

LONGEST_SIDE = 2000
"""Pixels to which a larger picture is reduced: 171 dpi of a sheet of A4."""
DETECTED_SIDE = 1280
"""Pixels of the longest side of the picture in which lines are looked for."""
POOR_CONFIDENCE = 0.9
"""Mean confidence below which a page is named as poorly read. Legible scans have 0.96 and more; at 0.87 half of the words are wrong."""
_TURNED_CONFIDENCE = 0.75
"""Mean confidence below which the picture may be upside down."""
_TALL = 1.5
"""Height of a line, as a multiple of its width, that runs up or down the page."""


@dataclass(frozen=True, slots=True)
class PictureLine:
    """A line of text in a picture; lengths are pixels of the picture, x to the right and y downwards, as one reads."""

    text: str
    left: float
    right: float
    middle: float
    """y of its middle, after the slant of the page was taken out."""
    height: float
    confidence: float
    """Mean confidence of its letters, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class PictureText:
    """Text of a picture."""

    lines: tuple[PictureLine, ...]
    """Lines from the top to the bottom."""
    height: float
    """Height of the picture with its text upright, in pixels."""
    width: float

    @property
    def confidence(self) -> float:
        """Mean confidence of all letters; 1 if there are none."""
        letters = sum(len(line.text) for line in self.lines)
        return sum(line.confidence * len(line.text) for line in self.lines) / letters if letters else 1.0


def read_picture(picture: NDArray[np.uint8]) -> PictureText:
    """Returns the text of a picture, turned by quarters if that makes its lines run from left to right.

    Args:
        picture: (height, width, 3) uint8.
    """
    found = _read(picture, 0)
    tall = sum(len(text) for text, box, _ in found if _is_tall(box))
    if 2 * tall > sum(len(text) for text, _, _ in found):
        turned = [_text(_read(picture, turns), picture, turns) for turns in (1, 3)]
        return max(turned, key=lambda one: one.confidence)
    upright = _text(found, picture, 0)
    if not upright.lines or upright.confidence >= _TURNED_CONFIDENCE:
        return upright
    return max(upright, _text(_read(picture, 2), picture, 2), key=lambda one: one.confidence)


_Box = NDArray[np.float32]
"""(4, 2): corners of a line, clockwise from the upper left."""


def _read(picture: NDArray[np.uint8], turns: int) -> list[tuple[str, _Box, float]]:
    """Returns (text, corners, confidence) of the lines in a picture that is turned to the left by some quarters."""
    found = _ENGINE(np.ascontiguousarray(np.rot90(picture, turns)))
    if found.txts is None or found.boxes is None or found.scores is None:
        return []
    rows = zip(found.txts, found.boxes, found.scores, strict=True)
    return [(str(text), np.asarray(box, np.float32), float(score)) for text, box, score in rows if text.strip()]


def _is_tall(box: _Box) -> bool:
    width, height = np.ptp(box, axis=0)
    return bool(height > _TALL * width)


def _text(found: Sequence[tuple[str, _Box, float]], picture: NDArray[np.uint8], turns: int) -> PictureText:
    height, width = picture.shape[:2] if turns % 2 == 0 else picture.shape[1::-1]
    slant = _slant([box for _, box, _ in found])
    straight = np.array([[math.cos(slant), -math.sin(slant)], [math.sin(slant), math.cos(slant)]], np.float32)
    lines = [_line(text, box @ straight, confidence) for text, box, confidence in found]
    return PictureText(tuple(sorted(lines, key=lambda line: (line.middle, line.left))), float(height), float(width))


def _slant(boxes: Sequence[_Box]) -> float:
    """Returns the angle by which the lines of a page run downwards, in radians: that of the longer half of them."""
    sizes = sorted(((float(np.ptp(box[:, 0])), box) for box in boxes), key=lambda one: -one[0])
    longer = [box for _, box in sizes[: (len(sizes) + 1) // 2]]
    return median(math.atan2(*(box[1] - box[0])[::-1]) for box in longer) if longer else 0.0


def _line(text: str, box: _Box, confidence: float) -> PictureLine:
    height = (box[3, 1] - box[0, 1] + box[2, 1] - box[1, 1]) / 2
    return PictureLine(
        text, float(box[:, 0].min()), float(box[:, 0].max()), float(box[:, 1].mean()), float(height), confidence
    )


def _engine() -> Any:
    """Returns RapidOCR with its models loaded."""
    cv2.setNumThreads(1)
    engine = RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.max_side_len": LONGEST_SIDE,
            "Global.use_cls": False,
            "Det.limit_side_len": DETECTED_SIDE,
            "Det.limit_type": "max",
            # A batch of six lines takes 0.6 GB more, and longer: all are padded to the longest.
            "Rec.rec_batch_num": 1,
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
    blank = np.full((48, 320, 3), 255, np.uint8)
    # Each model is loaded when it is first used.
    engine(blank, use_det=True, use_rec=False)
    engine(blank, use_det=False, use_rec=True)
    return partial(engine, use_det=True, use_rec=True)


_ENGINE = _engine()
