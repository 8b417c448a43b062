"""Reads single tensors of a file of weights (safetensors).

The file is read and not mapped: a mapped page counts as memory of the process although its numbers were copied long ago, and
the library maps them all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.errors import ModelDamaged

_LENGTH_BYTES = 8
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}


class WeightsFile:
    """A file of weights, which is open only while something is read of it."""

    def __init__(self, path: Path) -> None:
        """Reads where each tensor lies.

        Raises:
            ModelDamaged: it is no file of weights.
        """
        self._path = path
        with path.open("rb") as file:
            length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
            table = file.read(length) if length < path.stat().st_size else b""
        try:
            found: dict[str, dict[str, Any]] = json.loads(table)
            self._places = {name: place for name, place in found.items() if place.get("dtype") in _TYPES}
        except (ValueError, AttributeError) as error:
            raise self._damaged() from error
        self._start = _LENGTH_BYTES + length

    @property
    def names(self) -> Iterable[str]:
        """Names of the tensors of numbers with a point."""
        return self._places.keys()

    def tensor(self, name: str) -> NDArray[np.float32]:
        """Returns a tensor as float32; models may be stored in half precision.

        Raises:
            ModelDamaged: the file has no such tensor or ends before it.
        """
        shape = self._shape(name)
        with self._path.open("rb") as file:
            return self._read(file, name, 0, int(np.prod(shape))).reshape(shape)

    def rows(self, name: str, rows: Sequence[int]) -> NDArray[np.float32]:
        """Returns some rows of a matrix as float32, (len(rows), width); raises what `tensor` raises."""
        width = self._shape(name)[1]
        with self._path.open("rb") as file:
            return np.stack([self._read(file, name, row * width, width) for row in rows])

    def _shape(self, name: str) -> tuple[int, ...]:
        if name not in self._places:
            raise self._damaged()
        return tuple(self._places[name]["shape"])

    def _read(self, file: BinaryIO, name: str, first: int, count: int) -> NDArray[np.float32]:
        kind = np.dtype(_TYPES[self._places[name]["dtype"]])
        file.seek(self._start + int(self._places[name]["data_offsets"][0]) + first * kind.itemsize)
        content = file.read(count * kind.itemsize)
        if len(content) < count * kind.itemsize:
            raise self._damaged()
        numbers = np.frombuffer(content, kind)
        if kind == np.uint16:
            return (numbers.astype(np.uint32) << np.uint32(16)).view(np.float32)
        return numbers.astype(np.float32, copy=False)

    def _damaged(self) -> ModelDamaged:
        return ModelDamaged(
            f"{self._path} is cut short or no file of weights. Install or copy the embedding model again."
        )
