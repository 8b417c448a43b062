"""A `.gitignore` that somebody else wrote: read as git reads it, in time that grows with the paths alone."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from noderag_local.ingest.scan.ignore_rules import MAX_RULE_CHARACTERS, MAX_RULES, IgnoreRules
from noderag_local.ingest.scan.ignored import MAX_IGNORE_FILE_BYTES, RULES_OVER_LIMIT
from noderag_local.ingest.scan.scan import Scan, scan

LIMIT = 1 << 20
LONG_NAME = "a" * 240 + ".md"
BOMBS = {
    "stars and letters": "*a" * 60 + "*b",
    "stars and any letter": "*?" * 100 + "*b",
    "stars and classes": "*[ab]" * 60 + "*c",
    "refused classes": "*[!b]" * 60 + "*b",
    "folders of any number": "**/a*" * 60 + "/b",
    "stars alone": "*" * 900 + "b",
    "stars in every part": "/".join(["*a*a*a*a*a*a*a*a*a*b"] * 40),
    "open brackets": "[" * 900,
    "named classes": "*[[:alpha:]]" * 60 + "*1",
    "backslashes": "\\" * 901,
}


def walked(folder: Path, rules: str) -> Scan:
    (folder / ".gitignore").write_text(rules, encoding="utf-8")
    return scan([folder], LIMIT)


@pytest.mark.parametrize("rule", BOMBS.values(), ids=BOMBS)
def test_no_rule_hangs_the_walk(tmp_path: Path, rule: str) -> None:
    deep = tmp_path.joinpath(*["a" * 100] * 8)
    deep.mkdir(parents=True)
    for folder in (tmp_path, deep):
        (folder / LONG_NAME).write_text("text")
    found = walked(tmp_path, f"{rule}\n{rule}/\n!{rule}\n" * 100)
    assert len(found.files) == 2


def test_rules_over_the_limits_are_told(tmp_path: Path) -> None:
    (tmp_path / "last.md").write_text("text")
    found = walked(tmp_path, "".join(f"name{number}\n" for number in range(MAX_RULES)) + "last.md\n")
    assert [file.path for file in found.files] == [str(tmp_path / "last.md")]
    (told,) = [skipped for skipped in found.skipped if skipped.reason != "hidden"]
    assert (told.reason, told.is_error) == (RULES_OVER_LIMIT, True)
    assert f".gitignore:{MAX_RULES + 1} " in told.detail


def test_a_rule_that_is_too_long_is_told_and_the_others_count(tmp_path: Path) -> None:
    (tmp_path / "left out.md").write_text("text")
    found = walked(tmp_path, "x" * (MAX_RULE_CHARACTERS + 1) + "\nleft out.md\n")
    assert found.files == ()
    assert {skipped.reason for skipped in found.skipped} == {"hidden", RULES_OVER_LIMIT, "named in .gitignore"}


def test_a_file_that_is_too_large_is_told(tmp_path: Path) -> None:
    (tmp_path / "left out.md").write_text("text")
    found = walked(tmp_path, "left out.md\n" + "# \n" * MAX_IGNORE_FILE_BYTES)
    assert found.files == ()
    assert RULES_OVER_LIMIT in {skipped.reason for skipped in found.skipped}


def test_rules_and_names_that_are_no_utf_8(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_bytes(b"*\xff.md\n")
    try:
        (tmp_path / "a\udcff.md").write_text("text")
    except OSError:
        pytest.skip("this file system takes names in UTF-8 alone")
    assert scan([tmp_path], LIMIT).files == ()


GIT = shutil.which("git")
PIECES = [*"aab*?-!\\ #.", "**/", "/**/", "/**", "[a-b]", "[!a]", "[]a]", "[^-]", "[[:alpha:]]", "/", "*"]


@pytest.mark.skipif(GIT is None, reason="git is not installed")
@pytest.mark.parametrize("seed", range(3))
def test_rules_are_read_as_git_reads_them(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    subprocess.run([str(GIT), "init", "-q", tmp_path], check=True)
    for _ in range(60):
        rules = "".join(f"{rule_by(chance)}\n" for _ in range(chance.randrange(1, 4)))
        paths = ["/".join(name_by(chance) for _ in range(chance.randrange(1, 4))) for _ in range(20)]
        (tmp_path / ".gitignore").write_text(rules)
        ours = [path for path in paths if is_left_out(IgnoreRules.of(rules), path)]
        assert ours == left_out_by_git(tmp_path, paths), rules


def rule_by(chance: random.Random) -> str:
    """A rule without what git itself reads in odd ways: empty parts, and stars beside two stars."""
    while True:
        rule = "".join(chance.choice(PIECES) for _ in range(chance.randrange(1, 7)))
        odd = "//" in rule or "***" in rule or "\\/" in rule
        if not odd and all(part == "**" or "**" not in part for part in rule.split("/")):
            return rule


def name_by(chance: random.Random) -> str:
    return "".join(chance.choice("aab b-[]!.") for _ in range(chance.randrange(1, 4))).strip(" .") or "a"


def is_left_out(rules: IgnoreRules, path: str) -> bool:
    """As the walk decides: a folder that is left out is not entered."""
    parts = path.split("/")
    verdicts = [rules.verdict(parts[:length], length < len(parts)) for length in range(1, len(parts) + 1)]
    return any(verdicts)


def left_out_by_git(folder: Path, paths: list[str]) -> list[str]:
    command = [str(GIT), "check-ignore", "--no-index", "--stdin", "-z"]
    answer = subprocess.run(command, input="\0".join(paths) + "\0", capture_output=True, text=True, cwd=folder)
    named = set(answer.stdout.split("\0"))
    return [path for path in paths if path in named]
