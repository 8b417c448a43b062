"""Marks of answers as people get them."""

from __future__ import annotations

import pytest

from noderag_local.evaluation.answer_marks import answer_mark
from noderag_local.evaluation.questions import EvalQuestion

LIVES = EvalQuestion("1", "Where does Ann live?", ("Oslo",), others=("Bergen", "Porto"))
SEVEN = EvalQuestion("2", "How often did I run in March 2025?", ("7",))
BOOKS = EvalQuestion("3", "Which books?", (), listed=("Nine Bridges", "The Tides"), others=("Glass Orchard",))
BORN = EvalQuestion("4", "When was the visit?", ("12 May 2026",))
FIRST = EvalQuestion("5", "Which came first, Tides or Bridges?", ("Tides",), others=("Bridges",))
WHO = EvalQuestion("6", "Who has it?", ("Rosa Mensah",), others=("Emil Berg", "Emil Roth"))
PAID = EvalQuestion("8", "How much was the kettle?", ("29000",))
CODE = EvalQuestion("9", "What is the zip code?", ("01067",))
YEAR = EvalQuestion("10", "In which year did he move?", ("2019", "the year of the flood"))
HENS = EvalQuestion("11", "How many hens?", ("3", "4"))
CITY = EvalQuestion("12", "安娜住在哪里？", ("北京",), others=("上海",))
PEOPLE = EvalQuestion("13", "聚会有几个人？", ("3人",))
PRICE = EvalQuestion("14", "多少钱？", ("5万",))
DAY = EvalQuestion("15", "何日ですか？", ("1月5日",))
STUDIES = EvalQuestion("16", "安娜在哪里学习？", ("北京大学",), others=("北京",))
HOME = EvalQuestion("17", "安娜住在哪里？", ("北京",), others=("北京大学",))
KOREAN = EvalQuestion("18", "누구인가요?", ("김민",), others=("박수",))
YORK = EvalQuestion("19", "Where does Ben live?", ("York",), others=("New York",))
FAR = EvalQuestion("20", "How far is it?", ("5 km",))
NOTHING = EvalQuestion("7", "What is her shoe size?", ())


@pytest.mark.parametrize(
    ("question", "answer", "mark"),
    [
        (LIVES, "Ann lives in Oslo [2].", 1),
        (LIVES, "Ann lives in Bergen.", 0),
        (LIVES, "Ann lives in Oslo or Porto.", 0.5),
        (LIVES, "Ann lives in Oslo, no longer in Bergen.", 1),
        (LIVES, "Osloer Straße", 0),
        (SEVEN, "You ran 7 times in March 2025 [1, 5].", 1),
        (SEVEN, "Seven times.", 1),
        (SEVEN, "7 or 8 times.", 0.5),
        (SEVEN, "17 times.", 0),
        (PAID, "$29.000 [1]", 1),
        (PAID, "You paid 29,000.", 1),
        (PAID, "29,00", 0),
        (CODE, "The zip code is 01067 [1].", 1),
        (CODE, "01067.", 1),
        (CODE, "It is 1067.", 0),
        (CODE, "It is 01067 or 01069.", 0.5),
        (YEAR, "He moved on 3 May 2019 [1].", 1),
        (YEAR, "He moved on 3 May 2018 [1].", 0),
        (YEAR, "In 2019 or 2020.", 0.5),
        (YEAR, "In the year of the flood.", 1),
        (HENS, "3.5 hens", 0),
        (HENS, "Four.", 1),
        (HENS, "3 or 5.", 0.5),
        (BOOKS, "Nine Bridges and The Tides.", 1),
        (BOOKS, "Nine Bridges.", 2 / 3),
        (BOOKS, "Nine Bridges, Tides and Glass Orchard.", 0.8),
        (BOOKS, "None.", 0),
        (BORN, "On 2026-05-12 [3].", 1),
        (BORN, "On May 12th, 2026.", 1),
        (BORN, "On 12 May 2025.", 0),
        (FIRST, "Tides came first.", 1),
        (FIRST, "Tides or Bridges.", 0.5),
        (WHO, "Rosa has it.", 1),
        (WHO, "Emil.", 0),
        (CITY, "安娜住在北京。[1]", 1),
        (CITY, "安娜住在上海。", 0),
        (CITY, "北京或上海", 0.5),
        (PEOPLE, "聚会有3人。", 1),
        (PEOPLE, "13人。", 0),
        (PRICE, "5万元", 1),
        (PRICE, "15万", 0),
        (PRICE, "十5万", 0),
        (PRICE, "1.5万", 0),
        (DAY, "1月5日です。", 1),
        (DAY, "11月5日です。", 0),
        (STUDIES, "她在北京大学学习。", 1),
        (STUDIES, "她在北京学习。", 0),
        (HOME, "北京大学", 0),
        (HOME, "北京，不是北京大学旁边。", 0.5),
        (KOREAN, "김민 [1].", 1),
        (KOREAN, "김민수", 0),
        (YORK, "In New York.", 0),
        (YORK, "In York or New York.", 0.5),
        (FAR, "It is 5 km.", 1),
        (FAR, "It is 1.5 km.", 0),
        (NOTHING, "It is 38.", 0),
    ],
)
def test_a_mark(question: EvalQuestion, answer: str, mark: float) -> None:
    assert answer_mark(question, answer, abstained=False) == pytest.approx(mark)


def test_an_abstention_is_right_where_there_is_no_answer() -> None:
    assert answer_mark(NOTHING, "Your notes do not tell.", abstained=True) == 1
    assert answer_mark(LIVES, "Your notes do not tell.", abstained=True) == 0
