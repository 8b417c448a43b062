"""Builds GGUF files of a few hundred bytes, whole or wrong in any way that a test wants."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

F32, Q4_K = 0, 12


class Tensor(NamedTuple):
    name: str = "token_embd.weight"
    dimensions: tuple[int, ...] = (8, 4)
    kind: int = F32
    offset: int = 0


class Raw(NamedTuple):
    """A field's value as it is to stand in the file, whatever it says."""

    kind: int
    data: bytes


def text(value: str) -> bytes:
    data = value.encode("utf-8", "surrogatepass")
    return struct.pack("<Q", len(data)) + data


def array(kind: int, length: int, data: bytes) -> Raw:
    return Raw(9, struct.pack("<IQ", kind, length) + data)


def gguf(
    fields: Mapping[str, str | int | Raw] | None = None,
    tensors: Sequence[Tensor] = (Tensor(),),
    *,
    magic: bytes = b"GGUF",
    version: int = 3,
    field_count: int | None = None,
    tensor_count: int | None = None,
    data_bytes: int = 128,
) -> bytes:
    """A file; `fields` come on top of those that a chat model has. `data_bytes` is the length of the tensor data."""
    all_fields: dict[str, str | int | Raw] = {
        "general.architecture": "tiny",
        "general.name": "Tiny Model",
        "tiny.context_length": 4096,
        "tokenizer.chat_template": "{{ messages }}",
        "tokenizer.ggml.tokens": array(8, 3, text("a") + text("b") + text("c")),
        "tokenizer.ggml.scores": array(6, 2, struct.pack("<2f", 0.5, 1.5)),
        **(fields or {}),
    }
    head = magic + struct.pack("<I", version)
    head += struct.pack("<Q", len(tensors) if tensor_count is None else tensor_count)
    head += struct.pack("<Q", len(all_fields) if field_count is None else field_count)
    for name, value in all_fields.items():
        head += text(name) + _value(value)
    for tensor in tensors:
        head += text(tensor.name) + struct.pack("<I", len(tensor.dimensions))
        head += struct.pack(f"<{len(tensor.dimensions)}Q", *tensor.dimensions)
        head += struct.pack("<IQ", tensor.kind, tensor.offset)
    padding = -len(head) % 32
    return head + bytes(padding) + bytes(range(256)) * (data_bytes // 256) + bytes(data_bytes % 256)


def _value(value: str | int | Raw) -> bytes:
    if isinstance(value, Raw):
        return struct.pack("<I", value.kind) + value.data
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    return struct.pack("<II", 4, value)
