"""Reads the header of a GGUF file in plain Python, to identify the model and check that the file is complete.

llama.cpp itself must not be the first to open a file from elsewhere, since a damaged or hostile header can crash the whole
process. Every count and length is checked against the size of the file and a fixed limit before it is used.
Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3, little-endian.
"""

from __future__ import annotations

import math
import stat
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from noderag_local.domain.errors import ModelDamaged, ModelMissing
from noderag_local.system.printing.plain_text import printable

MAX_HEAD_BYTES = 64 << 20
"""Maximum size of a header; those of current models take 5 to 20 MB, most of it vocabulary."""
MAX_FIELDS = 1 << 16
MAX_TENSORS = 1 << 17
MAX_ARRAY_LENGTH = 1 << 22
MAX_NAME_CHARACTERS = 120
MAX_PATH_CHARACTERS = 4096
DEFAULT_ALIGNMENT = 32

STRING, ARRAY = 8, 9
SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
"""Maps a GGUF value type to its struct format."""

# fmt: off
TENSOR_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17),
}
# fmt: on
"""Maps a ggml type to (elements per block, bytes per block)."""

Scalar = int | float | bool | str


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """Facts about a model from the header of its GGUF file."""

    version: int
    architecture: str
    """Architecture, such as "qwen2" or "llama"."""
    name: str
    """The model's own name without control characters; empty if it has none."""
    context_tokens: int
    """Context length that the model was trained for; 0 if the file does not say."""
    has_chat_template: bool
    tensor_count: int
    parameters: int
    """Number of parameters in all tensors."""
    needed_bytes: int
    """Minimum length of a file with this header; the file has at least this length."""


def read_header(path: Path) -> GgufHeader:
    """Reads the header of a GGUF file and checks it against the length of the file.

    Raises:
        ModelMissing: the file does not exist or cannot be opened.
        ModelDamaged: it is not a GGUF file, its header is inconsistent, or it is shorter than its tensors.
    """
    try:
        if not path.is_dir() and not stat.S_ISREG(path.stat().st_mode):
            # Opening a pipe waits until somebody writes to it.
            raise ModelDamaged(f"{path} is no file. Name a GGUF file.")
        with open(path, "rb") as file:
            size = file.seek(0, 2)
            file.seek(0)
            return _parse(_Head(file, path), size)
    except OSError as error:
        raise ModelMissing(
            f"{path} cannot be read: {error.strerror or error}. Check its name and permissions."
        ) from error


def _parse(head: _Head, file_bytes: int) -> GgufHeader:
    if head.take(4) != b"GGUF":
        raise head.damaged("is no GGUF file")
    version = head.scalar("<I")
    if version not in (2, 3):
        raise head.damaged(f"has the GGUF version {version}; versions 2 and 3, little-endian, can be read")
    tensor_count = head.count(MAX_TENSORS, "tensors")
    fields = _read_fields(head, head.count(MAX_FIELDS, "fields"))
    alignment = _whole_number(fields.get("general.alignment"), DEFAULT_ALIGNMENT)
    if not 0 < alignment <= 1 << 20:
        raise head.damaged(f"has the impossible alignment {alignment}")
    parameters, tensor_bytes = _read_tensors(head, tensor_count)
    needed = math.ceil(head.position / alignment) * alignment + tensor_bytes if tensor_count else head.position
    if file_bytes < needed:
        raise head.damaged(f"is cut short: {file_bytes:,} bytes of at least {needed:,}")
    if (parts := _whole_number(fields.get("split.count"), 1)) > 1:
        raise head.damaged(f"is one of {parts} parts; join them first (llama-gguf-split --merge)")
    architecture = one_line(str(fields.get("general.architecture", "")))
    return GgufHeader(
        version=int(version),
        architecture=architecture,
        name=one_line(str(fields.get("general.name", ""))),
        context_tokens=_whole_number(fields.get(f"{architecture}.context_length"), 0),
        has_chat_template=bool(fields.get("tokenizer.chat_template")),
        tensor_count=tensor_count,
        parameters=parameters,
        needed_bytes=needed,
    )


def _read_fields(head: _Head, count: int) -> dict[str, Scalar]:
    """Reads the fields that are not arrays and skips the arrays (vocabularies)."""
    fields: dict[str, Scalar] = {}
    seen: set[str] = set()
    for _ in range(count):
        key = head.text()
        if key in seen:
            raise head.damaged(f"has the field {one_line(key)!r} twice")
        seen.add(key)
        kind = head.scalar("<I")
        if kind == ARRAY:
            _skip_array(head)
        elif kind == STRING:
            fields[key] = head.text()
        elif kind in SCALARS:
            fields[key] = head.scalar(SCALARS[int(kind)])
        else:
            raise head.damaged(f"has a field of the unknown type {kind}")
    return fields


def _skip_array(head: _Head) -> None:
    kind = head.scalar("<I")
    length = head.count(MAX_ARRAY_LENGTH, "array items")
    if kind == STRING:
        head.skip_texts(length)
    elif kind in SCALARS:
        head.skip(length * struct.calcsize(SCALARS[int(kind)]))
    else:
        raise head.damaged(f"has an array of the type {kind}, which nothing reads")


def _read_tensors(head: _Head, count: int) -> tuple[int, int]:
    """Returns the number of parameters and the bytes from the start of the tensor data to the end of the last tensor."""
    parameters, end = 0, 0
    for _ in range(count):
        name = head.text()
        dimensions = [head.scalar("<Q") for _ in range(head.count(4, "dimensions", "<I"))]
        kind, offset = head.scalar("<I"), head.scalar("<Q")
        elements = math.prod(int(dimension) for dimension in dimensions)
        # The type is newer than this table; its tensor has at least one byte.
        block, block_bytes = TENSOR_BLOCKS.get(int(kind), (max(elements, 1), 1))
        if elements % block or elements < 1:
            raise head.damaged(f"has the tensor {one_line(name)!r} with an impossible shape")
        parameters += elements
        end = max(end, int(offset) + elements // block * block_bytes)
    return parameters, end


def _whole_number(value: Scalar | None, default: int) -> int:
    return value if isinstance(value, int) else default


def one_line(text: str, limit: int = MAX_NAME_CHARACTERS) -> str:
    """Returns the first `limit` characters of a text from a file, printable and on one line."""
    return " ".join(printable(text[: limit * 4]).split())[:limit].strip()


class _Head:
    """The bytes at the start of a file, read as far as needed."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self._path = path
        self._bytes = bytearray()
        self.position = 0

    def damaged(self, what: str) -> ModelDamaged:
        name = one_line(str(self._path), MAX_PATH_CHARACTERS)
        return ModelDamaged(f"{name} {what}. Get it again: noderag models get, or noderag models add with a good copy.")

    def take(self, length: int) -> bytes:
        start = self._advance(length)
        return bytes(self._bytes[start : self.position])

    def skip(self, length: int) -> None:
        self._advance(length)

    def scalar(self, form: str) -> int | float:
        start = self._advance(struct.calcsize(form))
        value: int | float = struct.unpack_from(form, self._bytes, start)[0]
        return value

    def count(self, limit: int, what: str, form: str = "<Q") -> int:
        value = int(self.scalar(form))
        if value > limit:
            raise self.damaged(f"claims to have {value:,} {what}, more than any model")
        return value

    def text(self) -> str:
        return self.take(int(self.scalar("<Q"))).decode("utf-8", "replace")

    def skip_texts(self, count: int) -> None:
        # A vocabulary has 300,000 entries; one call for each would take half a second.
        unpack = struct.Struct("<Q").unpack_from
        for _ in range(count):
            if self.position + 8 > len(self._bytes):
                self._read_to(self.position + 8)
            self.position += 8 + unpack(self._bytes, self.position)[0]
            if self.position > len(self._bytes):
                self._read_to(self.position)

    def _advance(self, length: int) -> int:
        start = self.position
        if start + length > len(self._bytes):
            self._read_to(start + length)
        self.position = start + length
        return start

    def _read_to(self, end: int) -> None:
        if end > MAX_HEAD_BYTES:
            raise self.damaged(f"has a head of more than {MAX_HEAD_BYTES >> 20} MB, more than any model")
        self._bytes += self._file.read(max(end - len(self._bytes), 1 << 20))
        if end > len(self._bytes):
            raise self.damaged(f"is cut short: it ends after {len(self._bytes):,} bytes, inside its head")
