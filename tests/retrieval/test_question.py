"""What a question asks for."""

from __future__ import annotations

import pytest

from noderag_local.retrieval.default.question_words import AnswerKind, answer_kind, possible_names, relations
from noderag_local.text.capitals import capitalised_runs


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did the landlord raise the rent?", AnswerKind.DATE),
        ("In what year was the bridge opened?", AnswerKind.DATE),
        ("Wann läuft der Mietvertrag aus?", AnswerKind.DATE),
        ("合同什么时候到期？", AnswerKind.DATE),
        ("How many eggs does the cake need?", AnswerKind.NUMBER),
        ("Combien coûte le loyer ?", AnswerKind.NUMBER),
        ("Who wrote the letter?", AnswerKind.NAME),
        ("Wo wohnt Anna?", AnswerKind.NAME),
        ("谁写了这封信？", AnswerKind.NAME),
        ("Wo ist die Wanne?", AnswerKind.NAME),
        ("Wannsee", AnswerKind.ANY),
        ("quandary", AnswerKind.ANY),
        ("On which days is the shop open?", AnswerKind.DATE),
        ("Wie vielen Gästen schmeckte es?", AnswerKind.NUMBER),
        ("Wie große Schrauben brauche ich?", AnswerKind.NUMBER),
        ("Wie langen Urlaub habe ich?", AnswerKind.NUMBER),
        ("Wie hohe Kosten entstanden?", AnswerKind.NUMBER),
        ("What numbers did I note?", AnswerKind.NUMBER),
        ("What shares do I own?", AnswerKind.NUMBER),
        ("How longer will it take?", AnswerKind.NUMBER),
        ("Quale quantità di farina serve?", AnswerKind.NUMBER),
        ("Whenever did Ben call?", AnswerKind.DATE),
        ("In welchem Jahrhundert stand der Turm?", AnswerKind.DATE),
        ("En qué años vivió allí?", AnswerKind.DATE),
        ("Is the stove on?", AnswerKind.ANY),
        ("Tell me about showers", AnswerKind.ANY),
    ],
)
def test_kind_of_answer(question: str, kind: AnswerKind) -> None:
    assert answer_kind(question) is kind


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("When did Anna buy the tent?", 0),
        ("When was Anna's tent bought?", 1),
        ("What's the price, and when's it due?", 0),
        ("What’s Anna’s address?", 1),
        ("What is the job of the sister of the man who wrote Nine Bridges?", 3),
        ("Wie heißt der Arzt, dessen Tochter in Graz wohnt?", 1),
    ],
)
def test_relations_are_counted(question: str, count: int) -> None:
    assert relations(question) == count


def test_names_are_runs_of_words_longest_first() -> None:
    names = possible_names("performer of Think of Laura")
    assert names[0] == "performer of Think of Laura"
    assert "Think of Laura" in names
    assert names.index("Think of Laura") < names.index("Laura")
    assert len(names) == len(set(names))


def test_possessives_are_looked_up_bare_too() -> None:
    assert {"Big Eye's", "Big Eye"} <= set(possible_names("Big Eye's director"))


def test_scripts_without_spaces_give_runs_of_characters() -> None:
    assert "北京大学" in possible_names("他在北京大学学习吗？")


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Wo wohnt Jo\u0308rg Mu\u0308ller?", "Jörg Müller"),
        ("महात्मा गांधी कौन थे?", "महात्मा गांधी"),
        ("佐々木は誰？", "佐々木"),
    ],
)
def test_names_keep_their_accents_and_vowel_signs(question: str, name: str) -> None:
    assert name in possible_names(question)


@pytest.mark.parametrize(
    ("question", "runs"),
    [
        ("Wo wohnt Jo\u0308rg?", [["Jo\u0308rg"]]),
        ("Who owns the label of Think of Laura?", [["Think", "of", "Laura"]]),
        ("In Vienna, did Anna's brother meet Ben?", [["Vienna"], ["Anna"], ["Ben"]]),
        ("What is the capital of the United States of the", [["United", "States"]]),
        ("is it warm", []),
        ("谁写了这封信？", []),
    ],
)
def test_capitals_are_runs_of_names(question: str, runs: list[list[str]]) -> None:
    assert capitalised_runs(question) == runs
