"""Mails in files of their own: an answer is linked with the very mail that it answers, whatever others are called."""

from __future__ import annotations

from pathlib import Path

from helpers.changing_notes import index

from noderag_local.storage.database.store import Store
from noderag_local.vault.browsing.catalogue import read_catalogue
from noderag_local.vault.browsing.library import library
from noderag_local.vault.browsing.note_page import note_page

PEOPLE = {"Ann": "ann@orchard.example", "Ben": "ben@orchard.example"}


def write_mail(file: Path, sender: str, number: str, text: str, answers: str = "") -> None:
    head = f"From: {sender} <{PEOPLE[sender]}>\nMessage-ID: <{number}@orchard.example>\n"
    head += f"Subject: Re: Apples\nIn-Reply-To: <{answers}@orchard.example>\n" if answers else "Subject: Apples\n"
    file.write_text(f"{head}\n{text}\n", encoding="utf-8")


def test_an_answer_leads_to_the_mail_that_it_answers_and_no_id_is_an_entity(tmp_path: Path) -> None:
    folder = tmp_path / "mails"
    folder.mkdir()
    write_mail(folder / "1.eml", "Ann", "org/a/1", "The Boskoop is ripe.")
    write_mail(folder / "2.eml", "Ben", "org/a/2", "I come on Friday.", answers="org/a/1")
    write_mail(folder / "3.eml", "Ann", "org/a/3", "Bring a ladder.", answers="org/a/2")
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, folder)
        nodes = {Path(document.path).name: document.node for document in library(store).documents}
        page = note_page(store, nodes["3.eml"])
        assert nodes["2.eml"] in {linked.node for linked in page.links}
        assert nodes["3.eml"] in {linked.node for linked in note_page(store, nodes["2.eml"]).linked_from}
        assert not [name for name in read_catalogue(store).names if "@mail" in name]
