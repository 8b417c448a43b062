"""Exported notes, conversations and reports open in programs that run what they find; they find nothing, and people can read all."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import jinja2
import pytest
import yaml
from helpers.conversation_turns import FOUND, SOURCE, turn
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from noderag_local.config import load_settings
from noderag_local.evaluation.reports.report_columns import BudgetTable
from noderag_local.evaluation.reports.report_page import _markdown, _page, _Section
from noderag_local.storage.conversations.conversations import Conversation
from noderag_local.system.printing.markdown_text import code, file_link, harmless, one_line
from noderag_local.system.printing.safe_names import safe_name
from noderag_local.vault.export.conversation_export import as_markdown
from noderag_local.vault.vault import Vault

PAYLOADS = {
    "dataview's code": "```dataviewjs\ndv.view('x')\n```",
    "dataview's code with tildes": "~~~dataviewjs\ndv.view('x')\n~~~",
    "dataview's code in a list": "- ```dataviewjs\n  dv.view('x')\n  ```",
    "dataview's code in a quotation": "> ```dataviewjs\n> dv.view('x')\n> ```",
    "dataview's code in a footnote": "[^1]: ```dataviewjs\n    dv.view('x')\n    ```",
    "dataview's code without an end": "```dataviewjs\ndv.view('x')",
    "dataview's code with a longer fence": "`````dataviewjs\n```\ndv.view('x')\n`````",
    "dataview's query": "`= this.file.name`",
    "dataview's query in JavaScript": "`$= dv.view('x')`",
    "dataview's query in double ticks": "`` = dv.view('x') ``",
    "dataview's query behind a tick": "`a` = dv `= dv.view('x')`",
    "dataview's query behind an escaped tick": "\\`= dv.view('x')` \\\\`= dv.view('x')`",
    "dataview's query in a block": "```\n= dv.view('x')\n```",
    "dataview's query in an indented block": "text\n\n    = dv.view('x')\n\n    $= dv.view('x')",
    "templater": "<% tp.system.prompt() %>",
    "templater's command": "<%* await tp.user.x() -%>",
    "templater in code": "```\n<%* tp.user.x() %>\n```",
    "obsidian's embed": "![[../../secret.md]]",
    "obsidian's link": "[[secret|press here]]",
    "obsidian's comment": "%%hidden from people%%",
    "an image": "![x](http://evil.example/x.png)",
    "an image by reference": "![x][r]\n\n[r]: http://evil.example/x.png",
    "a link": "[press](javascript:alert(1))",
    "a link by reference": "[press][r]\n\n[r]: <javascript:alert(1)>",
    "an autolink": "<javascript:alert(1)> <evil@evil.example>",
    "bare addresses": "https://evil.example www.evil.example evil.example/x evil@evil.example vscode://x mailto:evil@evil.example",
    "a frame": "<iframe src=//evil.example></iframe>",
    "a script": "<script>alert(1)</script>",
    "a script behind a backslash": "\\<script>alert(1)</script> \\\\<script>alert(1)</script>",
    "an SVG": "<svg onload=alert(1)>",
    "entities": "&lt;script&gt; https&colon;//evil.example &#91;x](y)",
    "logseq's query": "{{query (and [[x]])}}",
    "logseq's renderer": "{{renderer :evil, x}} {{{x}}}",
    "logseq's embed": "((64b0c0de-0000-4000-8000-000000000000))",
    "logseq's block": "#+BEGIN_QUERY\n{:query [:find ?b]}\n#+END_QUERY",
    "org babel": "#+begin_src sh :results output\nid\n#+end_src\nsrc_sh{id}",
    "jupytext": "```python\nimport os\n```",
    "myst": "```{code-cell}\nimport os\n```\n\n:::{include} /etc/passwd\n:::",
    "r markdown": "`r system('id')`\n\n```{r}\nsystem('id')\n```",
    "pandoc's raw HTML": "`<script>alert(1)</script>`{=html}",
    "TeX": "\\input{/etc/passwd} $\\href{javascript:alert(1)}{x}$ $$\\unicode{x}$$",
    "jinja": "{{ 7 * 191 }} {% for x in [1337] %}{{ x }}{% endfor %} {# gone #}",
    "jinja in code": "```\n{{ 7 * 191 }}\n```",
    "mermaid": '```mermaid\ngraph TD\nclick A href "javascript:alert(1)"\n```',
    "attributes": "# head {onclick=alert(1)}\n\ntext{: onclick=alert(1)}",
    "editors' lines": "vim: set foldexpr=system('id') :\n-*- eval: (shell-command \"id\") -*-",
}
READABLE = re.compile(r"\w{3,}")


def tokens(markdown: str) -> list[Token]:
    """As a reader of GitHub's Markdown sees it, which makes links of all that looks like an address."""
    found: list[Token] = []
    for token in MarkdownIt("gfm-like").parse(markdown):
        found += (token, *(token.children or ()))
    return found


def what_runs(markdown: str) -> set[str]:
    """What one of the programs would run, fetch, hide or open."""
    found = set()
    for token in tokens(markdown):
        if token.type in ("code_inline", "fence", "code_block") and re.match(r"\s*\$?=", token.content):
            found.add("query")
        if token.type == "fence" and token.info not in ("", "text"):
            found.add(f"fence {token.info}")
        if token.type in ("image", "html_inline", "html_block"):
            found.add(token.type)
        if token.type == "link_open" and not str(token.attrs["href"]).startswith("file:///"):
            found.add(f"link {token.attrs['href']}")
    return found | set(_IN_ANY_LETTERS.findall(markdown)) | set(_OUTSIDE_CODE.findall(without_code(markdown)))


_IN_ANY_LETTERS = re.compile(r"<%|\{\{|\{%|\{#|-\*-|\bvim?:")
"""What programs look for that do not read Markdown."""
_OUTSIDE_CODE = re.compile(
    r"#\+\w|%%|!\[\[|(?<!\\)\[\[(?!Entities/|Themes/)|\(\(|(?<!file)://|\]\((?!<file://)|^\[r\]:", re.MULTILINE
)


def without_code(markdown: str) -> str:
    """A text without what every reader shows as code."""
    lines = markdown.split("\n")
    for token in tokens(markdown):
        if token.type in ("fence", "code_block") and token.map:
            lines[slice(*token.map)] = [""] * (token.map[1] - token.map[0])
    text = "\n".join(lines)
    for token in tokens(markdown):
        if token.type == "code_inline":
            text = text.replace(token.content, "", 1)
    return text


def conversation(text: str) -> str:
    source = replace(SOURCE, path=f"/notes/{text}.md", title=text, headings=(text,), text=text)
    talk = replace(turn(text, f"It is so [1].\n\n{text}\n\nAnd so [1]."), asked_as=text, note=text)
    now = datetime.now(UTC)
    return as_markdown(Conversation(1, text, now, now, 1), [replace(talk, found=replace(FOUND, sources=(source,)))])


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_an_exported_conversation_runs_nothing_and_can_be_read(payload: str) -> None:
    told = conversation(payload)
    assert what_runs(told) == set()
    shown = " ".join(token.content for token in tokens(told))
    assert set(READABLE.findall(payload)) - {"dataviewjs", "python", "mermaid", "code", "cell"} <= set(
        READABLE.findall(shown)
    )


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
@pytest.mark.parametrize("write", [harmless, one_line, code, lambda text: file_link(text, "/x.md")])
def test_every_way_to_write_runs_nothing(write, payload: str) -> None:  # type: ignore[no-untyped-def]
    for text in (
        payload,
        f"a {payload} b",
        f"\\{payload}",
        f"`{payload}`",
        f"```\n{payload}",
        f"- {payload}\n\n{payload}",
    ):
        assert what_runs(write(text)) == set()


PIECES = ["`", "``", "```", "~~~", "\n", "\n\n", "= x", "$= x", "\\", "<", "%", "{", "[", "]", "(", ")", "!", ":", "//", "www.",
          "e.org", "@", "a", " ", "    ", "- ", "> ", "1. ", "#", "+", "dataviewjs", "&", "#58;", "http", "|", "*"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=16).map("".join))
def test_nothing_put_together_of_their_signs_runs(text: str) -> None:
    assert what_runs(harmless(text)) == set()
    assert what_runs(f"text\n\n{one_line(text)}") == set()


def test_a_template_engine_finds_nothing_to_render() -> None:
    told = "\n\n".join(harmless(payload) for payload in PAYLOADS.values())
    # What jinja leaves as it is has no expression, statement or comment in it.
    assert jinja2.Environment(autoescape=False, keep_trailing_newline=True).from_string(told).render() == told
    assert "1337" in told and "gone" in told


def test_code_in_an_answer_stays_code() -> None:
    told = harmless('Run this:\n\n```python\ndef f(x):\n    return `x` + "\\n"  # <b>\n```\n\nand **that**.')
    (fence,) = (token for token in tokens(told) if token.type == "fence")
    assert fence.content == 'def f(x):\n    return `x` + "\\n"  # <b>\n'
    assert "**that**" in told


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The graph of hostile notes, with the payloads beside, within and as names."""
    folder = tmp_path_factory.mktemp("exported")
    notes = folder / "in"
    notes.mkdir()
    for at, (name, payload) in enumerate(PAYLOADS.items()):
        flat = " ".join(payload.split())
        (notes / f"{at} {safe_name(flat, 'x')[:40]}.md").write_text(
            f"---\naliases: ['{flat.replace(chr(39), '')}']\n---\n# Zed {flat}\n\nMarta Oliveira met Zed {flat} in Porto.\n\n"
            f'Marta Oliveira wrote "{flat}" about {name}.\n\n[[Zed {flat}]] knows [[Marta Oliveira]].\n\n{payload}\n',
            encoding="utf-8",
        )
    (notes / "page.html").write_text("<title>Page</title><p>Marta Oliveira met Jonas Brandt in Lisbon.</p>", "utf-8")
    (notes / "tool.sh").write_text("# Marta Oliveira wrote this for Jonas Brandt in Lisbon.\nexit 1\n", "utf-8")
    with Vault(folder / "vault", load_settings(models_dir=folder / "none")) as vault:
        vault.index([notes])
        vault.exchange.write_notes(folder / "out")
    return folder / "out"


def test_exported_notes_run_nothing(exported: Path) -> None:
    files = {str(path.relative_to(exported)): path.read_text("utf-8") for path in exported.rglob("*.md")}
    assert len(files) > 20
    assert {name: what_runs(text) for name, text in files.items() if what_runs(text)} == {}
    assert not [name for name in files if re.search(r"[{}`<>$\[\]]", name.replace("$", ""))]
    for text in files.values():
        if text.startswith("---"):
            assert yaml.safe_load(text.split("\n---\n")[0])["type"]


def test_exported_notes_link_to_text_alone_and_name_all_other_files(exported: Path) -> None:
    whole = "\n".join(path.read_text("utf-8") for path in exported.rglob("*.md"))
    linked = set(re.findall(r"\]\(<file://[^>]*%2E(\w+)>\)", whole))
    assert linked == {"md"}
    assert "page.html" in whole and "tool.sh" in whole


def test_a_property_is_the_text_and_nothing_to_run() -> None:
    from noderag_local.system.printing.markdown_text import property_value

    for payload in PAYLOADS.values():
        value = property_value([payload, "Jürgen 日本 😀"])
        assert yaml.safe_load(value) == [payload.replace("//", "/ /"), "Jürgen 日本 😀"]
        assert not re.search(r"<%|\{\{|\{%|`|\[\[|://|\$=", value)


def test_reports_run_nothing() -> None:
    for payload in (*PAYLOADS.values(), "{body} {style} <script>alert(1)</script>"):
        table = BudgetTable(1000, ["method", payload], [[payload, "3.5"]])
        sections = [_Section(payload, [payload], [table], [])]
        assert what_runs(_markdown(sections, payload)) == set()
        page = _page(sections, payload)
        assert "default-src 'none'" in page and page.count("<style>") == 1
        assert not re.search(r"<(?:script|iframe|svg|img|a)\b", page)
