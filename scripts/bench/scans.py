"""Measures how well and how fast text in scans is read: 50 rendered pages of known text, behind the walls.

    python scripts/bench/scans.py [--pages 50]

Pages of A4 in English, German, French and Spanish, with one or two columns, at 300 and 150 dpi, straight or skewed by one degree, clean
or with noise and blur. The text comes from pdfium's own Times, Helvetica and Courier. Recall counts each word of the page as often as
it stands there; a word is right if all of its letters are, accents included. Letters counts each letter with an accent alone.
"""

from __future__ import annotations

import argparse
import ctypes
import io
import json
import re
import resource
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image, ImageFilter

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from noderag_local.ingest.chunks.parsed_document import Draft  # noqa: E402
from noderag_local.ingest.formats.registry import format_of  # noqa: E402
from noderag_local.ingest.sandbox.worker_exchange import Assignment, Task  # noqa: E402
from noderag_local.ingest.sandbox.worker_process import WorkerProcess, end_waiting  # noqa: E402

TEXTS = {
    "English": (
        "The lease of the flat ends on 30 September 2025, and the landlord asked for a written notice three months before. We walked along "
        "the river until the lights of the harbour came into view, and nobody spoke for a while. Margaret keeps the receipts in a tin box "
        "under the stairs; the oldest of them is from 1987 and smells of coffee. When the boiler failed again, the plumber quoted 480 pounds. "
    ),
    "German": (
        "Die Bäckerei öffnet früh am Morgen, während die Straßen noch leer sind. Größere Mengen Mehl müssen über Nacht ruhen, damit der Teig "
        "süß und mürbe wird. Österreichische Gäste schätzen das Frühstück außerordentlich. Übermorgen fährt Jürgen mit dem Zug nach Köln, um "
        "seine Großmutter zu besuchen und ihr schöne Grüße auszurichten. Ärger gab es nur wegen der Gebühr von 12 Euro. "
    ),
    "French": (
        "L'été dernier, nous avons loué une maison près de la forêt, où les élèves préféraient dîner à la lumière des bougies. Le garçon "
        "français a reçu une lettre de son père, écrite à Besançon, et il fut très étonné. Noël approche déjà; çà et là, les fenêtres "
        "brillent. L'hôpital où travaille ma sœur est situé près du château, au bout d'une allée bordée de chênes. "
    ),
    "Spanish": (
        "El niño pequeño soñaba con una mañana de otoño en la montaña. Mañana vendrá el señor Núñez con su compañía española. Además, la "
        "canción más hermosa del año fue escrita aquí, según dijo María José. El autobús número 7 llegó tarde, y la reunión empezó después. "
    ),
}
FONTS = (b"Times-Roman", b"Helvetica", b"Courier")
CHARACTERS_A_LINE = {(1, b"Courier"): 68, (2, b"Courier"): 32}
"""(columns, font) → letters that fit into a line of a column; other fonts hold 84 and 40."""
WIDTH, HEIGHT, MARGIN, LEADING, SIZE = 595, 842, 60, 15, 11
ACCENTED = re.compile(r"[^\W\d_a-zA-Z]")
WORD = re.compile(r"\w+")


def page(text: str, columns: int, font: bytes) -> tuple[Image.Image, str]:
    """Returns a page at 300 dpi, and the text that is on it."""
    room = CHARACTERS_A_LINE.get((columns, font), 84 if columns == 1 else 40)
    lines = wrapped(text * 20, room)[: columns * ((HEIGHT - 2 * MARGIN) // LEADING)]
    document = pypdfium2.PdfDocument.new()
    made = document.new_page(WIDTH, HEIGHT)
    a_column = -(-len(lines) // columns)
    for number, line in enumerate(lines):
        x = MARGIN + number // a_column * (WIDTH - 2 * MARGIN + 20) / columns
        y = HEIGHT - MARGIN - number % a_column * LEADING
        one = pdfium.FPDFPageObj_NewTextObj(document.raw, font, SIZE)
        letters = (line + "\0").encode("utf-16-le")
        pdfium.FPDFText_SetText(one, ctypes.cast(letters, pdfium.FPDF_WIDESTRING))
        pdfium.FPDFPageObj_Transform(one, 1, 0, 0, 1, x, y)
        pdfium.FPDFPage_InsertObject(made.raw, one)
    pdfium.FPDFPage_GenerateContent(made.raw)
    picture = made.render(scale=300 / 72).to_pil().convert("L")
    document.close()
    return picture, " ".join(lines)


def wrapped(text: str, room: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + 1 + len(word) > room:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines[:-1]


def scanned(picture: Image.Image, dpi: int, skew: float, noise: int, seed: int) -> bytes:
    """Returns a page as a scanner makes it: a PDF of one JPEG."""
    rotated = picture.rotate(skew, resample=Image.Resampling.BICUBIC, fillcolor=255)
    size = (WIDTH * dpi // 72, HEIGHT * dpi // 72)
    small = rotated.resize(size, Image.Resampling.LANCZOS)
    if noise:
        grains = np.random.default_rng(seed).normal(0, noise, (size[1], size[0]))
        small = Image.fromarray((np.asarray(small) + grains).clip(0, 255).astype(np.uint8))
        small = small.filter(ImageFilter.GaussianBlur(dpi / 400))
    file = io.BytesIO()
    small.save(file, "PDF", resolution=dpi, quality=75)
    return file.getvalue()


def read(process: WorkerProcess, data: bytes) -> str:
    task = Task("/scan.pdf", format_of("scan.pdf").full_scan_module, "scan.pdf", len(data), is_scan=True)
    (found,) = (list(one) for one in process.documents([Assignment(task, io.BytesIO(data))]))
    return " ".join(draft.text for draft in found if isinstance(draft, Draft))


def share(wanted: Counter[str], got: Counter[str]) -> float:
    return sum((wanted & got).values()) / max(sum(wanted.values()), 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=50)
    asked = parser.parse_args()
    rows = []
    wanted_letters: dict[int, Counter[str]] = {300: Counter(), 150: Counter()}
    read_letters: dict[int, Counter[str]] = {300: Counter(), 150: Counter()}
    with WorkerProcess() as process:
        read(process, scanned(page(TEXTS["English"], 1, FONTS[0])[0], 150, 0, 0, 0))  # loads the models
        for number in range(asked.pages):
            language = list(TEXTS)[number % 4]
            dpi, columns = (300, 150)[number // 4 % 2], 1 + number // 8 % 2
            skew, noise = (0.0, 1.0, -1.0)[number % 3], (0, 12, 25)[number // 3 % 3]
            picture, text = page(TEXTS[language], columns, FONTS[number // 2 % 3])
            data = scanned(picture, dpi, skew, noise, number)
            begun = time.perf_counter()
            got = read(process, data)
            seconds = time.perf_counter() - begun
            recall = share(Counter(WORD.findall(text)), Counter(WORD.findall(got)))
            wanted_letters[dpi].update(ACCENTED.findall(text))
            read_letters[dpi].update(Counter(ACCENTED.findall(text)) & Counter(ACCENTED.findall(got)))
            rows.append((language, dpi, columns, skew, noise, len(text.split()), recall, seconds))
            print(*rows[-1][:6], f"recall {recall:.4f}", f"{seconds:.1f} s", sep="\t", flush=True)
    # The system tells what a process used once it has ended.
    end_waiting()
    report(rows, wanted_letters, read_letters)


def report(
    rows: list[tuple[str, int, int, float, int, int, float, float]],
    wanted: dict[int, Counter[str]],
    got: dict[int, Counter[str]],
) -> None:
    made: dict[str, object] = {}
    for dpi in (300, 150):
        recalls = [row[6] for row in rows if row[1] == dpi]
        letters = {letter: round(got[dpi][letter] / count, 4) for letter, count in sorted(wanted[dpi].items())}
        made[f"{dpi} dpi"] = {
            "pages": len(recalls),
            "mean recall of words": round(float(np.mean(recalls)), 4),
            "least": round(min(recalls), 4),
            "accented letters read, least": min(letters.items(), key=lambda one: one[1]),
            "accented letters": letters,
        }
    seconds = [row[7] for row in rows]
    made["seconds a page"] = {
        "median": round(float(np.median(seconds)), 2),
        "p95": round(float(np.percentile(seconds, 95)), 2),
        "most": round(max(seconds), 2),
    }
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    made["seconds of one core a page, models' loading shared out"] = round(
        (used.ru_utime + used.ru_stime) / len(rows), 2
    )
    made["peak memory of a reading process, MB"] = used.ru_maxrss >> 10
    made["words a page"] = round(float(np.mean([row[5] for row in rows])))
    print(json.dumps(made, ensure_ascii=False, indent=2))


if __name__ == "__main__":
    main()
