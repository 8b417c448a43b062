"""The catalogue that ships, and finding an installed model by the words of the settings."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from helpers.tiny_gguf import Tensor, gguf

from noderag_local.domain.errors import ModelDamaged, ModelMissing
from noderag_local.models.llm.gguf_files.catalog import (
    CatalogEntry,
    HttpsSource,
    InstalledSource,
    ModelRole,
    PackageSource,
    catalog,
    default_entry,
    entry_of_file,
    find_entry,
    installed_file,
)
from noderag_local.models.llm.gguf_files.hashes import hash_file
from noderag_local.models.llm.gguf_files.installed import installed_models, remove_model, resolve_model
from noderag_local.models.llm.gguf_files.part_file import Silent


@pytest.fixture(params=catalog(), ids=lambda entry: entry.name)
def entry(request: pytest.FixtureRequest) -> CatalogEntry:
    return request.param  # type: ignore[no-any-return]


class TestEveryEntry:
    def test_says_what_a_person_must_know(self, entry: CatalogEntry) -> None:
        assert re.fullmatch(r"[a-z0-9][a-z0-9._-]+", entry.name)
        assert entry.description
        assert "\n" not in entry.description
        assert entry.licence
        assert entry.prompt_style
        assert entry.size_bytes > 10_000_000
        assert entry.context_tokens >= 256

    def test_has_a_hash_or_none_at_all(self, entry: CatalogEntry) -> None:
        assert re.fullmatch(r"[0-9a-f]{64}|", entry.sha256)

    def test_is_fetched_over_encrypted_addresses_of_one_file(self, entry: CatalogEntry) -> None:
        for source in entry.sources:
            if isinstance(source, HttpsSource):
                parts = urlsplit(source.url)
                assert parts.scheme == "https"
                assert parts.path.endswith(".gguf")

    def test_has_packages_that_add_up_to_its_size(self, entry: CatalogEntry) -> None:
        for source in entry.sources:
            if isinstance(source, PackageSource):
                assert (source.parts - 1) * source.part_bytes < entry.size_bytes <= source.parts * source.part_bytes
                assert source.parts == 1 or source.requirement(2) != source.requirement(1)
                assert source.parts == 1 or source.member(2) != source.member(1)

    def test_says_how_an_embedding_model_is_used(self, entry: CatalogEntry) -> None:
        if entry.role is ModelRole.EMBEDDING:
            assert entry.languages
            assert entry.dimensions >= 32
            assert entry.question_prefix == "" or entry.question_prefix[-1] in " :"
        else:
            assert (entry.languages, entry.dimensions) == ((), 0)

    def test_is_found_by_its_name(self, entry: CatalogEntry) -> None:
        assert find_entry(entry.name.upper()) is entry
        assert find_entry(entry.file_name) is entry
        assert entry_of_file(entry.size_bytes, entry.sha256) is entry


def test_names_are_given_once() -> None:
    assert len({entry.name for entry in catalog()}) == len(catalog())


@pytest.mark.parametrize("role", ModelRole)
def test_each_role_has_one_default(role: ModelRole) -> None:
    assert [entry for entry in catalog() if entry.role is role and entry.default] == [default_entry(role)]


def test_the_maker_is_asked_before_the_packages() -> None:
    kinds = [type(source) for source in default_entry().sources]
    assert kinds == [HttpsSource, PackageSource]


def test_an_unknown_name_is_told_all_the_names() -> None:
    with pytest.raises(ModelMissing, match=f"{default_entry().name}.*noderag models add"):
        find_entry("gpt-9")


def test_a_file_of_other_contents_is_no_model_of_the_catalogue() -> None:
    assert entry_of_file(default_entry().size_bytes, "0" * 64) is None


def test_the_embedding_model_came_with_the_installation() -> None:
    model = default_entry(ModelRole.EMBEDDING)
    (source,) = model.sources
    assert isinstance(source, InstalledSource)
    path = installed_file(source)
    assert path is not None
    assert path.stat().st_size == model.size_bytes
    assert hash_file(path, Silent()) == model.sha256


def test_a_package_that_is_not_installed_holds_no_file() -> None:
    assert installed_file(InstalledSource("no_such_package_at_all", "model.bin")) is None


class TestInstalledModels:
    def test_an_empty_or_missing_folder_holds_none(self, tmp_path: Path) -> None:
        assert installed_models(tmp_path) == []
        assert installed_models(tmp_path / "missing") == []

    def test_damaged_files_are_listed_with_what_is_wrong(self, tmp_path: Path) -> None:
        (tmp_path / "good.gguf").write_bytes(gguf())
        (tmp_path / "cut.gguf").write_bytes(gguf()[:-1])
        (tmp_path / "gone.gguf").symlink_to(tmp_path / "nowhere")
        (tmp_path / "notes.txt").write_text("no model", encoding="utf-8")
        models = {model.name: model for model in installed_models(tmp_path)}
        assert list(models) == ["cut", "gone", "good"]
        assert "cut short" in models["cut"].problem
        assert "cannot be read" in models["gone"].problem
        assert models["good"].problem == ""
        assert models["good"].header is not None


class TestTheModelThatAnswers:
    def test_without_a_setting_it_is_the_default(self, tmp_path: Path) -> None:
        (tmp_path / default_entry().file_name).write_bytes(gguf())
        (tmp_path / "larger.gguf").write_bytes(gguf(tensors=[Tensor(dimensions=(1000,))], data_bytes=4000))
        assert resolve_model("", tmp_path).name == default_entry().file_name

    def test_without_the_default_it_is_the_one_with_the_most_parameters_that_can_chat(self, tmp_path: Path) -> None:
        large = [Tensor(dimensions=(1000,))]
        (tmp_path / "small.gguf").write_bytes(gguf())
        (tmp_path / "large.gguf").write_bytes(gguf(tensors=large, data_bytes=4000))
        (tmp_path / "mute.gguf").write_bytes(gguf({"tokenizer.chat_template": ""}, large, data_bytes=9000))
        (tmp_path / "cut.gguf").write_bytes(gguf(tensors=[Tensor(dimensions=(9000,))], data_bytes=4000))
        assert resolve_model("", tmp_path).name == "large.gguf"

    @pytest.mark.parametrize("wanted", ["mine", "mine.gguf", "Mine.GGUF", "MINE"])
    def test_it_is_named_with_or_without_its_end(self, tmp_path: Path, wanted: str) -> None:
        (tmp_path / "mine.gguf").write_bytes(gguf())
        assert resolve_model(wanted, tmp_path).name.lower() == "mine.gguf"

    def test_it_may_lie_anywhere(self, tmp_path: Path) -> None:
        file = tmp_path / "elsewhere.gguf"
        file.write_bytes(gguf())
        assert resolve_model(str(file), tmp_path / "models") == file

    def test_without_any_the_way_out_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(ModelMissing, match=r"noderag models get.*noderag models add"):
            resolve_model("", tmp_path)

    def test_when_all_are_damaged_each_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "cut.gguf").write_bytes(gguf()[:-1])
        (tmp_path / "mute.gguf").write_bytes(gguf({"tokenizer.chat_template": ""}))
        with pytest.raises(ModelDamaged, match=r"cut\.gguf is cut short.*mute\.gguf has no chat template"):
            resolve_model("", tmp_path)

    def test_one_of_the_catalogue_that_is_not_there_is_to_be_fetched(self, tmp_path: Path) -> None:
        with pytest.raises(ModelMissing, match=f"noderag models get {default_entry().name}"):
            resolve_model(default_entry().name, tmp_path)

    def test_one_that_nobody_knows_is_told_those_that_are_there(self, tmp_path: Path) -> None:
        (tmp_path / "mine.gguf").write_bytes(gguf())
        with pytest.raises(ModelMissing, match=r"'yours'.*mine\.gguf"):
            resolve_model("yours", tmp_path)


class TestRemoving:
    def test_a_model_goes_with_all_that_belongs_to_it(self, tmp_path: Path) -> None:
        for end in ("", ".part", ".part.json"):
            (tmp_path / f"mine.gguf{end}").write_bytes(gguf())
        (tmp_path / "mine.gguf.packages").mkdir()
        (tmp_path / "other.gguf").write_bytes(gguf())
        assert len(remove_model("mine", tmp_path)) == 4
        assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["other.gguf"]

    @pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "", ".", "..", "notes.txt", "missing"])
    def test_nothing_else_can_be_removed(self, tmp_path: Path, name: str) -> None:
        models = tmp_path / "models"
        models.mkdir()
        (tmp_path / "outside.gguf").write_bytes(gguf())
        (models / "notes.txt").write_text("mine", encoding="utf-8")
        with pytest.raises(ModelMissing):
            remove_model(name, models)
        assert (tmp_path / "outside.gguf").exists()
        assert (models / "notes.txt").exists()
