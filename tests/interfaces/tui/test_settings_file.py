"""Changes to the settings file: what a person wrote stays, and nothing wrong is written."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from noderag_local.config import Settings, load_settings
from noderag_local.domain.errors import SettingsError
from noderag_local.interfaces.tui.settings.settings_file import Origin, change_setting, forget_setting, origins

WRITTEN = """# My notes
budget_tokens = 2000   # more than usual

# where the models are
models_dir = "/srv/models"
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "folder" / "settings.toml"
    monkeypatch.setenv("NODERAG_SETTINGS", str(path))
    return path


@pytest.fixture
def written(file: Path) -> Path:
    file.parent.mkdir()
    file.write_text(WRITTEN, encoding="utf-8")
    return file


def test_a_change_leaves_comments_and_other_keys(written: Path) -> None:
    change_setting("budget_tokens", " 3000 ")
    assert written.read_text(encoding="utf-8") == WRITTEN.replace("2000", "3000")
    assert load_settings().budget_tokens == 3000


def test_a_new_key_comes_after_the_others(written: Path) -> None:
    change_setting("method", "bm25")
    assert written.read_text(encoding="utf-8") == WRITTEN + 'method = "bm25"\n'


def test_the_first_change_makes_the_file_for_its_owner_alone(file: Path) -> None:
    change_setting("server_key", "secret")
    assert load_settings().server_key.get_secret_value() == "secret"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["settings.toml"]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("server_private_network", "yes", True),
        ("server_private_network", "no", False),
        ("gpu_layers", "-1", -1),
        ("model", "", ""),
        ("vault", "/srv/vault", Path("/srv/vault")),
        ("theme", "light", "light"),
        ("model", 'a"b\\c \u2028 d', 'a"b\\c \u2028 d'),
    ],
)
def test_every_kind_of_value_comes_back_as_it_was(file: Path, name: str, text: str, value: object) -> None:
    change_setting(name, text)
    assert getattr(load_settings(), name) == value


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("budget_tokens", "many", "a whole number"),
        ("budget_tokens", "3", "at least 50"),
        ("budget_tokens", "100001", "at most 100,000"),
        ("theme", "blue", "'dark' or 'light'"),
        ("server_private_network", "perhaps", "true or false"),
    ],
)
def test_a_wrong_value_is_refused_and_the_file_stays(written: Path, name: str, text: str, says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        change_setting(name, text)
    assert written.read_text(encoding="utf-8") == WRITTEN


def test_a_budget_that_is_too_large_comes_from_the_file(written: Path) -> None:
    written.write_text("budget_tokens = 200000\n", encoding="utf-8")
    assert origins(load_settings())["budget_tokens"] is Origin.FILE


def test_forgetting_brings_the_default_back(written: Path) -> None:
    forget_setting("budget_tokens")
    forget_setting("method")
    assert load_settings().budget_tokens == Settings.model_fields["budget_tokens"].default
    assert 'models_dir = "/srv/models"' in written.read_text(encoding="utf-8")


def test_a_link_stays_a_link(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = tmp_path / "link.toml"
    link.symlink_to(written)
    monkeypatch.setenv("NODERAG_SETTINGS", str(link))
    change_setting("threads", "2")
    assert link.is_symlink()
    assert "threads = 2" in written.read_text(encoding="utf-8")


def test_a_broken_file_is_told_and_kept(written: Path) -> None:
    written.write_text("budget_tokens = \n", encoding="utf-8")
    for attempt in (lambda: change_setting("threads", "2"), lambda: forget_setting("threads")):
        with pytest.raises(SettingsError, match=r"settings\.toml cannot be read"):
            attempt()
    assert written.read_text(encoding="utf-8") == "budget_tokens = \n"
    assert set(origins(Settings.model_construct()).values()) == {Origin.UNREADABLE}


def test_where_each_value_comes_from(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODERAG_THREADS", "3")
    settings = load_settings(method="naive")
    found = origins(settings)
    assert {name: found[name] for name in ("budget_tokens", "threads", "method", "answer_tokens")} == {
        "budget_tokens": Origin.FILE,
        "threads": Origin.VARIABLE,
        "method": Origin.FLAG,
        "answer_tokens": Origin.DEFAULT,
    }
