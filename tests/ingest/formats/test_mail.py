"""Mails and mailboxes."""

from __future__ import annotations

import pytest
from helpers.time_zones import in_zone
from ingest.formats.known_text import DOCUMENTS
from ingest.formats.reading import document, documents, texts

from noderag_local.domain.documents import WikiLink
from noderag_local.domain.errors import DocumentError
from noderag_local.system.printing.mail_names import mail_name


def test_a_mail_begins_with_its_people_and_its_date() -> None:
    read = document("mail", (DOCUMENTS / "orchard.eml").read_bytes(), "a.eml")
    assert read.title == "Das Buch für Käthe"
    first, *_, last = texts(read)
    assert first == (
        "From Anneke Smit <anneke@orchard.example> to Tomás Ruiz <tomas@orchard.example>, 2024-05-01 09:30."
    )
    assert last == "Attachments: Bäume.pdf."


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("Wed, 01 May 2024 23:30:00 +0000", "2024-05-02 01:30"),
        ("Wed, 01 May 2024 23:30:00 -0700", "2024-05-02 08:30"),
        ("Wed, 01 Jan 2025 08:30:00 +0900", "2025-01-01 00:30"),
        ("Wed, 01 May 2024 23:30:00 -0000", "2024-05-01 23:30"),
        ("Wed, 01 May 2024 23:30:00", "2024-05-01 23:30"),
    ],
)
def test_the_time_is_the_readers_if_the_mail_tells_whose_it_is(sent: str, shown: str) -> None:
    with in_zone("Europe/Berlin"):
        read = document("mail", f"From: a@b.example\nDate: {sent}\nSubject: x\n\nYes.\n", "a.eml")
    assert texts(read)[0] == f"From a@b.example, {shown}."


@pytest.mark.parametrize(
    ("sent", "day"),
    [
        ("Wed, 01 May 2024 23:30:00 -0700", "2024-05-02"),
        ("Thu, 02 May 2024 00:30:00 +0900", "2024-05-01"),
        ("Wed, 01 May 2024 23:30:00", "2024-05-01"),
        ("Mon, 01 Jan 1601 00:00:00 +0000", ""),
        ("yesterday", ""),
    ],
)
def test_the_day_of_a_mail_is_that_of_the_reader(sent: str, day: str) -> None:
    with in_zone("Europe/Berlin"):
        read = document("mail", f"From: a@b.example\nDate: {sent}\nSubject: x\n\nYes.\n", "a.eml")
    assert read.day == day


def test_each_mail_of_a_box_has_its_day() -> None:
    read = documents("mail", (DOCUMENTS / "orchard.mbox").read_bytes(), "a.mbox")
    assert [one.day for one in read] == ["2024-05-01", "2024-05-02", "2024-05-03"]


def test_each_mail_of_a_box_is_a_document_with_what_is_new_in_it() -> None:
    first, answer, last = documents("mail", (DOCUMENTS / "orchard.mbox").read_bytes(), "a.mbox")
    assert [read.title for read in (first, answer, last)] == [
        "Pruning the Boskoop",
        "Re: Pruning the Boskoop",
        "AW: Re: Pruning the Boskoop",
    ]
    assert texts(first)[1:] == [
        "Dear Tomás,",
        "the old Boskoop needs a rope of 20 metres.",
        "From the shed, not from the chapel.",
    ]
    assert texts(answer)[1:] == ["I bring it on Saturday."]
    assert texts(last)[1:] == ["Bring gloves too."]
    assert [block.place for block in answer.blocks] == ["mail 2", "mail 2"]


def test_an_answer_links_to_the_mail_before_it() -> None:
    first, answer, last = documents("mail", (DOCUMENTS / "orchard.mbox").read_bytes(), "a.mbox")
    assert first.blocks[0].links == ()
    thread = WikiLink("Pruning the Boskoop", "Pruning the Boskoop")
    assert answer.blocks[0].links == (*(WikiLink(name, name) for name in first.aliases), thread)
    assert last.blocks[0].links == (*(WikiLink(name, name) for name in answer.aliases), thread)


def test_an_answer_alone_links_to_the_id_and_to_the_subject_of_its_thread() -> None:
    read = document("mail", "Subject: Re: [2] x\nFrom: a@b.example\nIn-Reply-To: <1@b>\n\nYes.\n", "a.eml")
    assert [link.target for link in read.blocks[0].links] == [mail_name("<1@b>"), "[2] x"]


@pytest.mark.parametrize(
    "quote",
    [
        "On Monday, Jonas wrote:\n> old",
        "Am 1. Mai 2024 schrieb Jonas Brandt:\n\n> old\n> older",
        "-----Original Message-----\nFrom: Jonas\nold",
        "________________________________\nFrom: Jonas\nSent: Monday\n\nold",
        "Von: Jonas\nGesendet: Montag\n\nold",
    ],
)
def test_what_an_answer_quotes_is_cut(quote: str) -> None:
    read = document("mail", f"Subject: Re: x\n\nNew words.\n\n{quote}\n", "a.eml")
    assert texts(read) == ["New words."]


def test_a_first_mail_keeps_its_quotes() -> None:
    assert texts(document("mail", "Subject: x\n\n> A saying.\n", "a.eml")) == ["> A saying."]


def test_a_reply_of_nothing_but_quotes_is_kept() -> None:
    assert texts(document("mail", "Subject: Re: x\n\n> A saying.\n", "a.eml")) == ["> A saying."]


def test_headers_in_other_encodings_are_read() -> None:
    raw = "Subject: =?iso-8859-1?Q?Gr=FC=DFe?= =?utf-8?b?w6Q=?=\nFrom: Jörg <j@b.example>\n\nHallo.\n".encode()
    read = document("mail", raw, "a.eml")
    assert read.title == "Grüßeä"
    assert texts(read)[0] == "From Jörg <j@b.example>."


def test_what_hangs_on_the_other_form_of_a_text_is_named() -> None:
    pdf = "Content-Type: application/pdf; name=Bill.pdf\nContent-Disposition: inline; filename=Bill.pdf\n\nx\n"
    mixed = f"Content-Type: multipart/mixed; boundary=m\n\n--m\nContent-Type: text/html\n\n<p>Hi</p>\n--m\n{pdf}--m--\n"
    mail = (
        "Subject: x\nContent-Type: multipart/alternative; boundary=a\n\n"
        f"--a\nContent-Type: text/plain\n\nHi\n--a\n{mixed}--a--\n"
    )
    assert texts(document("mail", mail, "a.eml")) == ["Hi", "Attachments: Bill.pdf."]


def test_lines_broken_for_sending_are_joined() -> None:
    read = document("mail", "Subject: x\nContent-Type: text/plain; format=flowed\n\nOne line \ngoes on.\n", "a.eml")
    assert texts(read) == ["One line goes on."]


@pytest.mark.parametrize(
    "data",
    [
        "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(3000)),
        "Content-Type: message/rfc822\n\n" * 5000,
        "",
        "\0\0",
    ],
)
def test_what_is_no_mail_or_nested_without_end_is_told(data: str) -> None:
    with pytest.raises(DocumentError):
        documents("mail", data, "a.eml")


def test_a_mail_of_endless_parts_is_cut() -> None:
    read = document("mail", "Content-Type: multipart/mixed; boundary=b\n\n" + "--b\n\nx\n" * 5000, "a.eml")
    assert read.notices == ("it has more than 1000 parts",)


def test_comments_nested_in_an_address_cost_only_the_address() -> None:
    assert texts(document("mail", f"To: {'a@b,(' * 50_000}\nSubject: x\n\nText.\n", "a.eml"))[-1] == "Text."


@pytest.mark.parametrize(
    "postmark",
    [
        "From 1789@xxx Mon Jan 01 12:00:00 +0000 2024",
        "From MAILER-DAEMON Fri Jul  8 12:08:34 2011",
        "From - Fri Jul  8 12:08:34 2011 +0200",
        "From a@b.example",
        "From -",
        "From somebody\nX-Mozilla-Status: 0001",
    ],
)
def test_a_postmark_begins_a_mail_and_a_sentence_does_not(postmark: str) -> None:
    sentence = "From Monday on I am in Rome. The key is under the pot."
    box = f"From a\nSubject: one\n\nDear Anna,\n\n{sentence}\n\nSee you.\n\n{postmark}\nSubject: two\n\nTwo.\n"
    one, two = documents("mail", box, "a.mbox")
    assert texts(one) == ["Dear Anna,", sentence, "See you."]
    assert (two.title, texts(two)) == ("two", ["Two."])


def test_a_broken_mail_does_not_cost_the_others() -> None:
    box = "From a\nSubject: one\n\nOne.\n\nFrom a@b.example\n\n\nFrom a\nSubject: two\n\nTwo.\n"
    found = documents("mail", box, "a.mbox")
    assert [read.title for read in found] == ["one", "", "two"]
    assert found[1].notices == ("mail 2 cannot be read: it has no headers, so it is no mail",)
