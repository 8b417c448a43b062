"""Zip archives as folders of documents."""

from __future__ import annotations

import io
import json
import os
import shutil
import stat
import zipfile
from pathlib import Path

import pytest
from helpers.reading_process import found_in
from helpers.word_counter import read, sentences, texts
from ingest.formats.bombs import docx, zipped
from ingest.formats.known_text import DOCUMENTS

from noderag_local.config import Settings
from noderag_local.domain.documents import Document, Skipped, WikiLink
from noderag_local.ingest.chunks.parsed_document import Draft
from noderag_local.ingest.formats.archives.member_walk import MemberWalk
from noderag_local.ingest.formats.registry import format_of
from noderag_local.ingest.sandbox.worker_exchange import Task
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.ingest.scan.ignore_rules import MAX_RULES
from noderag_local.ingest.scan.scan import scan
from noderag_local.vault.vault import Vault

ID = f"{0xA1:032x}"


def archive(tmp_path: Path, members: dict[str, bytes | str], name: str = "notes.zip") -> Path:
    path = tmp_path / name
    path.write_bytes(zipped({name: data.encode() if isinstance(data, str) else data for name, data in members.items()}))
    return path


def places(document: Document) -> list[str]:
    return [one.passage.place for one in sentences(document)]


def told(skipped: list[Skipped]) -> str:
    return " ".join(one.detail for one in skipped)


def test_every_file_that_a_folder_would_give_is_a_document_with_its_place(tmp_path: Path) -> None:
    pdf = (DOCUMENTS / "known-groff.pdf").read_bytes()
    members = {
        "b/Bread.md": "---\ndate: 2026-05-03\n---\n# My bread\n\nBake it. Eat it.\n\n- [ ] Buy flour\n- [x] Buy salt\n",
        "a.txt": "First line.\n\nSecond line.\n",
        "c/d.csv": "Name,Town\nEve,Rome\n",
        "e.jsonl": '{"title": "One", "text": "A fern."}\n{"text": "A moss."}\n',
        "known.pdf": pdf,
        "film.mp4": b"no text",
    }
    documents, skipped = read(archive(tmp_path, members))
    assert [one.title for one in documents][:5] == ["a", "My bread", "d", "One", "e"]
    assert [one.record for one in documents] == list(range(6))
    text, bread, table, fern, *_, paper = documents
    assert places(text) == ["a.txt, line 1", "a.txt, line 3"]
    assert texts(bread) == ["My bread", "Bake it.", "Eat it.", "- [ ] Buy flour", "- [x] Buy salt"]
    assert (bread.aliases, set(places(bread))) == (
        ("Bread",),
        {f"b/Bread.md, line {line}" for line in (4, 6, 8, 9)},
    )
    assert [one.day for one in (text, bread, table)] == ["", "2026-05-03", ""]
    assert places(table) == ["c/d.csv, line 2"]
    assert places(fern) == ["e.jsonl, line 1"]
    assert places(paper)[0] == "known.pdf, page 1"
    assert [one.detail.partition(": ")[2] for one in skipped] == ["1 file of kinds that are not read (film.mp4)."]
    assert all(one.passage.first_line == 0 for one in sentences(bread))


def test_a_chat_is_called_by_the_name_of_its_archive() -> None:
    (chat,), skipped = read(DOCUMENTS / "WhatsApp Chat - Obstwiese.zip")
    assert chat.title == "WhatsApp chat with Obstwiese, 2024-04"
    assert texts(chat) == [
        "[2024-04-03 18:04] Paula Reinke: Wann holst du die Kisten?",
        "[2024-04-13 09:00] Jonas: Heute Abend.",
    ]
    assert places(chat)[0] == "_chat.txt, line 2"
    assert told(skipped).endswith("was not read in full: 1 picture (unpack the archive to have them read).")


def test_a_takeout_has_each_note_once() -> None:
    (note,), skipped = read(DOCUMENTS / "takeout-20240601T120000Z-001.zip")
    assert (note.title, note.tags, skipped) == ("Harvest", ("orchard",), [])
    assert set(places(note)) == {"Takeout/Keep/Harvest.json"}


def test_notion_packs_a_zip_into_a_zip() -> None:
    documents, skipped = read(DOCUMENTS / "ExportBlock-notion.zip")
    assert [one.title for one in documents] == ["Recipes", "Cider", "Tasks"]
    recipes, cider, tasks = documents
    assert [one.links for one in sentences(recipes) if one.links] == [(WikiLink("Cider", "Cider"),)]
    assert places(cider)[0] == "Private & Shared/Recipes/Cider.md, line 1"
    assert len(texts(tasks)) == 2
    assert skipped == []


def test_pages_of_one_name_keep_their_identifiers(tmp_path: Path) -> None:
    other = f"{0xA2:032x}"
    documents, _ = read(archive(tmp_path, {f"Day {ID}.md": "# Day\n\nOne.\n", f"Day {other}.md": "# Day\n\nTwo.\n"}))
    assert [places(one)[0] for one in documents] == [f"Day {ID}.md, line 1", f"Day {other}.md, line 1"]


def test_a_zip_in_a_zip_in_a_zip_is_named_and_not_opened(tmp_path: Path) -> None:
    deepest = zipped({"deep.txt": b"Too deep."})
    inner = zipped({"c.zip": deepest, "b.txt": b"Deep enough."})
    documents, skipped = read(archive(tmp_path, {"inner.zip": inner, "a.txt": "On top."}))
    assert [texts(one) for one in documents] == [["On top."], ["Deep enough."]]
    assert places(documents[1]) == ["inner.zip/b.txt, line 1"]
    assert "inner.zip/c.zip cannot be read: it is a zip in a zip in a zip" in told(skipped)


def test_a_broken_file_costs_itself_alone(tmp_path: Path) -> None:
    members = {"a.docx": b"PK no zip", "b.md": "Fine.\n", "c.md": bytes(100), "d.docx": docx("<x>")}
    documents, skipped = read(archive(tmp_path, members))
    assert [texts(one) for one in documents] == [["Fine."]]
    assert all(f"{name} cannot be read: " in told(skipped) for name in ("a.docx", "c.md", "d.docx"))
    assert not any(one.is_error for one in skipped)


def test_links_locks_hidden_files_and_those_of_programs_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as written:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        written.writestr(link, "/etc/passwd")
        for name in (".hidden.md", "__MACOSX/._a.md", "x/.git/b.md", "node_modules/c.md", "~$d.docx", "e.md"):
            written.writestr(name, "Text.")
    documents, _ = read(path)
    assert [places(one) for one in documents] == [["e.md, line 1"]]


def test_files_that_are_left_out_are_counted_and_those_of_other_kinds_named(tmp_path: Path) -> None:
    kinds = {f"Photos/{name}.psd": b"8BPS" for name in ("a", "b", "c", "d")}
    hidden = {".git/config": "[core]\n", "old.md": "# Old\n", ".gitignore": "old.md\n"}
    apples = {"__MACOSX/._a.md": b"\0", ".DS_Store": b"\0"}
    _, skipped = read(archive(tmp_path, {"a.md": "# A\n\nText.\n", **kinds, **hidden, **apples}))
    assert "4 files of kinds that are not read (Photos/a.psd, Photos/b.psd, Photos/c.psd, …)" in told(skipped)
    assert "2 hidden or ignored files" in told(skipped)
    assert read(archive(tmp_path, {"a.md": "# A\n\nText.\n", **apples}))[1] == []


def write(path: Path, text: str = "Text.\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def files_read(path: Path) -> set[str]:
    """The files of an archive that became documents."""
    documents, _ = read(path)
    return {places(one)[0].rpartition(", line ")[0] for one in documents}


SOFTWARE = """
README.md src/main.py src/app.ts src/generated/schema.ts src/sub/kept.txt src/sub/left.txt docs/guide.rst docs/drafts/idea.md
node_modules/left-pad/README.md node_modules/left-pad/index.js web/node_modules/a/index.js venv/lib/a.py lib/site-packages/b.py
src/__pycache__/c.py .git/COMMIT_EDITMSG.txt .git/hooks/pre-commit.py .github/workflow.md .env.txt CVS/Root.txt _darcs/format.txt
dist/bundle.js build/notes.md coverage.txt package.json logo.svg film.mp4 ~$report.docx logseq/bak/page.md logseq/pages/page.md
papers/zotero.sqlite papers/translators/a.js papers/mine/translators/b.md translators/c.md
""".split()


def test_an_archive_of_software_is_read_like_the_folder_that_it_was_made_of(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    for name in SOFTWARE:
        write(
            folder / name, 'def main():\n    """Starts it."""\n' if name.endswith(".py") else "// Starts it.\nvar a;\n"
        )
    write(folder / ".gitignore", "# made\n/dist/\nbuild\n*.txt\n!/coverage.txt\n**/generated/**\n")
    write(folder / "src/sub/.gitignore", "!kept.txt\n")
    write(folder / "docs/.gitignore", "drafts/\n")
    write(folder / "docs/drafts/.gitignore", "!idea.md\n")
    packed = Path(shutil.make_archive(str(tmp_path / "project"), "zip", folder))
    in_folder = {os.path.relpath(one.path, folder).replace(os.sep, "/") for one in scan([folder], 1 << 20).files}
    walk = MemberWalk(
        {one.filename: one for one in zipfile.ZipFile(packed).infolist()}, zipfile.ZipFile(packed).read, []
    )
    assert set(walk.read_paths()) == in_folder
    assert in_folder == {
        *("README.md", "coverage.txt", "docs/guide.rst", "logseq/pages/page.md", "src/app.ts", "src/main.py"),
        *("src/sub/kept.txt", "papers/zotero.sqlite", "papers/mine/translators/b.md", "translators/c.md"),
    }
    assert files_read(packed) == in_folder - {"papers/zotero.sqlite"}


def test_rules_hold_in_the_zip_and_in_the_folder_of_the_zip_that_has_them(tmp_path: Path) -> None:
    inner = {".gitignore": b"a.txt\n", "a.txt": b"A.", "b.txt": b"B.", "c.txt": b"C."}
    members = {
        "one/.gitignore": "b.txt\n",
        "one/b.txt": "B.",
        "two/b.txt": "B.",
        "a.txt": "A.",
        "in.zip": zipped(inner),
    }
    assert files_read(archive(tmp_path, members)) == {"a.txt", "two/b.txt", "in.zip/b.txt", "in.zip/c.txt"}


def test_a_link_gives_no_rules(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as written:
        link = zipfile.ZipInfo(".gitignore")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        written.writestr(link, "a.txt")
        written.writestr("a.txt", "A.")
    assert files_read(path) == {"a.txt"}


def test_nothing_is_read_against_rules_that_cannot_be_read(tmp_path: Path) -> None:
    members = {"a/.gitignore": bytes(2 << 20), "a/secret.txt": "A.", "a/b/c.txt": "C.", "d.txt": "D."}
    path = archive(
        tmp_path, {**members, "in.zip": zipped({".gitignore": bytes(2 << 20), "e.txt": b"E.", "f.txt": b"F."})}
    )
    documents, skipped = read(path)
    assert [places(one) for one in documents] == [["d.txt, line 1"]]
    for name in ("a/.gitignore", "in.zip/.gitignore"):
        assert f"{name} cannot be read, so the files beside and below it are left out: it is packed over" in told(
            skipped
        )


def test_rules_over_the_limit_are_told(tmp_path: Path) -> None:
    rules = "".join(f"name{number}\n" for number in range(MAX_RULES)) + "b.txt\n"
    documents, skipped = read(archive(tmp_path, {".gitignore": rules, "name7/a.txt": "A.", "b.txt": "B."}))
    assert [places(one) for one in documents] == [["b.txt, line 1"]]
    assert ".gitignore has rules over the limit, so files that only these exclude are read" in told(skipped)


def test_many_deep_folders_cost_little(tmp_path: Path) -> None:
    deep = {f"{number}/{'a/' * 450}x{number}.md": b"" for number in range(3000)}
    documents, _ = read(archive(tmp_path, {**deep, "a.txt": "A."}))
    assert [places(one) for one in documents] == [["a.txt, line 1"]]


def test_names_that_climb_or_lie_are_places_within_the_archive(tmp_path: Path) -> None:
    members = {"../../etc/a.txt": "A.", "/root/b.txt": "B.", "C:\\x\\c.txt": "C.", "d\u202e.txt": "D."}
    documents, _ = read(archive(tmp_path, members))
    assert {places(one)[0] for one in documents} == {
        "etc/a.txt, line 1",
        "root/b.txt, line 1",
        "C:/x/c.txt, line 1",
        "d.txt, line 1",
    }
    assert [entry.name for entry in tmp_path.iterdir()] == ["notes.zip"]


def test_the_sign_of_a_range_stands_in_no_place(tmp_path: Path) -> None:
    (found,), _ = read(archive(tmp_path, {"2024 – plans.txt": "A.\n\nB.\n"}))
    assert found.chunks[0].passage.place == "2024 - plans.txt, line 1 – line 3"


def test_of_two_files_of_one_name_the_last_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(path, "w") as written:
        written.writestr("a.txt", "Old.")
        written.writestr("a.txt", "New.")
    (found,), _ = read(path)
    assert texts(found) == ["New."]


def test_names_of_a_mac_are_utf_8_though_nothing_says_so(tmp_path: Path) -> None:
    path = archive(tmp_path, {"K_se.txt": "Gouda."})
    data = path.read_bytes()
    path.write_bytes(data.replace(b"K_se.txt", "Käs.txt".encode()))
    (found,), _ = read(path)
    assert found.title == "Käs"


def test_files_with_a_password_are_counted(tmp_path: Path) -> None:
    path = archive(tmp_path, {"a.txt": "Locked.", "b.txt": "Open."})
    data = bytearray(path.read_bytes())
    for sign, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(sign) + offset] |= 1
    path.write_bytes(bytes(data))
    (found,), skipped = read(path)
    assert texts(found) == ["Open."]
    assert "1 file locked by a password (pack the archive again without one)" in told(skipped)


def test_a_bomb_costs_itself_alone(tmp_path: Path) -> None:
    documents, skipped = read(archive(tmp_path, {"a.txt": bytes(50 << 20), "b.txt": "Fine."}))
    assert [texts(one) for one in documents] == [["Fine."]]
    assert "a.txt cannot be read: it is packed over 250 times" in told(skipped)


def test_an_archive_without_documents_says_so(tmp_path: Path) -> None:
    documents, (skipped,) = read(archive(tmp_path, {"film.mp4": b"x"}))
    assert documents == [] and "1 file of kinds that are not read (film.mp4)" in skipped.detail


def test_what_is_no_zip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(b"PK\x03\x04 no zip at all")
    documents, (skipped,) = read(path)
    assert (documents, skipped.reason, skipped.is_error) == ([], "not readable", True)


def test_of_a_large_archive_only_the_documents_are_asked_for(tmp_path: Path) -> None:
    """So the limit of a file does not hold for it: most of it are films and pictures."""
    path = tmp_path / "large.zip"
    block = bytes(1 << 20)
    with zipfile.ZipFile(path, "w") as written:
        written.writestr("first.txt", "At the beginning.")
        with written.open(zipfile.ZipInfo("film.mp4"), "w") as film:
            for _ in range(30):
                film.write(block)
        written.writestr("last.txt", "At the end.")
    (file,) = scan([path], 20 << 20).files
    task = Task(file.path, format_of(file.path).full_module, path.name, file.size_bytes, is_sparse=True)
    with path.open("rb") as opened, WorkerProcess() as process:
        asked = Asked(opened)
        documents = [one for one in found_in(process, task, asked) if isinstance(one, Draft)]
    assert [one.text for one in documents] == ["At the beginning.", "At the end."]
    assert asked.read_bytes < 8 << 20


class Asked(io.BufferedReader):
    """A file that counts what is read of it."""

    def __init__(self, file: io.BufferedReader) -> None:
        super().__init__(file.raw)
        self.read_bytes = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.read_bytes += len(data)
        return data


def test_found_shown_and_linked_in_a_vault(tmp_path: Path, settings: Settings) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("ExportBlock-notion.zip", "WhatsApp Chat - Obstwiese.zip"):
        (folder / name).write_bytes((DOCUMENTS / name).read_bytes())
    with Vault(tmp_path / "vault", settings) as vault:
        assert vault.index([folder]).added == 4
        assert vault.index([folder]).added == 0
        (source, *_) = vault.search("How long does it ferment?", method="bm25").sources
        assert source.place == "Private & Shared/Recipes/Cider.md, line 3"
        (shown, *_) = vault.show(f"{source.path}, {source.place}").passages
        assert "three weeks" in " ".join(one.text for one in vault.show(f"{source.path}, {source.place}").passages)
        assert shown.path == source.path
        cider = vault.atlas.note(vault.atlas.note_at(source.path, source.record))
        assert [one.name for one in cider.linked_from] == ["Recipes"]
        assert [one.name for one in cider.links] == ["Recipes"]


def test_a_changed_archive_changes_only_what_changed(tmp_path: Path, settings: Settings) -> None:
    path = archive(tmp_path, {"a.md": "One.\n", "b.md": "Two.\n"})
    with Vault(tmp_path / "vault", settings) as vault:
        vault.index([path])
        archive(tmp_path, {"a.md": "One.\n", "b.md": "Three.\n", "c.json": json.dumps({})})
        report = vault.index([path])
    assert (report.added, report.removed) == (1, 1)
