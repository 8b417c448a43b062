"""Settings: what wins over what, and that nothing misspelt goes unnoticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from noderag_local.config import load_settings
from noderag_local.domain.budget_bounds import MOST_BUDGET
from noderag_local.domain.errors import SettingsError


@pytest.fixture
def settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "settings.toml"
    monkeypatch.setenv("NODERAG_SETTINGS", str(path))
    return path


def test_defaults_without_a_file(settings_file: Path) -> None:
    assert load_settings().budget_tokens == 500


def test_flags_win_over_variables_and_variables_over_the_file(
    settings_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings_file.write_text("budget_tokens = 2000\nanswer_tokens = 100\nthreads = 3\n", encoding="utf-8")
    monkeypatch.setenv("NODERAG_BUDGET_TOKENS", "3000")
    monkeypatch.setenv("NODERAG_ANSWER_TOKENS", "150")
    found = load_settings(budget_tokens=4000, method=None)
    assert (found.budget_tokens, found.answer_tokens, found.threads, found.method) == (4000, 150, 3, "noderag")


def test_a_budget_of_an_old_version_that_is_too_large_counts_as_the_largest(
    settings_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings_file.write_text("budget_tokens = 200000\n", encoding="utf-8")
    assert load_settings().budget_tokens == MOST_BUDGET
    monkeypatch.setenv("NODERAG_BUDGET_TOKENS", "300000")
    assert load_settings().budget_tokens == MOST_BUDGET


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("budget_tokns = 5", "There is no setting budget_tokns in {file}. Did you mean budget_tokens?"),
        ("unheard_of = 5", "There is no setting unheard_of in {file}. Fix or remove that line."),
        ("unheard_of = 5\nthreads = -1", "remove that line. A setting cannot be used: threads: it must be at least 0."),
        ("budget_tokens = 'many'", "budget_tokens: it must be a whole number."),
        ("threads = -1", "threads: it must be at least 0."),
        ('model = "a\\u0000b"', "model: it holds a NUL character."),
        ("budget_tokens = ", "not valid TOML"),
    ],
)
def test_a_wrong_line_is_told_with_the_file(settings_file: Path, text: str, told: str) -> None:
    settings_file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert told.format(file=settings_file) in str(caught.value)
    assert str(settings_file) in str(caught.value)


def test_a_misspelt_variable_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODERAG_BUDGET", "5")
    with pytest.raises(SettingsError, match="NODERAG_BUDGET_TOKENS"):
        load_settings()


def test_the_key_of_a_server_is_never_shown(settings_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings_file.write_text("server_key = 'sk-secret'\n", encoding="utf-8")
    found = load_settings()
    assert found.server_key.get_secret_value() == "sk-secret"
    assert "secret" not in f"{found!r} {found} {found.model_dump()} {found.model_dump_json()}"
    settings_file.write_text("server_key = ['sk-secret']\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="server_key") as caught:
        load_settings()
    assert "secret" not in str(caught.value)
