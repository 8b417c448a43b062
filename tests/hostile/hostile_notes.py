"""A folder of notes that would like to act on whatever shows them: a payload in every place that a screen takes text from."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

ESCAPES = {
    "title": "\x1b]0;owned\x07",
    "clipboard": "\x1b]52;c;b3duZWQ=\x07",
    "link": "\x1b]8;;file:///etc/passwd\x1b\\click\x1b]8;;\x1b\\",
    "device": "\x1bP1$r0m\x1b\\ \x1bPtmux;\x1b\x1b]0;owned\x07\x1b\\",
    "clear": "\x1b[2J\x1b[H\x1bc",
    "colours": "\x1b[31mred \x9b31m\x9d0;owned\x9c",
    "report": "\x1b[6n\x1b[c\x1b[>q\x05",
    "mouse": "\x1b[?1000l\x1b[?1049l\x1b[?25l",
    "image": "\x1b_Gf=100,a=T;aGVsbG8=\x1b\\",
    "bell": "\x07\x08\x0b\x0c\x0e\x0f\x7f\x1a",
}
MARKUP = {
    "bold": "[bold]owned[/bold]",
    "closed": "[/bold][/][/red]",
    "action": "[@click=app.quit]press[/] [@click=app.bell()]x[/]",
    "href": "[link=file:///etc/passwd]x[/link]",
    "open": "[ [/ [red [@ \\[ \\",
    "colour": "[red on blue reverse blink]x",
    "variable": "$primary [$error]x[/]",
    "emoji": ":smile: [b]:warning:[/b]",
}
LETTERS = {
    "bidi": "\u202egnp.exe\u202c \u2066\u2067\u2069\u200e\u200f\u061c",
    "hidden": "se\u200bc\u2060r\u00ade\u3164t \U000e0041\U000e0042 a\U000e0120\U000e0121 \ufe0f\ufeff",
    "stacked": "Z" + "\u0301\u0335\u0489" * 60,
    "wide": "界面ｗｉｄｅ 👩\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈 ﷽ 𒐫",
    "right to left": "שלום مرحبا ١٢٣",
    "separators": "one\u2028two\u2029three\x85four\u00a0five",
    "private": "\ue000\U000f0000\ufdd0\uffff",
    "tabs": "a\tb\t\tc",
}
LONG = {
    "word": "x" * 10_000,
    "blanks": " " * 10_000 + "end",
    "wide word": "界" * 1_000,
    "joined": "👩\u200d" * 500,
}
SHORT = {**ESCAPES, **MARKUP, **LETTERS}


def write_hostile_notes(folder: Path) -> int:
    """Writes the notes; how many files there are."""
    folder.mkdir(parents=True)
    for name, payload in SHORT.items():
        _write(folder / f"{name} {_as_name(payload)}.md", _note(name, payload))
    for name, payload in LONG.items():
        _write(
            folder / f"long {name}.md",
            f"# {payload}\n\nMarta Oliveira met {payload} in Porto.\n\n## {payload}\n\n{payload}\n",
        )
    inner = folder / f"sub {_as_name(MARKUP['action'])}{_as_name(ESCAPES['title'])}"
    inner.mkdir()
    _write(inner / "line\nend.md", _note("line end", "\r\nof a name\r"))
    _write(
        inner / "spelled.md",
        "# Spelled &#27;[2J &#8238;\n\nMarta Oliveira met &#27;]0;owned&#7; &#x200b;Jonas&zwj; in Porto.\n",
    )
    _write(
        inner / "page.html",
        "<title>P \x1b[2J[bold]</title><h1>H &#x202e;[red]</h1><p>Marta Oliveira met \x1b]0;owned\x07 Jonas.</p>",
    )
    records = [{"title": payload, "text": f"Marta Oliveira met {payload} in Porto."} for payload in MARKUP.values()]
    _write(inner / "records.jsonl", "".join(f"{json.dumps(record)}\n" for record in records))
    if sys.platform == "linux":
        with open(os.fsencode(inner) + b"/no \xff\xfe utf8 \x1b[31m.md", "wb") as file:
            file.write(b"# No UTF-8 \xff\n\nMarta Oliveira met \x9b31m Jonas \xff\xfe in Porto.\n")
    return sum(len(files) for _, _, files in os.walk(folder))


def _note(name: str, payload: str) -> str:
    quoted = json.dumps(payload)
    return (
        f"---\ntitle: {quoted}\ntags: [{quoted}, weird]\naliases: [{quoted}]\n---\n"
        f"# Title {payload} of {name}\n\n"
        f"Marta Oliveira {payload} met Jonas Brandt in Porto on 5 March 2026. Anna {payload} Berg rang Marta Oliveira.\n\n"
        f"## Heading {payload}\n\nSee [[Anna {payload} Berg]] and [[{payload}]] and [text {payload}](javascript:alert(1)). #tag\n\n"
        f"- a list {payload}\n\n| a | {payload} |\n|---|---|\n| b | c |\n\n`{payload}`\n\n```{payload}\n{payload}\n```\n"
    )


def _as_name(payload: str) -> str:
    """As much of it as a file's name can hold."""
    return payload.replace("/", "∕").replace("\x00", "")[:30]


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
