"""A reader that a file has taken over reads no other file and changes none; and what a machine lacks is told."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hostile.attacking import outcomes
from hostile.taken_over import CHANGES, READINGS
from hostile.taking_away import LANDLOCK, NAMESPACES, SECCOMP, run_without

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these walls")

NOTE = "Vera grows basil on the balcony."
PAGE = "<html><body><p>Vera grows thyme in the yard.</p></body></html>"


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    path = tmp_path / "diary.md"
    path.write_text("Dear diary", encoding="utf-8")
    return path


def test_no_file_is_read_and_no_folder_listed(diary: Path) -> None:
    assert outcomes([*READINGS], diary) == dict.fromkeys(READINGS, "EACCES")


@pytest.mark.parametrize("missing", [(), (LANDLOCK,)], ids=["all walls", "no Landlock"])
def test_no_file_is_changed_even_where_files_can_be_read(diary: Path, missing: tuple[str, ...]) -> None:
    before = {path.name: path.stat() for path in diary.parent.iterdir()}
    assert set(outcomes([*CHANGES], diary, missing, without_walls=True).values()) == {"ENOSYS"}
    after = {path.name: path.stat() for path in diary.parent.iterdir()}
    assert {name: (status.st_size, status.st_mode) for name, status in before.items()} == {
        name: (status.st_size, status.st_mode) for name, status in after.items()
    }


def test_without_landlock_no_foreign_file_is_handed_over(diary: Path) -> None:
    told = outcomes(["nothing"], diary, [LANDLOCK])
    assert "away from your files." in told["refused"]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "note.md").write_text(NOTE, encoding="utf-8")
    (folder / "page.html").write_text(PAGE, encoding="utf-8")
    return folder


def indexed(missing: Sequence[str], vault: Path, notes: Path) -> tuple[str, str]:
    """What is left out by a run on a machine without some calls, and what the vault then says."""
    done = run_without(missing, [sys.executable, "-c", INDEXING, Path(__file__).parents[1], vault, notes])
    assert done.returncode == 0, done.stderr
    left_out, texts = done.stdout.splitlines()
    return left_out, texts


INDEXING = """
import sys
from pathlib import Path
sys.path.append(sys.argv[1])
from helpers.changing_notes import index
from noderag_local.storage.database.store import Store
with Store.open(Path(sys.argv[2]), write=True) as store:
    print(*[skipped.detail for skipped in index(store, Path(sys.argv[3])).skipped])
    print(*[text for (text,) in store.rows("SELECT text FROM sentences")])
"""


def test_without_walls_text_is_read_and_other_formats_are_named_until_the_walls_are_back(
    notes: Path, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    left_out, texts = indexed([LANDLOCK], vault, notes)
    assert "page.html was not read: this system cannot keep the reader of its format away from your files" in left_out
    assert "basil" in texts and "thyme" not in texts
    left_out, texts = indexed([], vault, notes)
    assert "page.html" not in left_out
    assert "basil" in texts and "thyme" in texts


def test_a_vault_keeps_what_it_has_of_a_file_that_can_no_longer_be_read(notes: Path, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    indexed([], vault, notes)
    (notes / "page.html").write_text(PAGE.replace("thyme", "mint"), encoding="utf-8")
    left_out, texts = indexed([LANDLOCK], vault, notes)
    assert "page.html was not read" in left_out
    assert "thyme" in texts


@pytest.mark.parametrize(
    ("missing", "walls", "is_in_order"),
    [
        ([], [], True),
        ([NAMESPACES], ["network"], True),
        ([SECCOMP], ["system calls"], True),
        ([LANDLOCK], ["files"], False),
        ([NAMESPACES, SECCOMP], ["network", "system calls"], False),
    ],
)
def test_the_doctor_tells_each_wall_that_is_missing(
    tmp_path: Path, missing: list[str], walls: list[str], is_in_order: bool
) -> None:
    done = run_without(
        missing, [sys.executable, "-m", "noderag_local", "doctor", "--vault", tmp_path / "none", "--json"]
    )
    findings = json.loads(done.stdout)
    told = {one["what"]: one for one in findings}
    for wall in ("files", "network", "system calls", "dumps"):
        assert told[f"wall: {wall}"]["detail"].startswith("missing: ") == (wall in walls)
        assert told[f"wall: {wall}"]["ok"] == (wall not in walls or is_in_order)
        assert bool(told[f"wall: {wall}"]["remedy"]) == (wall in walls)
    assert told["reading process"]["ok"] == is_in_order
    assert bool(told["reading process"]["remedy"]) == (not is_in_order)
