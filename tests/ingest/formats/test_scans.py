"""Text in pictures: what is read of them behind the walls, and what a hostile one costs."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.reading_process import found_in
from helpers.scanned_pages import as_file, picture_of, printed
from PIL import Image
from PIL.ExifTags import Base

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.chunks.parsed_document import Draft, Found, Omission, PageRead
from noderag_local.ingest.chunks.scan_notes import WHOLE_FILE, spelled_pages, unread_scans
from noderag_local.ingest.formats.registry import format_of
from noderag_local.ingest.sandbox.worker_exchange import Task
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.system.walls.launch import environment

RECEIPT = ("Receipt of the bakery", "Twelve rolls and three loaves", "Total 17.40 on 3 May 2024")


@pytest.fixture(scope="module")
def process() -> Iterator[WorkerProcess]:
    with WorkerProcess() as started:
        yield started


def found(process: WorkerProcess, name: str, data: bytes, *, is_scan: bool = True) -> list[Found]:
    known = format_of(name)
    module = known.full_scan_module if is_scan else known.full_module
    task = Task(f"/notes/{name}", module, name, len(data), is_scan=is_scan)
    return list(found_in(process, task, io.BytesIO(data)))


def text_of(items: list[Found]) -> str:
    return "\n".join(one.text for one in items if isinstance(one, Draft))


@pytest.mark.parametrize("turned", [0, 90, 180])
@pytest.mark.parametrize(("name", "kind"), [("a.png", "PNG"), ("a.jpg", "JPEG"), ("a.webp", "WEBP"), ("a.tif", "TIFF")])
def test_text_in_a_picture_is_read_however_it_lies(process: WorkerProcess, name: str, kind: str, turned: int) -> None:
    read = found(process, name, as_file(picture_of(RECEIPT).rotate(turned, expand=True), kind))
    assert read[0] == PageRead(1, 1)
    assert " ".join(text_of(read).split()) == " ".join(RECEIPT)


WORDS = (
    "Bär Äpfel schön Öl für Übung Straße",
    "été forêt père garçon voilà sœur château naïf",
    "niño Núñez aquí canción música mañana",
    "søndag båt språk smörgås",
)


def test_every_letter_with_an_accent_is_read(process: WorkerProcess) -> None:
    read = found(process, "a.png", as_file(printed(WORDS), "PNG"))
    assert text_of(read).split() == " ".join(WORDS).split()


def test_pages_of_a_pdf_and_of_a_tiff_are_cited_by_page(process: WorkerProcess) -> None:
    told = [f"{line}." for line in RECEIPT]
    for name, kind in (("a.pdf", "PDF"), ("a.tiff", "TIFF")):
        pages = [picture_of((line,)) for line in told]
        read = found(process, name, as_file(pages[0], kind, pages[1:]))
        assert [one for one in read if isinstance(one, PageRead)] == [PageRead(n, 3) for n in (1, 2, 3)]
        (draft,) = [one for one in read if isinstance(one, Draft)]
        assert [(one.sentence.text, one.sentence.passage.place) for one in draft.sentences] == [
            (line, f"page {number}") for number, line in enumerate(told, start=1)
        ]


def test_the_quick_reader_says_what_it_left(process: WorkerProcess) -> None:
    pages = [picture_of(RECEIPT)] * 3
    assert found(process, "a.pdf", as_file(pages[0], "PDF", pages[1:]), is_scan=False) == [unread_scans((1, 2, 3))]
    assert found(process, "a.png", as_file(pages[0], "PNG"), is_scan=False) == [unread_scans((WHOLE_FILE,))]


def test_a_picture_without_text_gives_nothing(process: WorkerProcess) -> None:
    assert found(process, "a.png", as_file(Image.new("RGB", (600, 400), "green"), "PNG")) == [PageRead(1, 1)]


def test_a_page_that_is_hardly_legible_is_named(process: WorkerProcess) -> None:
    small = picture_of(RECEIPT).resize((130, 65)).resize((1000, 500))
    (notice,) = [one for one in found(process, "a.png", as_file(small, "PNG")) if isinstance(one, Omission)]
    assert "the text in it was read with little confidence (" in notice.detail


@pytest.mark.parametrize("is_scan", [True, False])
def test_a_picture_of_thousands_of_millions_of_pixels_is_refused(process: WorkerProcess, is_scan: bool) -> None:
    bomb = as_file(Image.new("1", (50_000, 50_000)), "PNG")
    with pytest.raises(DocumentError, match="50,000 × 50,000 pixels"):
        found(process, "a.png", bomb, is_scan=is_scan)


@pytest.mark.parametrize(
    "data", [b"", b"\x89PNG\r\n\x1a\n", b"nonsense" * 99, as_file(picture_of(RECEIPT), "JPEG")[:9000]]
)
def test_a_damaged_picture_costs_itself(process: WorkerProcess, data: bytes) -> None:
    with pytest.raises(DocumentError, match="damaged"):
        found(process, "a.jpg", data)
    assert text_of(found(process, "a.png", as_file(picture_of(RECEIPT[:1]), "PNG"))) == RECEIPT[0]


def test_the_models_keep_no_notes_about_the_user(tmp_path: Path) -> None:
    """onnxruntime keeps a list of events in the user's folder and sends it to its maker, unless it is told not to."""
    code = "from noderag_local.ingest.formats.scans.text_in_pictures import RapidOCR; RapidOCR()"
    variables = {**environment(), "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=variables, check=True, capture_output=True, timeout=120)
    assert list(tmp_path.rglob("*")) == []


def test_pages_are_spelled_as_ranges() -> None:
    assert [spelled_pages(numbers) for numbers in ((4,), (1, 2, 3, 9), (2, 4))] == [
        "page 4",
        "pages 1–3, 9",
        "pages 2, 4",
    ]


def test_words_that_somebody_wrote_about_a_picture_stand_before_the_text_in_it(process: WorkerProcess) -> None:
    exif, file = Image.Exif(), io.BytesIO()
    exif[Base.ImageDescription] = "The bill of our first bakery."
    picture_of(RECEIPT).save(file, "JPEG", exif=exif)
    data = file.getvalue()
    quick = found(process, "a.jpg", data, is_scan=False)
    assert quick[0] == unread_scans((WHOLE_FILE,))
    assert text_of(quick) == "The bill of our first bakery."
    assert text_of(found(process, "a.jpg", data)).split("\n\n")[0] == "The bill of our first bakery."
    assert RECEIPT[2] in " ".join(text_of(found(process, "a.jpg", data)).split())
