"""Two answers before a judge, in both orders; and what comes of many."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.eval_runs import FIVE, PROVENANCE, ROME

from noderag_local.domain.errors import ModelError, SourceError
from noderag_local.evaluation.judging.judge_dump import JudgeDump
from noderag_local.evaluation.judging.judging import Duel, GivenAnswer, PairVerdict, give_verdicts
from noderag_local.evaluation.judging.verdict import CRITERIA, Letter
from noderag_local.evaluation.judging.win_rates import Judged, WinRate, table, win_rates
from noderag_local.models.llm.engine import Request, never
from noderag_local.models.llm.scripted import ScriptedEngine

GOOD = GivenAnswer("1", "Which city?", "graph", 1000, "Rome, on the Tiber.")
BAD = replace(GOOD, method="naive", text="A city.")
FORTH, BACK = Duel(ROME, GOOD, BAD), Duel(ROME, BAD, GOOD)
PAIRS = [("graph", "naive")]


def letters(text: str) -> str:
    return "\n".join(f"{criterion}: {letter}" for criterion, letter in zip(CRITERIA, text, strict=True))


def likes_rome(request: Request) -> str:
    """A judge that goes by the text."""
    _, _, answers = request.messages[-1].content.partition("Answer A:")
    return letters("AAAA" if "Rome" in answers.partition("Answer B:")[0] else "BBBB")


def verdict(a: str, b: str, text: str, question: str = "1") -> PairVerdict:
    return PairVerdict(question, 1000, a, b, tuple(map(Letter, text)))


def test_the_judge_sees_both_answers_in_their_order() -> None:
    engine = ScriptedEngine(reply=likes_rome, strict=True)
    first, second = give_verdicts(engine, [FORTH, BACK], never)
    asked = [request.messages[-1].content for request in engine.history]
    assert asked[0].index("Tiber") < asked[0].index("A city") and asked[1].index("A city") < asked[1].index("Tiber")
    assert all("Which city?" in text for text in asked)
    assert (first.a, first.b, second.a, second.b) == ("graph", "naive", "naive", "graph")
    assert [one.winner(0) for one in (first, second)] == ["graph", "graph"]


def test_braces_in_an_answer_stay_what_they_are() -> None:
    engine = ScriptedEngine(letters("AAAA"))
    list(give_verdicts(engine, [Duel(ROME, replace(GOOD, text="{b} {question}"), BAD)], never))
    assert "Answer A: {b} {question}\n" in engine.history[0].messages[-1].content


def test_what_is_no_verdict_is_left_out_and_an_error_ends_it() -> None:
    engine = ScriptedEngine("I like both.", letters("ABAB"))
    (one,) = give_verdicts(engine, [FORTH, BACK], never)
    assert one.a == "naive"
    with pytest.raises(ModelError, match="gone"):
        list(give_verdicts(ScriptedEngine(reply=lambda _: ModelError("gone")), [FORTH], never))


def test_an_answer_wins_where_both_orders_name_it() -> None:
    judged = Judged("graph", "naive", (verdict("graph", "naive", "ABAB"), verdict("naive", "graph", "BABB")))
    assert [judged.outcome(criterion) for criterion in range(4)] == [1, -1, 1, 0]
    assert [judged.is_flipped(criterion) for criterion in range(4)] == [False, False, False, True]


def test_equal_answers_tie_and_nobody_is_asked() -> None:
    assert Duel(ROME, GOOD, replace(GOOD, method="naive")).is_decided
    assert not FORTH.is_decided
    assert Judged("graph", "naive", None).outcome(0) == 0
    assert not Judged("graph", "naive", None).is_flipped(0)


def test_rates_are_over_the_questions_and_flips_over_those_that_were_judged() -> None:
    won = (verdict("graph", "naive", "AAAA"), verdict("naive", "graph", "BBBB"))
    first_place = (verdict("graph", "naive", "AAAA"), verdict("naive", "graph", "AAAA"))
    rates = win_rates([Judged("graph", "naive", verdicts) for verdicts in (won, first_place, None, won)])
    assert [rate.criterion for rate in rates] == ["comprehensiveness", "diversity", "empowerment", "overall"]
    rate = rates[0]
    assert (rate.questions, rate.wins, rate.ties, rate.losses, rate.rate.mean) == (4, 50, 50, 0, 75)
    assert 50 <= rate.rate.low < 75 < rate.rate.high <= 100
    assert rate.flips == pytest.approx(100 / 3)
    assert rate.first_place == pytest.approx(400 / 6)


def test_a_win_rate_that_leaves_out_even_has_a_star() -> None:
    won = (verdict("graph", "naive", "AAAA"), verdict("naive", "graph", "BBBB"))
    lost = (verdict("graph", "naive", "BBBB"), verdict("naive", "graph", "AAAA"))
    assert "100.0 (100–100)*" in table(win_rates([Judged("graph", "naive", won)] * 5))
    assert "0.0 (0–0)*" in table(win_rates([Judged("graph", "naive", lost)] * 5))
    assert "*" not in table(win_rates([Judged("graph", "naive", won), Judged("graph", "naive", lost)]))


def test_every_pair_has_its_rows_and_no_pair_has_none() -> None:
    judged = [Judged("graph", other, None) for other in ("naive", "bm25", "naive")]
    assert [(rate.other, rate.questions) for rate in win_rates(judged)[::4]] == [("naive", 2), ("bm25", 1)]
    assert win_rates([]) == []


def test_the_table_says_how_little_a_judge_that_goes_by_the_place_is_worth() -> None:
    def rates(back: str) -> list[WinRate]:
        both = verdict("graph", "naive", "AAAA"), verdict("naive", "graph", back)
        return win_rates([Judged("graph", "naive", both)])

    doubtful, sure = table(rates("AAAA")), table(rates("BBBB"))
    assert "100 % of the verdicts change with the order" in doubtful
    assert "order" not in sure
    assert len(sure.splitlines()) == 5
    assert sure.splitlines()[1].split()[:7] == ["graph", ":", "naive", "comprehensiveness", "1", "100.0", "0.0"]


def test_a_dump_spares_what_was_asked_already(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    said = verdict("graph", "naive", "ABAB")
    with JudgeDump(path, PROVENANCE, 1000) as dump:
        for one in (GOOD, BAD, said):
            dump.keep(one)
    with JudgeDump(path, PROVENANCE, 1000) as again:
        assert again.has_answer(ROME, "graph")
        assert not again.has_answer(FIVE, "graph")
        assert list(again.duels([ROME, FIVE], PAIRS)) == [FORTH, BACK]
        assert (again.verdict(FORTH), again.verdict(BACK)) == (said, None)
        assert again.judged([ROME], PAIRS) == []
        again.keep(verdict("naive", "graph", "BBBB"))
        (judged,) = again.judged([ROME, FIVE], PAIRS)
        assert [judged.outcome(criterion) for criterion in range(4)] == [1, 0, 1, 0]
    with JudgeDump(path, PROVENANCE, 2000) as other_budget:
        assert not other_budget.has_answer(ROME, "graph")


def test_a_question_that_was_edited_is_answered_and_judged_anew(tmp_path: Path) -> None:
    path, edited = tmp_path / "j.jsonl", replace(ROME, question="Which town?")
    with JudgeDump(path, PROVENANCE, 1000) as dump:
        for one in (GOOD, BAD, verdict("graph", "naive", "ABAB"), verdict("naive", "graph", "ABAB")):
            dump.keep(one)
    with JudgeDump(path, PROVENANCE, 1000) as again:
        assert not again.has_answer(edited, "graph")
        assert again.judged([edited], PAIRS) == []
        again.keep(replace(GOOD, asked=edited.question))
        again.keep(replace(BAD, asked=edited.question))
        assert list(map(again.verdict, again.duels([edited], PAIRS))) == [None, None]
        again.keep(verdict("graph", "naive", "AAAA"))
    with JudgeDump(path, PROVENANCE, 1000) as kept:
        forth, back = map(kept.verdict, kept.duels([edited], PAIRS))
        assert (forth, back) == (verdict("graph", "naive", "AAAA"), None)


def test_a_known_answer_that_was_edited_is_judged_anew() -> None:
    with JudgeDump(None, PROVENANCE, 1000) as dump:
        dump.keep(replace(GOOD, method="gold", text="Rome"))
        assert dump.has_answer(ROME, "gold")
        assert not dump.has_answer(replace(ROME, answers=("Oslo",)), "gold")
        assert not dump.has_answer(replace(ROME, answers=()), "gold")


def test_a_dump_of_another_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with JudgeDump(path, PROVENANCE, 1000):
        pass
    with pytest.raises(SourceError, match="the model none, and now it is tiny"):
        JudgeDump(path, replace(PROVENANCE, model="tiny"), 1000)


def test_equal_answers_are_judged_without_a_verdict() -> None:
    with JudgeDump(None, PROVENANCE, 1000) as dump:
        dump.keep(GOOD)
        dump.keep(replace(GOOD, method="naive"))
        assert dump.judged([ROME], PAIRS) == [Judged("graph", "naive", None)]
