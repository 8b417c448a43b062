"""What the program logs: constant messages, and as a `Term` nothing that a person or a file says."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import noderag_local

PACKAGE = Path(noderag_local.__file__).parent
LEVELS = {"debug", "info", "warning", "error", "critical", "exception", "log"}
TERMS = {
    "name",
    "step.name",
    "one.name",
    "found.method",
    "', stopped' if self.stopped else ''",
    "', abstained' if abstained else ''",
    "reason if is_ours else 'for another reason'",
    "path.stem if path.stem in names else 'of no catalogue'",
}
"""All that the program marks as its own words. Before adding one: can it ever hold a word of a note, a question or a path?"""


def calls() -> Iterator[tuple[str, ast.Call]]:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield f"{path}:{node.lineno}", node


def test_every_message_is_a_constant() -> None:
    found = [(place, call) for place, call in calls() if _logs(call)]
    messages = [(place, call.args[1 if _name(call) == "log" else 0]) for place, call in found]
    assert len(messages) > 10
    assert [place for place, message in messages if not isinstance(message, ast.Constant)] == []


def test_every_term_has_been_looked_at() -> None:
    terms = {ast.unparse(call.args[0]) for _, call in calls() if isinstance(call.func, ast.Name) and _is_term(call)}
    assert terms == TERMS
    handed_on = [ast.unparse(call) for _, call in calls() if any(ast.unparse(one) == "Term" for one in call.args)]
    assert handed_on == ["map(Term, about)"], (
        "noderag_local/interfaces/cli/machine/run_log.py: versions, system and command"
    )


def test_nobody_else_makes_a_logger() -> None:
    """All loggers are named `_log`, by which these tests find what they write."""
    made = [call for _, call in calls() if ast.unparse(call.func) == "logging.getLogger"]
    own = [call for call in made if ast.unparse(call) == "logging.getLogger(__name__)"]
    assert len(made) - len(own) == 6, "noderag_local/system/log/ alone uses the loggers of others"


def _logs(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "_log" and _name(call) in LEVELS


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _is_term(call: ast.Call) -> bool:
    return ast.unparse(call.func) == "Term"
