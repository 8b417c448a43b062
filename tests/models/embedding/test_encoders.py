"""Both paths to a vector against sentence-transformers in float32, on real sentences."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest
from helpers import musique

from noderag_local.models.embedding.embedder import EmbeddedChunk, PassageVectors, embedded
from noderag_local.models.embedding.model_files import WINDOW, model_folder
from noderag_local.models.embedding.question_encoder import QuestionEncoder
from noderag_local.models.embedding.sentence_transformer import SentenceTransformerEmbedder
from noderag_local.models.embedding.wordpieces import WordPieces


@pytest.fixture(scope="module")
def reference() -> Iterator[object]:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(model_folder()), device="cpu", local_files_only=True)
    model.max_seq_length = WINDOW
    yield model


@pytest.fixture(scope="module")
def embedder() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(threads=2)


def passages() -> list[EmbeddedChunk]:
    return [EmbeddedChunk(record["title"], tuple(record["text"].split(". "))) for record in musique.records()[:24]]


def vectors_of(embedder: SentenceTransformerEmbedder, of: list[EmbeddedChunk]) -> list[PassageVectors]:
    found = embedded(embedder, of)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def once(embedder: SentenceTransformerEmbedder) -> list[PassageVectors]:
    """Vectors of `passages()`, for every test that compares something with them."""
    return vectors_of(embedder, passages())


def test_questions_are_encoded_as_by_sentence_transformers(reference) -> None:
    questions = [question["question"] for question in musique.questions()] + ["谁写了这封信？", "", "x " * 600]
    encoder = QuestionEncoder()
    for question, vector in zip(questions, reference.encode(questions, normalize_embeddings=True), strict=True):
        assert float(encoder.encode(question) @ vector) > 0.99999


def test_questions_that_are_encoded_together_do_not_see_each_other() -> None:
    questions = [*(question["question"] for question in musique.questions()[:5]), "", "谁写了这封信？"]
    encoder = QuestionEncoder()
    for question, vector in zip(questions, encoder.encode_all(questions), strict=True):
        assert float(np.abs(encoder.encode(question) - vector).max()) < 1e-6


def test_chunks_are_within_a_thousandth_of_float32(reference, once: list[PassageVectors]) -> None:
    exact = reference.encode([passage.text() for passage in passages()], normalize_embeddings=True)
    found = np.stack([vectors.chunk for vectors in once])
    cosines = (exact * found).sum(axis=1)
    assert cosines.mean() >= 0.999
    assert cosines.min() >= 0.995


def test_sentences_are_means_of_their_pieces_in_the_chunk(reference, once: list[PassageVectors]) -> None:
    """Late chunking by hand from float32 states."""
    tokenizer = reference.tokenizer
    for passage, vectors in zip(passages(), once, strict=True):
        states = reference.encode(passage.text(), output_value="token_embeddings").float().numpy()
        offsets = tokenizer(passage.text(), return_offsets_mapping=True)["offset_mapping"]
        for (start, end), vector in zip(passage.spans(), vectors.sentences, strict=True):
            own = [row for row, (first, last) in enumerate(offsets) if start <= first < last <= end]
            mean = states[own].mean(axis=0)
            assert float(vector @ mean) / np.linalg.norm(mean) > 0.998


def test_the_same_list_gives_the_same_bits(embedder: SentenceTransformerEmbedder, once: list[PassageVectors]) -> None:
    again = vectors_of(embedder, passages())
    assert all(np.array_equal(a.chunk, b.chunk) for a, b in zip(once, again, strict=True))
    assert all(np.array_equal(a.sentences, b.sentences) for a, b in zip(once, again, strict=True))


def test_a_passage_has_the_same_bits_alone_and_among_others_of_its_length(
    embedder: SentenceTransformerEmbedder,
) -> None:
    words = "river boat harbour winter paper letter garden music".split()
    alike = [
        EmbeddedChunk("", (" ".join(words[(first + step) % 8] for step in range(long)),))
        for long in (12, 96)
        for first in range(8)
    ]
    for passage, among in zip(alike, vectors_of(embedder, alike), strict=True):
        (alone,) = vectors_of(embedder, [passage])
        assert np.array_equal(alone.chunk, among.chunk)
        assert np.array_equal(alone.sentences, among.sentences)


def test_how_far_it_is_is_told_after_each_batch_and_nothing_is_left_of_a_stopped_list(
    embedder: SentenceTransformerEmbedder,
) -> None:
    told: list[int] = []
    assert embedded(embedder, passages(), told.append, lambda: len(told) == 1) is None
    assert len(told) == 1
    whole = embedded(embedder, passages(), told.append, lambda: False)
    assert whole is not None
    assert told[1:] == sorted(set(told[1:]))
    assert told[-1] == sum(len(passage.sentences) for passage in passages())


def test_who_waits_between_two_batches_gets_the_same_bits(
    embedder: SentenceTransformerEmbedder, once: list[PassageVectors]
) -> None:
    waited = embedded(embedder, passages(), cancelled=lambda: bool(time.sleep(0.01)))
    assert waited is not None
    for one, other in zip(waited, once, strict=True):
        assert np.array_equal(one.chunk, other.chunk)
        assert np.array_equal(one.sentences, other.sentences)


def test_what_lies_behind_the_window_takes_the_chunks_vector(embedder: SentenceTransformerEmbedder) -> None:
    passage = EmbeddedChunk("", ("river " * 600, "The boat is blue."))
    vectors = vectors_of(embedder, [passage])[0]
    assert np.allclose(vectors.sentences[1], vectors.chunk, atol=1e-6)
    assert np.isfinite(vectors.sentences).all()


def test_an_empty_list_costs_nothing(embedder: SentenceTransformerEmbedder) -> None:
    assert vectors_of(embedder, []) == []


def test_word_pieces_are_counted_without_the_marks_at_the_ends() -> None:
    assert WordPieces().count(["hello world", "", "unbelievable"]) == [2, 0, 1]


def test_spans_are_the_sentences_of_the_text() -> None:
    passage = EmbeddedChunk("Trip > Lisbon", ("It was warm.", "We stayed long."))
    assert [passage.text()[start:end] for start, end in passage.spans()] == list(passage.sentences)
