"""The 4-bit file of multilingual-e5-small, made into a folder that sentence-transformers opens."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from helpers.four_bit_model import INNER, PIECES, WIDTH, four_bit_model
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from noderag_local.config import load_settings
from noderag_local.domain.errors import ModelDamaged
from noderag_local.models.embedding.q4_file import convert
from noderag_local.models.embedding.question_pieces import QuestionPieces
from noderag_local.models.embedding.wordpieces import WordPieces
from noderag_local.models.llm.gguf_files.catalog import find_entry
from noderag_local.models.llm.gguf_files.model_folders import folder_of

REFERENCE = Path(__file__).parents[2] / "data" / "embedding" / "e5_vectors.json"
"""Made by the package's own engine: `scripts/bench/e5_vectors.py`."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("converted")
    (made / "small.bin").write_bytes(four_bit_model().data)
    convert(made / "small.bin", made / "model")
    return made / "model"


def test_every_weight_has_the_value_that_the_file_gives_it(folder: Path) -> None:
    ours, theirs = load_file(folder / "model.safetensors"), four_bit_model().weights
    for name, short, shape in (
        ("embeddings.word_embeddings.weight", "emb.word", (-1, WIDTH)),
        ("encoder.layer.1.attention.output.dense.weight", "l1.ao.w", (WIDTH, WIDTH)),
        ("encoder.layer.0.intermediate.dense.weight", "l0.fi.w", (INNER, WIDTH)),
        ("encoder.layer.0.output.dense.weight", "l0.fo.w", (WIDTH, INNER)),
        ("encoder.layer.1.output.LayerNorm.bias", "l1.oln.b", (WIDTH,)),
    ):
        assert np.allclose(ours[name].astype(np.float32), theirs[short].reshape(shape), rtol=1e-3, atol=0)


def test_a_text_is_cut_as_the_file_says(folder: Path) -> None:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert tokenizer.encode("query: green  tea").tokens == ["<s>", "▁query", ":", "▁green", "▁tea", "</s>"]
    assert tokenizer.encode("green\u200btea\x07s").tokens == ["<s>", "▁green", "▁tea", "s", "</s>"]
    assert tokenizer.encode("t\uff41").ids == [0, PIECES.index("▁"), PIECES.index("<unk>"), PIECES.index("a"), 2]
    assert tokenizer.encode("茶").ids == [0, PIECES.index("▁"), PIECES.index("茶"), 2]


@pytest.mark.parametrize(
    "text", ["query: green  tea", "t\uff41 tt 茶", "", " ", "tea" * 40, "green\u200btea\x07s", "\ud800 tea"]
)
def test_a_question_is_cut_alike_by_the_table_of_its_own(folder: Path, text: str) -> None:
    whole = WordPieces(folder, 64).windows([text])[0].ids
    assert QuestionPieces(folder, 64).ids(text) == whole


def test_sentence_transformers_opens_the_folder(folder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    assert model.prompts["query"] == "query: "
    assert model.max_seq_length == 64
    one, other = model.encode(["passage: green tea", "passage: tea"])
    assert one.shape == (WIDTH,)
    assert np.linalg.norm(one) == pytest.approx(1.0, abs=1e-3)
    assert not np.allclose(one, other, atol=1e-2)


@pytest.mark.parametrize("length", [0, 3, 60, 500, 3000])
def test_a_file_that_is_cut_short_is_refused(tmp_path: Path, length: int) -> None:
    (tmp_path / "short.bin").write_bytes(four_bit_model().data[:length])
    with pytest.raises(ModelDamaged, match=r"short\.bin"):
        convert(tmp_path / "short.bin", tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.bin").write_bytes(b"GGUF" + bytes(1000))
    with pytest.raises(ModelDamaged, match="first bytes are not those of a 4-bit model"):
        convert(tmp_path / "other.bin", tmp_path / "model")


@pytest.mark.real
def test_the_real_model_gives_the_vectors_of_the_packages_own_engine() -> None:
    place = folder_of(find_entry("multilingual-e5-small"), load_settings().models_dir)
    if place is None:
        pytest.skip("multilingual-e5-small is not in the models folder: noderag models get multilingual-e5-small")
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(place), device="cpu", local_files_only=True)
    reference = json.loads(REFERENCE.read_text(encoding="utf-8"))
    vectors = model.encode([one["text"] for one in reference]).astype(np.float32)
    tokenizer = Tokenizer.from_file(str(place / "tokenizer.json"))
    questions = QuestionPieces(place, 512)
    for one, vector in zip(reference, vectors, strict=True):
        theirs = np.frombuffer(base64.b64decode(one["vector"]), "<f2").astype(np.float32)
        cosine = float(vector @ theirs / np.linalg.norm(vector) / np.linalg.norm(theirs))
        assert cosine > 0.999, one["language"]
        assert len(tokenizer.encode(one["text"])) == one["tokens"], one["language"]
        assert questions.ids(one["text"]) == tokenizer.encode(one["text"]).ids, one["language"]
