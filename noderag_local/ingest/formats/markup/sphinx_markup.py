"""Directives and roles that docutils does not know, read for their text: Sphinx and its extensions have hundreds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

from docutils import nodes
from docutils.parsers.rst import Directive, directives, roles
from docutils.parsers.rst.languages import en
from docutils.parsers.rst.states import Inliner

_DIRECTIVE = re.compile(
    r"^[ \t]*(?:\|[^|\n]{1,100}\|[ \t]*)?\.\.[ \t]+(?P<name>[A-Za-z][\w:.+-]{0,60})::", re.MULTILINE
)
_ROLE = re.compile(r":(?P<name>[A-Za-z][\w:.+-]{0,60}):`|`:(?P<after>[A-Za-z][\w:.+-]{0,60}):")
_REFERENCE = re.compile(r"(?P<label>(?:.*\S)?)\s*<[^<>]+>$", re.DOTALL)
_CODE = frozenset(
    {
        "code-block",
        "sourcecode",
        "code",
        "testcode",
        "testsetup",
        "doctest",
        "testoutput",
        "productionlist",
        "prompt",
        "ipython",
    }
)
_NO_TEXT = frozenset(
    "toctree index module currentmodule py:module py:currentmodule highlight highlightlang literalinclude automodule "
    "autoclass autofunction contents sectionauthor moduleauthor tabularcolumns include image figure-md raw meta "
    "default-domain program default-role autosummary csv-table only-if target-notes sectnum header role".split()
)
_KNOWN = frozenset(en.directives) - _CODE - {"include", "raw", "csv-table", "contents", "role", "default-role", "date"}


class _AnyOptions(dict[str, Any]):
    """Options of any name, each kept as text."""

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, name: str) -> Any:
        return lambda value: value


class _Directive(Directive):
    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[Any] = _AnyOptions()


class _ReadForText(_Directive):
    """Directive whose argument (a signature, a version) becomes a paragraph before its content."""

    def run(self) -> Sequence[nodes.Node]:
        content = nodes.container()
        if self.content:
            self.state.nested_parse(self.content, self.content_offset, content)
        told = [nodes.paragraph(argument, argument) for argument in self.arguments[:1]]
        for paragraph in told:
            paragraph.line = self.lineno
        return [*told, content]


class _Code(_Directive):
    """Directive that is shown as code."""

    def run(self) -> Sequence[nodes.Node]:
        code = "\n".join(self.content)
        block = nodes.literal_block(code, code)
        block.line = self.content_offset + 1
        return [block]


class _Nothing(_Directive):
    def run(self) -> Sequence[nodes.Node]:
        return []


def accept_unknown_markup(text: str) -> None:
    """Makes docutils read the directives and roles of a text that it does not know, from now on."""
    for name in {match["name"].lower() for match in _DIRECTIVE.finditer(text)}:
        if name in _CODE:
            directives.register_directive(name, _Code)
        elif name in _NO_TEXT:
            directives.register_directive(name, _Nothing)
        elif name not in _KNOWN:
            directives.register_directive(name, _ReadForText)
    for name in {(match["name"] or match["after"]).lower() for match in _ROLE.finditer(text)}:
        if name not in en.roles or name == "raw":
            roles.register_local_role(name, cast(Any, _role))


def _role(
    name: str,
    source: str,
    text: str,
    line: int,
    inliner: Inliner,
    options: Mapping[str, Any] | None = None,
    content: Sequence[str] | None = None,
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Reads :role:`label <target>` as its label, or as its target without marks if it has none."""
    label = _REFERENCE.match(text)
    shown = label["label"] if label and label["label"] else text.lstrip("!~")
    return [nodes.inline(source, shown)], []
