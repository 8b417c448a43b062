"""Converts text of notes and models to Markdown that shows it, but runs, fetches and links nothing.

Programs that open an exported note may run what is in it: Dataview runs code spans and fences, Templater and site generators
run everything between <% %> and {{ }}, and readers turn addresses into links. So every character that begins such a construct
is escaped. This module decides what is code and what is text, as readers differ in that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from noderag_local.system.printing.plain_text import printable

_SIGN = re.compile(
    r"[\\`<$\{~]"  # escapes and TeX, code, HTML, mathematics, attributes and macros, fences
    r"|(?<=[<{%])%|(?<=\{)#"  # Templater and Jinja, Obsidian's comments, which hide text
    r"|(?<=!)\[|(?<=\[)\[|(?<=\])[(:]|(?<=\()\("  # images, wiki links, links, definitions, Logseq's embeds
    r"|&(?=[#\w])"  # entities
    r"|(?<=:)/(?=/)|(?<=www)\.|(?<=[\w-])\.(?=[^\W\d_]{2})|(?<=\w)@(?=\w)"  # addresses that readers make links of
    r"|(?<=#)\+|(?<=-)\*(?=-)"  # Org's and Logseq's blocks, Emacs' file variables
    r"|(?<=\bvi):|(?<=\bvim):|(?<=\bex):|(?<=mailto):|(?<=script):|(?<=data):|(?<=file):",
    re.IGNORECASE,
)
"""The escape stands in front of it, or where a pair begins something inside the pair: no other reading of it is left."""
_IN_LABEL = re.compile(rf"{_SIGN.pattern}|[\[\]>]", re.IGNORECASE)
_RUN_ANYWHERE = re.compile(r"<(?=%)|\{(?=[{%#])|-(?=\*-)|\b(?:vim?|ex)(?=:)", re.IGNORECASE)
"""Marks that some programs act on wherever they stand in a file, even in code; there only a blank can break them."""
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<run>`{3,}|~{3,})(?P<kind>[^`]*)\Z")
_RUN_OF_TICKS = re.compile(r"`+")
_INDENTED_QUERY = re.compile(r"\A([ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)*+)=")
_QUERY = re.compile(r"\s*[=$]")
"""Beginnings by which Dataview takes a whole code span or block for a query."""


def harmless(text: str) -> str:
    """Returns `text` as Markdown with lines, lists, tables, emphasis and code, but without links, images, HTML or anything that runs."""
    return "\n".join(_written(printable(text).split("\n")))


def one_line(text: str) -> str:
    """Returns `harmless` text on one line, white space folded; code keeps its backticks."""
    return _escaped(" ".join(printable(text).split()))


def code(text: str) -> str:
    """Returns a path or name in backticks, without signs that would end the code or run."""
    shown = _apart(" ".join(printable(text).split()).replace("`", "'"))
    return one_line(text) if _QUERY.match(shown) or not shown else f"`{shown}`"


def file_link(label: str, path: str) -> str:
    """Returns a link to a file of the user's, by its absolute path, in angle brackets so that any path is one address."""
    from urllib.parse import quote

    words = _IN_LABEL.sub(r"\\\g<0>", " ".join(printable(label).split()))
    # A reader that makes no links to files looks for hosts in it, and finds them by their dots.
    return f"[{words}](<file://{quote(path, errors='surrogateescape').replace('.', '%2E')}>)"


def property_value(value: str | int | Sequence[str]) -> str:
    """Returns a quoted YAML string for front matter, in which no program finds anything to run or to link."""
    if isinstance(value, str):
        import json

        # Obsidian makes links of properties that are addresses; all other signs are told to programs by their numbers alone.
        quoted = json.dumps(printable(value).replace("//", "/ /"), ensure_ascii=False)
        return re.sub(r"[<>{}\[\]`$%=!&@#(:*]|(?<=\w)\.(?=\w)", lambda sign: f"\\u{ord(sign[0]):04x}", quoted)
    return str(value) if isinstance(value, int) else f"[{', '.join(map(property_value, value))}]"


def _written(lines: Sequence[str]) -> Iterator[str]:
    fence = ""
    within: list[str] = []
    for line in lines:
        found = _FENCE.match(line)
        if fence and found and found["run"].startswith(fence) and not found["kind"].strip():
            yield from _block(within)
            fence = ""
        elif fence:
            within.append(line)
        elif found:
            fence, within = found["run"], []
        else:
            yield (
                _INDENTED_QUERY.sub(r"\1\=", _escaped(line), count=1) if _INDENTED_QUERY.match(line) else _escaped(line)
            )
    if fence:
        yield from _block(within)


def _block(lines: Sequence[str]) -> Iterator[str]:
    """Returns code between fences longer than any in it; its language is left out, since some languages are run."""
    body = [_apart(line) for line in lines]
    if _QUERY.match("\n".join(body)):
        body = ["code:", *body]
    longest = max((len(run) for line in body for run in _RUN_OF_TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from ("", f"{fence}text", *body, fence, "")


def _escaped(text: str) -> str:
    return _SIGN.sub(r"\\\g<0>", text)


def _apart(text: str) -> str:
    return _RUN_ANYWHERE.sub(r"\g<0> ", text)
