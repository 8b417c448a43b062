"""Text files made to hurt whoever reads them: what is repeated, nested, left open or lies about itself."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator

WORDS = (
    "the lighthouse was built by Ada Quimby in 1904 on a rock of Port Reverie and nobody has seen it since Anna Berg von der "
    "Heide of the Royal Society (RS) wrote about it"
).split()
BLANKS = (
    " ",
    "\t",
    " \t",
    "\u00a0",
    "\u3000",
    "\u2003",
    "\u200b",
    "\x0b",
    "\x0c",
    "\u2028",
    "\x85",
    "\r",
    "\n",
    "\n ",
    " \n",
    "\r\n",
)
SIGNS = "[](){}<>!#*_~`=-+|\\/\"'&%$@^:;,.?«»„“‘—…"
LARGEST = 60_000
"""Characters of the largest files; what is quadratic in them takes seconds."""
Made = tuple[str, str | bytes]
"""(suffix, content)"""


def hostile_texts(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """(name, content) of so many files, kind after kind, always the same for one seed."""
    chance = random.Random(seed)
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        suffix, content = kind(chance)
        data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        yield f"{number:05}-{kind.__name__}{suffix}", data


def ordinary_notes(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Notes as people write them."""
    chance = random.Random(seed)
    for number in range(count):
        paragraphs = "\n\n".join(f"{prose(chance, 60)}." for _ in range(chance.randrange(1, 4)))
        text = f"---\ntags: [harbour]\n---\n# Note {number}\n\n{paragraphs}\n\n- [[Note {number // 2}]]\n- {prose(chance, 6)}\n"
        yield f"ordinary {number:04}.md", text.encode()


def prose(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words))


def size(chance: random.Random) -> int:
    return chance.choice((300, 300, 3_000, 3_000, 3_000, 10_000, 10_000, 40_000, LARGEST))


def suffix(chance: random.Random) -> str:
    return chance.choice((".md", ".md", ".txt", ".markdown", ".jsonl"))


def filled(chance: random.Random, *pieces: str) -> str:
    """Pieces one after the other, again and again, up to some size."""
    one = "".join(pieces)
    return one * max(1, size(chance) // max(1, len(one)))


def blanks(chance: random.Random) -> Made:
    blank = chance.choice(BLANKS)
    return suffix(chance), chance.choice(("", "a", "# ", "> ", "- ", "[a](")) + filled(chance, blank) + chance.choice(
        ("", "a", "x\n")
    )


def blanks_in_lines(chance: random.Random) -> Made:
    line = chance.choice(("#", "- a", "1.", "> ", "", "|", "a::", "```", "%%", "[a]:", "[^1]:", "a:", ";"))
    return suffix(chance), (line + chance.choice(BLANKS) * chance.choice((10, 500, 9_000)) + "x\n") * chance.choice(
        (1, 4, 40)
    )


def repeated_sign(chance: random.Random) -> Made:
    return suffix(chance), prose(chance, 5) + " " + filled(chance, chance.choice(SIGNS)) + chance.choice(
        ("", " x", "\n")
    )


def repeated_signs(chance: random.Random) -> Made:
    return suffix(chance), filled(chance, *chance.choices([*SIGNS, " ", "a", "\n", "1", "A"], k=chance.randrange(2, 6)))


def brackets(chance: random.Random) -> Made:
    opened, closed = chance.choice(
        (("[", "]"), ("(", ")"), ("[[", "]]"), ("{{", "}}"), ("<", ">"), ("![", "]()"), ("((", "))"))
    )
    times = size(chance) // 2 // len(opened)
    return suffix(chance), chance.choice(
        (opened * times + closed * times, opened * times, (opened + "a") * times, closed * times)
    )


def links(chance: random.Random) -> Made:
    link = chance.choice(
        (
            "[a](b \"c", "[a](<b", "[a][", "[[a|b", "[a]( ", "![[", "[a]: <", "[[a#b|c]]", "[a](b.md)", "<http://a", "http://a.", "[^a]",
            "[[a]] ", "[[" + "a" * 90 + "]]", "[a](b(", "[a][b]", "www.a.", "a@b.", "<a@b", "[a](%00.md)", "[](../../../etc/passwd.md)",
        )
    )  # fmt: skip
    return chance.choice((".md", ".txt")), filled(chance, link)


def reference_definitions(chance: random.Random) -> Made:
    many = size(chance) // 12
    return ".md", "".join(f"[{number}]: /u '{chance.choice('ab')}\n" for number in range(many)) + "[1] " * 50


def headings(chance: random.Random) -> Made:
    title = prose(chance, chance.choice((3, 3000)))
    return ".md", filled(
        chance, f"{'#' * chance.randrange(1, 8)} {title}", chance.choice(("\n", " #\n", " ####### \n", "\n\nText.\n\n"))
    )


def long_headings(chance: random.Random) -> Made:
    above = f"# {prose(chance, 2000)}\n\n## {prose(chance, 2000)}\n\n"
    return ".md", above + "".join(f"### {number}\n\nText {number}.\n\n" for number in range(size(chance) // 30))


def underlined(chance: random.Random) -> Made:
    return ".md", filled(chance, "a\n" * chance.choice((1, 50)), chance.choice("=-") * chance.choice((1, 900)), "\n")


def quotes(chance: random.Random) -> Made:
    return ".md", chance.choice(
        (">" * size(chance) + " a", filled(chance, "> " * chance.choice((2, 40)), "a\n"), filled(chance, "> a\nb\n"))
    )


def lists(chance: random.Random) -> Made:
    mark = chance.choice(("-", "*", "+", "1.", "- [ ]", "-\t"))
    deep = "".join(f"{' ' * (2 * (depth % 300))}{mark} a\n" for depth in range(size(chance) // 300))
    return ".md", chance.choice(
        (deep, f"{mark} " * (size(chance) // 3), filled(chance, f"{mark} a\n\n"), filled(chance, f"{mark}\n"))
    )


def tables(chance: random.Random) -> Made:
    columns = chance.choice((2, 100, 3_000))
    rows = max(1, size(chance) // (4 * columns))
    return ".md", "|" + "a|" * columns + "\n|" + "-|" * columns + "\n" + ("|" + "b|" * columns + "\n") * rows


def open_tables(chance: random.Random) -> Made:
    return ".md", filled(chance, chance.choice(("|a\n|-\n", "a|b\n-|-\n", "|\n", "|-|\n", "\\|", "a | b\n")))


def fences(chance: random.Random) -> Made:
    mark = chance.choice(("```", "~~~", "`" * 5_000, "    ", "\t"))
    return ".md", chance.choice(
        (filled(chance, f"{mark}\na\n"), f"{mark}\n" + filled(chance, "a b\n"), f"{mark}\n" + filled(chance, "x"))
    )


def code_spans(chance: random.Random) -> Made:
    ticks = "".join("`" * length + "a" for length in range(1, 300))
    return ".md", chance.choice((ticks, filled(chance, "`a"), filled(chance, "``a`"), "`" * size(chance)))


def emphasis(chance: random.Random) -> Made:
    return ".md", filled(
        chance, chance.choice(("*a", "**a *b", "_a_b", "*a_ ", "***", "~~a", "==a", "a**b", "*a **b ***c ", "__a*"))
    )


def html(chance: random.Random) -> Made:
    tag = chance.choice(
        (
            "<a",
            "<a b='",
            "<!--",
            "<!-- -",
            "<!---->",
            "<div>\n",
            "<?",
            "<![CDATA[",
            "</a",
            "<!A",
            "<script>",
            "&#0;",
            "&amp",
            "&#x41;",
            "&a;",
        )
    )
    return ".md", filled(chance, tag, chance.choice(("", " ", "\n", "a")))


def comments(chance: random.Random) -> Made:
    return ".md", filled(
        chance, chance.choice(("%%", "%% a\n", "%%\n", "<!-- a\n", "%%a%%", "%", "```\n%%\n", "%%\n```\n"))
    )


def logseq(chance: random.Random) -> Made:
    block = chance.choice(
        (
            "- id:: 1\n",
            "title:: a\n",
            "a:: b\n",
            "- a\n  id:: 00000000-0000-0000-0000-000000000000\n",
            "((",
            "{{embed [[",
        )
    )
    return ".md", filled(chance, block)


def tags(chance: random.Random) -> Made:
    return ".md", "".join(
        f"#{chance.choice('ab/-_1')}{number}{chance.choice((' ', '/', '#', ''))}" for number in range(size(chance) // 8)
    )


def front_matter(chance: random.Random) -> Made:
    fence = chance.choice(("---", "---", "+++"))
    field = chance.choice(
        (
            "x: !!bool y", "x: !!timestamp soon", 'x: !!float ""', "x: [" + "[" * 9_000, "x: {" + "a: {" * 9_000, "title: 0x" + "f" * 6_000,
            "title = 0x" + "f" * 6_000, "tags: [" + "a, " * 9_000 + "]", "x: &a [*a]", "<<: *x", "x: 'a", "- a", "a" + ".a" * 9_000 + " = 1",
            "tags: " + "a," * 9_000, "title: " + "a " * 9_000, "? a", "x: |\n" + "  a\n" * 3_000, "a: b\n" * 3_000, "date: 9999-99-99",
            "aliases: " + "[" + "'a', " * 4_000 + "]", "x = " + "[" * 9_000, "x = " + "{a = " * 5_000, "\t", ": " * 3_000, "!!" * 5_000,
        )
    )  # fmt: skip
    return ".md", f"{fence}\n{field}\n{chance.choice((fence, '', '...', '---'))}\n\n{prose(chance, 30)}.\n"


def merge_bomb(chance: random.Random) -> Made:
    names = [f"k{number}" for number in range(chance.randrange(8, 30))]
    key = chance.choice(("", "<<: "))
    lines = [f"{b}: &{b} {{{key}[{', '.join([f'*{a}'] * 9)}]}}" for a, b in itertools.pairwise(names)]
    return ".md", f"---\n{names[0]}: &{names[0]} {{a: b}}\n" + "\n".join(lines) + f"\n---\n\n{prose(chance, 30)}.\n"


def json_lines(chance: random.Random) -> Made:
    line = chance.choice(
        (
            '{"text": ' + "[" * 3_000, "[" * 30_000, '{"text": "' + "\\" * 9_001, '{"title": 1e999, "text": "a"}', '{"text": ' + "1" * 6_000 + "}",
            '{"title": ' + "1" * 6_000 + ', "text": "a"}', '{"text": "\\ud800"}', '{"text": "\\u0000 a"}', '{"text": NaN}', '{"a": ' * 3_000,
            json.dumps({"title": "a" * 9_000, "text": "b. " * 3_000}), json.dumps({"text": " " * 9_000}), "{}", "", "null", " " * 9_000,
            json.dumps({"text": "\n" * 9_000 + "a"}), json.dumps({"title": {"a": ["b"] * 900}, "text": "A b."}), '{"text": "a", "text": "b"}',
        )
    )  # fmt: skip
    return ".jsonl", f"{line}\n" * chance.choice((1, 3, 30))


def many_records(chance: random.Random) -> Made:
    return ".jsonl", "".join(
        json.dumps({"title": f"T{number}", "text": chance.choice((".", "A.", " "))}) + "\n" for number in range(1_000)
    )


def letters(chance: random.Random) -> Made:
    first = chance.choice(
        (0x41, 0x300, 0x600, 0x900, 0xE00, 0x1F00, 0x2000, 0x3041, 0x4E00, 0xAC00, 0xE000, 0x1F000, 0xE0000, 0xFFF0)
    )
    return suffix(chance), "".join(chr(first + chance.randrange(200)) for _ in range(size(chance) // 3))


def combining(chance: random.Random) -> Made:
    mark = chance.choice(("\u0301", "\u200d", "\ufe0f", "\u202e", "\U000e0041", "\u0e49", "\u094d", "\u3099"))
    return suffix(chance), filled(
        chance, chance.choice(("a", "ก", "क", "か", "👩", "ß", "İ", "ﷺ")), mark * chance.choice((1, 5_000))
    )


def one_word(chance: random.Random) -> Made:
    return suffix(chance), chance.choice("aA1é中あกא_") * size(chance)


def capitals(chance: random.Random) -> Made:
    name = chance.choice(
        (
            "A",
            "Aa ",
            "A.",
            "A. ",
            "A-",
            "Aa-",
            "A'",
            "Of the ",
            "Anna of ",
            "d'A",
            "A/",
            "A&",
            "Dr. ",
            "Jr., ",
            "1St ",
            "IBM (",
            "A.B.",
        )
    )
    return suffix(chance), filled(chance, name)


def numbers(chance: random.Random) -> Made:
    number = chance.choice(
        ("1", "1.", "1,", "1 ", "19", "1904-", "1 May ", "1904 ", "$1.", "1%", "1/", "12:", "1e", "-1", "1年", "٣")
    )
    return suffix(chance), filled(chance, number)


def sentences(chance: random.Random) -> Made:
    mark = chance.choice(
        (
            ". ",
            ".",
            "! ",
            "? ",
            "...",
            "。",
            "a. ",
            "A. b. ",
            "Dr. ",
            "e.g. ",
            "; ",
            ": ",
            ", ",
            '" ',
            '." ',
            ".) ",
            "।",
            "؟ ",
        )
    )
    return suffix(chance), filled(chance, chance.choice(("", "a", "Ab", "1")), mark)


def quoted(chance: random.Random) -> Made:
    mark = chance.choice(('"', "“", "”", "„", "«", "»", "「", "『", "``", "'", "(", ' "A', "“A ", "(A ", "A (B) "))
    return suffix(chance), filled(chance, mark, chance.choice(("", "a", " a", "A. ")))


def code(chance: random.Random) -> Made:
    line = chance.choice(
        ("def a(", "class A:\n", "if (a) {\n", "/*", "'''", '"""', "#if\n", "begin\n", "$$", "a = b\n", "};\n")
    )
    return chance.choice((".md", ".txt")), filled(chance, line)


def bytes_of_no_text(chance: random.Random) -> Made:
    piece = chance.choice(
        (
            b"\xff",
            b"\xfe\xff",
            b"\xef\xbb\xbf",
            b"\x80a",
            b"\xe4\xf6 ",
            b"a\x00",
            b"\xed\xa0\x80",
            b"\x1b[31m",
            b"\x07a",
            b"\xc3",
        )
    )
    return suffix(chance), chance.choice((b"", b"\xff\xfe", b"\xef\xbb\xbf", b"\xfe\xff")) + piece * (
        size(chance) // len(piece)
    )


def anything(chance: random.Random) -> Made:
    """Some kinds one after the other."""
    made = [chance.choice(KINDS[:-1])(chance)[1] for _ in range(3)]
    return suffix(chance), "\n\n".join(one for one in made if isinstance(one, str))[: 2 * LARGEST]


KINDS: tuple[Callable[[random.Random], Made], ...] = (
    blanks, blanks_in_lines, repeated_sign, repeated_signs, brackets, links, reference_definitions, headings, long_headings, underlined,
    quotes, lists, tables, open_tables, fences, code_spans, emphasis, html, comments, logseq, tags, front_matter, merge_bomb, json_lines,
    many_records, letters, combining, one_word, capitals, numbers, sentences, quoted, code, bytes_of_no_text, anything,
)  # fmt: skip
