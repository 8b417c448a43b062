"""Exports of Evernote."""

from __future__ import annotations

from pathlib import Path

import pytest
from ingest.formats.known_text import DOCUMENTS
from ingest.formats.reading import documents, texts

from noderag_local.domain.documents import WikiLink
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.chunks.parsed_document import Draft
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.ingest.scan.scan import scan
from noderag_local.ingest.sync.read_files import Wanted, read_drafts

HEAD = '<?xml version="1.0"?><!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd"><en-export>'


def note(content: str, title: str = "T", more: str = "") -> str:
    return f"<note><title>{title}</title>{more}<content><![CDATA[<en-note>{content}</en-note>]]></content></note>"


def test_each_note_is_a_document_with_its_day_author_tags_and_tasks() -> None:
    press, invoices = documents("evernote", (DOCUMENTS / "orchard.enex").read_bytes(), "orchard.enex")
    assert texts(press) == [
        "2024-05-01: note in Evernote, changed on 2024-05-20, by Paula Reinke, from https://presses.example/.",
        "The pump was built in Chemnitz too.",
        "- [x] Grease the axle",
        "- [ ] Order a valve",
        "- [ ] Call the smith",
        "See Invoices.",
        "- [ ] Renew the contract (due 2024-07-01)",
        "Attachments: pump.png.",
    ]
    assert (press.title, press.tags, press.day) == ("Press & pump", ("orchard",), "2024-05-01")
    assert {block.place for block in press.blocks} == {"note 1"}
    assert press.blocks[5].links == (WikiLink("Invoices", "Invoices"),)
    assert texts(invoices) == ["2023-01-02: note in Evernote.", "Invoice 4471 is paid."]


def test_a_locked_part_is_told_and_not_shown() -> None:
    (read,) = documents("evernote", f"{HEAD}{note('Open. <en-crypt>c2VjcmV0</en-crypt>')}</en-export>", "a.enex")
    assert texts(read)[1:] == ["Open."]
    assert read.notices == ("a part of note 1 is locked by a password",)


def test_what_is_damaged_behind_some_notes_costs_those_after_it() -> None:
    whole, told = documents("evernote", f"{HEAD}{note('One.')}<note><title>x</note>", "a.enex")
    assert texts(whole)[1:] == ["One."]
    assert told.notices == ("it is damaged after note 1, so all later notes are missing (export it again)",)


def test_a_note_without_a_title_is_called_by_its_first_line() -> None:
    (read,) = documents(
        "evernote", f"{HEAD}{note('<div>Buy seeds</div><div>Soon.</div>', title='')}</en-export>", "a.enex"
    )
    assert read.title == "Buy seeds"


def test_a_moment_that_is_none_is_left_out() -> None:
    more = "<created>20249901T120000Z</created><updated>soon</updated>"
    (read,) = documents("evernote", f"{HEAD}{note('One.', more=more)}</en-export>", "a.enex")
    assert texts(read)[0] == "Note in Evernote."


def test_a_note_that_is_nested_too_deep_costs_itself_alone() -> None:
    deep, whole = documents("evernote", f"{HEAD}{note('<div>' * 5000)}{note('Two.')}</en-export>", "a.enex")
    assert "nested more than 3000 deep" in deep.notices[0]
    assert texts(whole)[1:] == ["Two."]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("no XML", "not well-formed XML"),
        (f"{HEAD}</en-export>", "has no notes"),
        (f"{HEAD}{'<note>' * 200}", "nested more than"),
        ('<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><en-export><note>&c;</note></en-export>', "entities"),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><en-export><note>&b;</note></en-export>', "entities"),
    ],
)
def test_what_is_no_export_is_refused(data: str, told: str) -> None:
    with pytest.raises(DocumentError, match=told):
        documents("evernote", data, "a.enex")


def test_of_a_large_export_the_attachments_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "large.enex"
    with path.open("w", encoding="utf-8") as file:
        file.write(HEAD)
        for number in range(3):
            data = "QUJD" * (3 << 20)
            resource = f"<resource><data encoding='base64'>{data}</data><mime>image/png</mime></resource>"
            file.write(note(f"Text {number}.").replace("</note>", f"{resource}</note>"))
        file.write("</en-export>")
    (found,) = scan([path], 20 << 20).files
    assert found.size_bytes > 30 << 20
    with WorkerProcess() as process:
        drafts = [one for one in read_drafts(Wanted(found), process) if isinstance(one, Draft)]
    assert [draft.sentences[1].sentence.text for draft in drafts] == ["Text 0.", "Text 1.", "Text 2."]
    assert drafts[0].sentences[-1].sentence.text == "Attachments: 1 without a name."
