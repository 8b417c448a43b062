"""Which embedding model is meant, and its vectors, for each kind: folder, GGUF and server."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from helpers.bert_gguf import write_bert_gguf
from helpers.four_bit_model import four_bit_model
from helpers.model_server import Exchange, ModelServer, serving

from noderag_local.config import Settings, load_settings
from noderag_local.domain.errors import ModelDamaged, ModelError, ModelMissing, SettingsError
from noderag_local.models.embedding.embedder import EmbeddedChunk, Embedder, PassageVectors, embedded
from noderag_local.models.embedding.embedding_model import Runner, embedding_model, folder_shape
from noderag_local.models.embedding.model_files import MODEL_NAME, model_folder
from noderag_local.models.embedding.opening import open_embedder, question_encoder
from noderag_local.models.embedding.q4_file import convert

CHUNK = EmbeddedChunk("tea", ("green tea.", "tea: a query.", "茶 green"))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A models folder that holds the catalogue's multilingual-e5-small, with the weights of a tiny random model."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "small.bin").write_bytes(four_bit_model().data)
    convert(folder / "small.bin", folder / "multilingual-e5-small")
    return folder


@pytest.fixture(scope="module")
def first_token(models: Path) -> Path:
    """The same model, but its vectors are the state of the first token."""
    folder = models / "first-token"
    shutil.copytree(models / "multilingual-e5-small", folder)
    pooling = {"word_embedding_dimension": 32, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    return folder


def vectors_of(embedder: Embedder, *passages: EmbeddedChunk) -> list[PassageVectors]:
    found = embedded(embedder, passages)
    assert found is not None
    return found


def exact(folder: Path, texts: list[str]) -> np.ndarray:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True, model_kwargs={"dtype": "float32"})
    return np.asarray(model.encode(texts, normalize_embeddings=True), dtype=np.float32)


class TestWhichOneIsMeant:
    def test_nothing_means_the_installed_one(self, tmp_path: Path) -> None:
        meant = embedding_model("", tmp_path)
        assert (meant.name, meant.identity, meant.runner) == (MODEL_NAME, MODEL_NAME, Runner.FOLDER)
        assert meant.place == str(model_folder())
        assert embedding_model("All-MiniLM-L6-v2", tmp_path) == meant

    def test_a_name_of_the_catalogue_brings_its_prefixes(self, models: Path) -> None:
        meant = embedding_model("multilingual-e5-small", models)
        assert (meant.question_prefix, meant.passage_prefix) == ("query: ", "passage: ")
        assert meant.identity.startswith("multilingual-e5-small, ")
        assert meant.chosen_by == "multilingual-e5-small"
        assert meant.languages == ("*",)

    def test_one_that_is_not_there_is_told_with_the_command_that_fetches_it(self, tmp_path: Path) -> None:
        with pytest.raises(ModelMissing, match="noderag models get multilingual-e5-small"):
            embedding_model("multilingual-e5-small", tmp_path)

    def test_any_folder_of_sentence_transformers_is_taken(self, first_token: Path) -> None:
        meant = embedding_model(str(first_token), first_token)
        assert meant.identity.startswith("first-token ")
        assert meant.question_prefix == "query: "
        assert embedding_model(meant.chosen_by, Path("elsewhere")) == meant

    def test_a_folder_without_weights_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ModelDamaged, match="no weights"):
            embedding_model(str(tmp_path), tmp_path)

    def test_a_server_is_named_by_its_address(self, tmp_path: Path) -> None:
        meant = embedding_model("http://127.0.0.1:8081#multilingual-e5-small", tmp_path)
        assert meant.runner is Runner.SERVER
        assert meant.passage_prefix == "passage: "

    def test_an_unknown_name_is_told_what_there_is(self, tmp_path: Path) -> None:
        with pytest.raises(ModelMissing, match=r"all-minilm-l6-v2, multilingual-e5-small"):
            embedding_model("nonsense", tmp_path)


class TestWhatAVaultNotes:
    """Vectors that were made in another way are not mixed: the identity tells them apart."""

    @pytest.fixture
    def folder(self, models: Path, tmp_path: Path) -> Path:
        return Path(shutil.copytree(models / "multilingual-e5-small", tmp_path / "mine"))

    @pytest.mark.parametrize(
        ("file", "changed"),
        [
            ("config_sentence_transformers.json", {"prompts": {"query": "query: ", "document": "text: "}}),
            ("config_sentence_transformers.json", {"prompts": {}}),
            ("1_Pooling/config.json", {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}),
            ("1_Pooling/config.json", {"pooling_mode": "max"}),
            ("sentence_bert_config.json", {"max_seq_length": 9}),
        ],
    )
    def test_another_prefix_pooling_or_window_is_another_identity(
        self, folder: Path, file: str, changed: dict[str, object]
    ) -> None:
        before = embedding_model(str(folder), folder)
        (folder / file).write_text(json.dumps(json.loads((folder / file).read_text("utf-8")) | changed), "utf-8")
        after = embedding_model(str(folder), folder)
        assert after.identity != before.identity
        assert after.chosen_by == before.chosen_by

    def test_another_prefix_of_questions_leaves_the_vectors_as_they_are(self, folder: Path) -> None:
        before = embedding_model(str(folder), folder)
        card = {"prompts": {"query": "question: ", "document": "passage: "}}
        (folder / "config_sentence_transformers.json").write_text(json.dumps(card), "utf-8")
        after = embedding_model(str(folder), folder)
        assert (after.question_prefix, after.identity) == ("question: ", before.identity)

    def test_the_installed_model_is_noted_as_the_first_version_noted_it(self, tmp_path: Path) -> None:
        assert embedding_model("", tmp_path).identity == "all-MiniLM-L6-v2"

    def test_a_served_model_is_noted_with_its_prefix(self, tmp_path: Path) -> None:
        plain = embedding_model("http://127.0.0.1:8081#mine", tmp_path)
        assert plain.identity == "served http://127.0.0.1:8081#mine"
        prefixed = embedding_model("http://127.0.0.1:8081#multilingual-e5-small", tmp_path)
        assert "'passage: '" in prefixed.identity


class TestAFolder:
    def test_sentences_are_means_of_their_tokens_behind_the_prefix(self, models: Path) -> None:
        from sentence_transformers import SentenceTransformer

        meant = embedding_model("multilingual-e5-small", models)
        (found,) = vectors_of(open_embedder(meant, load_settings()), CHUNK)
        assert folder_shape(Path(meant.place)).is_mean
        model = SentenceTransformer(meant.place, device="cpu", local_files_only=True, model_kwargs={"dtype": "float32"})
        whole = "passage: " + CHUNK.text()
        states = model.encode(whole, output_value="token_embeddings").float().numpy()
        encoding = model.tokenizer(whole, return_offsets_mapping=True)
        for (start, end), vector in zip(CHUNK.spans(), found.sentences, strict=True):
            own = [at for at, (_, last) in enumerate(encoding["offset_mapping"]) if start + 9 < last <= end + 9]
            mean = states[own].mean(axis=0)
            assert float(vector @ mean) / np.linalg.norm(mean) > 0.998
        assert float(found.chunk @ exact(Path(meant.place), [whole])[0]) > 0.998

    def test_a_question_is_encoded_without_torch_as_by_sentence_transformers(self, models: Path) -> None:
        meant = embedding_model("multilingual-e5-small", models)
        asked = ["green tea", "茶?", ""]
        ours = question_encoder(meant, load_settings())(asked)
        theirs = exact(Path(meant.place), ["query: " + one for one in asked])
        assert (ours * theirs).sum(axis=1).min() > 0.9999

    def test_with_another_pooling_each_sentence_is_read_by_itself(self, first_token: Path) -> None:
        meant = embedding_model(str(first_token), first_token)
        (found,) = vectors_of(open_embedder(meant, load_settings()), CHUNK)
        texts = ["passage: " + text for text in (CHUNK.text(), *CHUNK.sentences)]
        ours = np.vstack([found.chunk[None], found.sentences])
        assert (ours * exact(first_token, texts)).sum(axis=1).min() > 0.998
        asked = question_encoder(meant, load_settings())(["tea"])
        assert float((asked * exact(first_token, ["query: tea"])).sum()) > 0.998


class TestAGguf:
    def test_its_vectors_are_those_of_sentence_transformers(self, tmp_path: Path) -> None:
        write_bert_gguf(model_folder(), tmp_path / "minilm.gguf")
        meant = embedding_model("minilm", tmp_path)
        assert meant.runner is Runner.GGUF
        embedder = open_embedder(meant, load_settings(threads=1))
        chunk = EmbeddedChunk("Trip", ("It was warm in Lisbon.", "We stayed long."))
        (found,) = vectors_of(embedder, chunk)
        assert embedder.dim == 384
        texts = [chunk.text(), *chunk.sentences]
        ours = np.vstack([found.chunk[None], found.sentences])
        assert (ours * exact(model_folder(), texts)).sum(axis=1).min() > 0.999
        asked = embedder.questions(["Where was it warm?", "x " * 3000])
        assert float(asked[0] @ exact(model_folder(), ["Where was it warm?"])[0]) > 0.999
        assert np.isfinite(asked).all()


class TestAServer:
    @pytest.fixture
    def site(self) -> Iterator[ModelServer]:
        with serving() as server:
            server.routes["/v1/embeddings"] = lengths
            yield server

    def test_texts_go_there_with_their_prefixes_and_come_back_in_order(self, site: ModelServer, tmp_path: Path) -> None:
        site.models = [{"id": "other"}, {"id": "multilingual-e5-small"}]
        meant = embedding_model(f"{site.url}/v1#multilingual-e5-small", tmp_path)
        embedder = open_embedder(meant, settings(server_key="secret"))
        assert embedder.dim == 3
        (found,) = vectors_of(embedder, EmbeddedChunk("", ("tea", "green tea")))
        assert np.allclose(found.sentences[1], unit("passage: green tea"), atol=1e-6)
        assert np.allclose(embedder.questions(["tea"])[0], unit("query: tea"), atol=1e-6)
        assert site.headers[-1]["authorization"] == "Bearer secret"

    @pytest.mark.parametrize(
        "data",
        [
            None,
            [],
            [{"index": 0, "embedding": []}],
            [{"index": 0, "embedding": [1.0, None]}],
            [{"index": 0, "embedding": [1.0, 1e999]}],
            [{"index": 5, "embedding": [1.0]}],
        ],
    )
    def test_an_answer_that_is_no_vector_is_refused(self, site: ModelServer, tmp_path: Path, data: object) -> None:
        site.routes["/v1/embeddings"] = lambda exchange: exchange.send_document({"data": data})
        with pytest.raises(ModelError, match=r"vectors|numbers"):
            open_embedder(embedding_model(site.url, tmp_path), settings())

    def test_addresses_outside_are_refused_as_for_a_server_that_answers(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match="private network"):
            open_embedder(embedding_model("http://192.168.7.7:8080", tmp_path), settings())
        with pytest.raises(SettingsError, match="server_private_network"):
            open_embedder(embedding_model("https://api.example.com", tmp_path), settings())


def settings(**changes: object) -> Settings:
    return load_settings(server_timeout_seconds=10, **changes)


def lengths(exchange: Exchange) -> None:
    """Answers with vectors that tell their texts apart, the last one first."""
    texts = exchange.document["input"]
    data = [{"index": at, "embedding": unit(one).tolist()} for at, one in enumerate(texts)]
    exchange.send_document({"data": data[::-1]})


def unit(text: str) -> np.ndarray:
    row = np.array([len(text), text.count("e"), text.count("s") + 1], dtype=np.float64)
    return row / np.linalg.norm(row)
