"""Keeps named arrays in a cache, of which a reader loads only the parts that it uses.

Payload: 8 bytes with the length of the table of contents, the table as JSON (name → type, first byte, shape), and the arrays,
each at a multiple of ALIGNMENT bytes of the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noderag_local.storage.snapshots.cache_file import HEADER_BYTES, Part, read_payload, write_payload

ALIGNMENT = 64
"""Bytes; a cache line, and more than any type of number needs."""
_LENGTH_BYTES = 8

Array = NDArray[Any]
Arrays = Mapping[str, Array]


def read_arrays(path: Path, kind: bytes, origin: bytes) -> Arrays | None:
    """Returns the arrays of a file; None if it is missing, damaged or of another origin. Arguments as for `read_payload`.

    The arrays are views of the file. They may be changed, which changes only this process's view.
    """
    payload = read_payload(path, kind, origin)
    try:
        return None if payload is None else _unpacked(payload)
    except (ValueError, KeyError, TypeError, OverflowError):
        # The MAC is right, but the content is not a table of arrays.
        return None


def write_arrays(path: Path, kind: bytes, origin: bytes, arrays: Arrays) -> bool:
    """Writes the arrays; returns what `write_payload` returns."""
    return write_payload(path, kind, origin, *_packed(arrays))


def narrowed(array: Array) -> Array:
    """Converts an int64 array to int32 if every number fits, which halves the file."""
    if array.dtype == np.int64 and (len(array) == 0 or int(array.max()) < 2**31):
        return array.astype(np.int32)
    return array


def _packed(arrays: Arrays) -> Iterator[Part]:
    """Yields the parts of the payload; joined they would be another copy of the arrays."""
    places, end = {}, 0
    for name, array in arrays.items():
        places[name] = (array.dtype.str, end, array.shape)
        end = _aligned(end + array.nbytes)
    table = json.dumps(places).encode()
    start = HEADER_BYTES + _LENGTH_BYTES
    table = table.ljust(_aligned(start + len(table)) - start)
    yield len(table).to_bytes(_LENGTH_BYTES, "little") + table
    for array in arrays.values():
        yield np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        yield bytes(_aligned(array.nbytes) - array.nbytes)


def _unpacked(payload: memoryview) -> dict[str, Array]:
    start = _LENGTH_BYTES + int.from_bytes(payload[:_LENGTH_BYTES], "little")
    places = json.loads(bytes(payload[_LENGTH_BYTES:start]))
    return {
        name: np.frombuffer(payload, np.dtype(kind), int(np.prod(shape)), start + at).reshape(shape)
        if int(np.prod(shape))
        else np.empty(shape, np.dtype(kind))
        for name, (kind, at, shape) in places.items()
    }


def _aligned(length: int) -> int:
    return -(-length // ALIGNMENT) * ALIGNMENT
