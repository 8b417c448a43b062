"""Writes a BERT folder of sentence-transformers as a GGUF, as llama.cpp's own converter does."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from helpers.tiny_gguf import Raw, array, text

LAYER_NAMES = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}
MEAN_POOLING = 1
CONTROL, NORMAL = 3, 1


def write_bert_gguf(folder: Path, target: Path) -> None:
    """Writes the model of `folder`, in float32 and with mean pooling, to `target`."""
    shape = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    vocabulary = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    pieces = sorted(vocabulary, key=vocabulary.__getitem__)
    special = [piece.startswith("[") and piece.endswith("]") and len(piece) > 2 for piece in pieces]
    named = [
        piece if is_special else piece[2:] if piece.startswith("##") else "▁" + piece
        for piece, is_special in zip(pieces, special, strict=True)
    ]
    fields: dict[str, str | int | Raw] = {
        "general.architecture": "bert",
        "general.name": folder.name,
        "bert.block_count": shape["num_hidden_layers"],
        "bert.context_length": shape["max_position_embeddings"],
        "bert.embedding_length": shape["hidden_size"],
        "bert.feed_forward_length": shape["intermediate_size"],
        "bert.attention.head_count": shape["num_attention_heads"],
        "bert.attention.layer_norm_epsilon": Raw(6, struct.pack("<f", shape["layer_norm_eps"])),
        "bert.attention.causal": Raw(7, b"\0"),
        "bert.pooling_type": MEAN_POOLING,
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.token_type_count": 2,
        "tokenizer.ggml.tokens": array(8, len(named), b"".join(text(piece) for piece in named)),
        "tokenizer.ggml.token_type": array(
            5, len(named), struct.pack(f"<{len(named)}i", *(CONTROL if one else NORMAL for one in special))
        ),
    }
    tensors = _tensors(folder, shape["num_hidden_layers"])
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(fields))
    head += b"".join(text(name) + _value(value) for name, value in fields.items())
    place = 0
    for name, values in tensors.items():
        head += text(name) + struct.pack("<I", values.ndim) + struct.pack(f"<{values.ndim}Q", *values.shape[::-1])
        head += struct.pack("<IQ", 0, place)
        place += values.nbytes + -values.nbytes % 32
    with open(target, "wb") as file:
        file.write(head + bytes(-len(head) % 32))
        for values in tensors.values():
            file.write(values.tobytes() + bytes(-values.nbytes % 32))


def _tensors(folder: Path, layers: int) -> dict[str, np.ndarray]:
    stored = load_file(folder / "model.safetensors")
    names = {
        "embeddings.word_embeddings.weight": "token_embd.weight",
        "embeddings.position_embeddings.weight": "position_embd.weight",
        "embeddings.token_type_embeddings.weight": "token_types.weight",
        "embeddings.LayerNorm.weight": "token_embd_norm.weight",
        "embeddings.LayerNorm.bias": "token_embd_norm.bias",
    }
    for layer in range(layers):
        for long, short in LAYER_NAMES.items():
            for part in ("weight", "bias"):
                names[f"encoder.layer.{layer}.{long}.{part}"] = f"blk.{layer}.{short}.{part}"
    return {short: np.ascontiguousarray(stored[long], "<f4") for long, short in names.items()}


def _value(value: str | int | Raw) -> bytes:
    if isinstance(value, Raw):
        return struct.pack("<I", value.kind) + value.data
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    return struct.pack("<II", 4, value)
