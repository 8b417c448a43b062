"""What is still owed, from sentences that tell of loans and of what was paid back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

import pytest
from helpers.computed_answers import computing, indexed

from noderag_local.aggregation.computed import Computed
from noderag_local.aggregation.debt_statements import DebtChange, debt_statements
from noderag_local.aggregation.plan import plans

TODAY = date(2026, 11, 20)

NOTES = {
    "Daily/2026-03-02.md": "# 2 March 2026\n\nLunch at the mill. Lent Jonas 250 € for the bike.\n",
    "Daily/2026-04-02.md": "# 2 April 2026\n\nJonas paid back 80. Rain.\n",
    "Daily/2026-05-02.md": "# 2 May 2026\n\nMet Jonas at the lake. He gave me another 70 back, the rest next month.\n",
    "Daily/2026-05-03.md": "# 3 May 2026\n\nAnna lent me 60 euros because my card was gone.\n\nLent Bruno the drill for 20 €.\n\n"
    "Lent Mia $40.\n\nMia paid back 10 €.\n\nLent Ottokar 90 CHF.\n\nLent Piet 30 € and Rita 20 €.\n\nLent Vera 30 €.\n",
    "Daily/2026-05-09.md": "# 9 May 2026\n\nGave Anna 25 back. Rita still owes me 120 €. Ottokar and I are even, he paid the rest.\n",
    "Daily/2026-06-01.md": "# 1 June 2026\n\nRita paid back 20. Tom wants to borrow 500 €. Vera paid back half of it.\n",
    "Daily/2026-06-03.md": "# 3 June 2026\n\nUwe paid back 40 €. Did Jonas pay back 30?\n",
    "Tagebuch/2026-06-02.md": "# 2. Juni 2026\n\nHabe Klaus 300 € geliehen.\n\nFür Sabine 45,50 € vorgestreckt.\n\nGerd hat mir 100 € geliehen.\n",
    "Tagebuch/2026-06-12.md": "# 12. Juni 2026\n\nKlaus hat 120 zurückgezahlt.\n\nHabe Gerd 40 zurückgegeben.\n",
    "Journal/2026-06-02.md": "# 2 juin 2026\n\nJ'ai prêté 200 € à Luc pour le vélo.\n\nClaire m'a prêté 80 €.\n",
    "Journal/2026-07-02.md": "# 2 juillet 2026\n\nLuc m'a rendu 50 €.\n\nJ'ai remboursé 30 € à Claire.\n",
    "Diario/2026-06-02.md": "# 2 de junio de 2026\n\nLe presté 150 € a Pablo.\n\nCarmen me prestó 70 €.\n",
    "Diario/2026-07-02.md": "# 2 de julio de 2026\n\nPablo me devolvió 50 euros.\n\nLe devolví 20 a Carmen.\n",
    "Daily/2026-09-02.md": "# 2 September 2026\n\nLent my sister Ida 80 € and she paid me back 30 €.\n",
    "Chat.md": "Ben: I lent Xaver 250 €.\n\nAda: Good.\n",
    "People/Nora Weir.md": "---\ntags: [person]\n---\n# Nora Weir\n\nLent her 90 € in spring.\n\nPaid back 40.\n",
}


@pytest.fixture(scope="module")
def compute(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Computed | None]]:
    with computing(indexed(tmp_path_factory.mktemp("notes"), NOTES), TODAY) as compute:
        yield compute


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How much does Jonas still owe me?", "100 EUR (250 − 80 − 70)"),
        ("how much does jonas still owe me", "100 EUR (250 − 80 − 70)"),
        ("Does Jonas still owe me anything?", "100 EUR (250 − 80 − 70)"),
        ("How much does Jonas owe me for the bike?", "100 EUR (250 − 80 − 70)"),
        ("How much money do I get back from Jonas?", "100 EUR (250 − 80 − 70)"),
        ("Wie viel schuldet mir Jonas noch?", "100 EUR (250 − 80 − 70)"),
        ("What do I still owe Anna?", "35 EUR (60 − 25)"),
        ("What do I owe Jonas?", "nothing"),
        ("How much does Ottokar owe me?", "nothing"),
        ("How much does Rita owe me?", "100 EUR (120 − 20)"),
        ("How much does Ida still owe me?", "50 EUR (80 − 30)"),
        ("How much does Nora Weir still owe me?", "50 EUR (90 − 40)"),
        ("Wie viel Geld bekomme ich noch von Klaus?", "180 EUR (300 − 120)"),
        ("Was schulde ich Gerd noch?", "60 EUR (100 − 40)"),
        ("Wie viel schuldet Sabine mir?", "45.50 EUR"),
        ("Combien Luc me doit-il encore ?", "150 EUR (200 − 50)"),
        ("Qu'est-ce que je dois à Claire ?", "50 EUR (80 − 30)"),
        ("¿Cuánto me debe todavía Pablo?", "100 EUR (150 − 50)"),
        ("¿Cuánto le debo a Carmen?", "50 EUR (70 − 20)"),
    ],
)
def test_what_is_still_owed(compute: Callable[[str], Computed | None], question: str, answer: str) -> None:
    found = compute(question)
    assert found is not None
    assert [part.text for part in found.parts] == [answer]


@pytest.mark.parametrize(
    "question",
    [
        "How much does Jonas owe me for the boat?",  # another loan than the notes tell of
        "How much does Bruno owe me?",  # a drill was lent
        "How much does Mia still owe me?",  # in another currency
        "How much does Piet owe me?",  # with somebody else
        "How much does Tom owe me?",  # only wished for
        "How much does Vera owe me?",  # half of it
        "How much does Uwe owe me?",  # no loan
        "How much does Xaver owe me?",  # somebody else writes
        "How much does Ilse owe me?",
        "Why does Jonas owe me money?",
        "Who owes me money?",
        "When did Jonas say that he owes me 250 €?",
        "How much does Jonas owe Anna?",
    ],
)
def test_what_notes_do_not_decide_is_left_to_the_search(
    compute: Callable[[str], Computed | None], question: str
) -> None:
    assert compute(question) is None


def test_the_sentences_come_in_the_order_of_their_days(compute: Callable[[str], Computed | None]) -> None:
    found = compute("How much does Jonas still owe me?")
    assert found is not None
    assert [entry.sentence.text for entry in found.parts[0].entries] == [
        "Lent Jonas 250 € for the bike.",
        "Jonas paid back 80.",
        "He gave me another 70 back, the rest next month.",
    ]


def test_a_debt_the_other_way_round_is_told(compute: Callable[[str], Computed | None]) -> None:
    found = compute("What do I owe Jonas?")
    assert found is not None
    assert found.note.endswith("By these, the debt is the other way round: 100 EUR.")


@pytest.mark.parametrize(
    ("sentence", "change", "amount", "direction"),
    [
        ("Jonas borrowed another 50 € from me.", DebtChange.LOAN, 50, 1),
        ("I borrowed 50 € from Jonas.", DebtChange.LOAN, 50, -1),
        ("Lent Jonas 1.250,50 € until June.", DebtChange.LOAN, 1250.5, 1),
        ("Jonas hat sich 250 € von mir geliehen.", DebtChange.LOAN, 250, 1),
        ("Jonas m'a emprunté 250 €.", DebtChange.LOAN, 250, 1),
        ("Jonas paid back 80 of the 250 €.", DebtChange.PAYMENT, 80, -1),
        ("At 18:30 Jonas gave me 70 back.", DebtChange.PAYMENT, 70, -1),
        ("Jonas came to 3 concerts and gave me 70 back.", DebtChange.PAYMENT, 70, -1),
        ("Jonas paid me 80.", DebtChange.PAYMENT, 80, -1),
        ("Von Jonas 80 zurückbekommen.", DebtChange.PAYMENT, 80, -1),
        ("Jonas owes me nothing now.", DebtChange.SETTLED, 0, 0),
        ("Jonas hat den Rest zurückgezahlt.", DebtChange.SETTLED, 0, 0),
        ("Jonas still owes me 120.", DebtChange.STATED, 120, 1),
        ("Jonas reimbursed me 20 €.", DebtChange.PAYMENT, 20, -1),
        ("Jonas wired me 20 €.", DebtChange.PAYMENT, 20, -1),
        ("Jonas m'a fait un virement de 20 €.", DebtChange.PAYMENT, 20, -1),
        ("Jonas me hizo una transferencia de 20 €.", DebtChange.PAYMENT, 20, -1),
        ("Jonas hat mir 20 € erstattet.", DebtChange.PAYMENT, 20, -1),
        ("Jonas settled his debt.", DebtChange.SETTLED, 0, 0),
        ("Jonas settled his debt with me.", DebtChange.SETTLED, 0, 0),
        ("Jonas a payé sa dette.", DebtChange.SETTLED, 0, 0),
        ("Jonas paid me everything.", DebtChange.SETTLED, 0, 0),
        ("Jonas no longer owes me anything.", DebtChange.SETTLED, 0, 0),
        # It is not clear what the money was for, how much it was, or whose.
        ("Jonas paid me 80 € for the old bike.", DebtChange.UNCLEAR, 0, 0),
        ("Jonas gave me half back.", DebtChange.UNCLEAR, 0, 0),
        ("Jonas paid Anna back 50 €.", DebtChange.UNCLEAR, 0, 0),
        ("Jonas paid her back 50 €.", DebtChange.UNCLEAR, 0, 0),
        ("Ilse said that Jonas paid back 80 €.", DebtChange.UNCLEAR, 0, 0),
        ("Transferred Jonas 100 € as a loan.", DebtChange.UNCLEAR, 0, 0),
        ("Got 30 from Jonas.", DebtChange.UNCLEAR, 0, 0),
        ("Jonas returned $20 and then another $10.", DebtChange.UNCLEAR, 0, 0),
        ("Jonas slipped me 20 €.", DebtChange.UNCLEAR, 0, 0),
        ("Jonas paid me.", DebtChange.UNCLEAR, 0, 0),
        ("Jonas settled his debt with the bank.", DebtChange.UNCLEAR, 0, 0),
        ("Jonas hat alles bezahlt.", DebtChange.UNCLEAR, 0, 0),
        ("Jonas pays back 50 € a month.", DebtChange.UNCLEAR, 0, 0),
    ],
)
def test_a_sentence_tells_of_a_debt(sentence: str, change: DebtChange, amount: float, direction: int) -> None:
    (found,) = debt_statements(sentence, "Jonas")
    assert (found.change, float(found.amount), found.direction) == (change, amount, direction)


@pytest.mark.parametrize(
    "sentence",
    [
        "Lent Jonas my 250 € drill.",
        "Lent Jonas 2 books.",
        "Jonas gave 3 chairs back.",
        "Jonas promised to pay back 80.",
        "Jonas has not paid back the 80 yet.",
        "Jonas bought me lunch, 12 €.",
        "Gave Jonas 30 € for the flowers.",
        "Jonas said he'll pay back 50 €.",
        "Did Jonas pay back 80?",
        "Dinner with Jonas 35 €.",
        "Jonas will settle his debt.",
    ],
)
def test_a_sentence_tells_of_no_debt(sentence: str) -> None:
    assert list(debt_statements(sentence, "Jonas")) == []


def test_an_amount_that_follows_a_payment_is_unclear() -> None:
    found = list(debt_statements("Jonas paid me 20 €, then 10 €.", "Jonas"))
    assert [one.change for one in found] == [DebtChange.PAYMENT, DebtChange.UNCLEAR]
    found = list(debt_statements("Jonas paid back 80, 170 € left.", "Jonas"))
    assert [one.change for one in found] == [DebtChange.PAYMENT]


@pytest.mark.parametrize(
    "question", ["How much did I lend Jonas?", "How much do I have to pay?", "What does Jonas owe Anna?"]
)
def test_other_questions_ask_for_no_debt(question: str) -> None:
    assert not any(plan.operation.startswith("owed") for plan in plans(question, TODAY))
