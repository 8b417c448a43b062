"""Numbers and amounts as people of several countries write them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from noderag_local.aggregation.money import only_number, written_numbers


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("Vélo 1 250 € d'occasion", [("1250", "EUR")]),
        ("1\u202f114,95 € payés", [("1114.95", "EUR")]),
        ("loyer 12 300,50", [("12300.50", "")]),
        ("en 2024 300 €", [("2024", ""), ("300", "EUR")]),
        ("3 200 g Mehl", [("3", ""), ("200", "")]),
        ("CHF 2'415.00", [("2415.00", "CHF")]),
        ("$1,450", [("1450", "USD")]),
        ("Miete 1.250,00 €", [("1250.00", "EUR")]),
    ],
)
def test_thousands_are_read_with_any_sign_between_them(text: str, amounts: list[tuple[str, str]]) -> None:
    found = [(one.value, one.currency) for one in written_numbers(text)]
    assert found == [(Decimal(value), currency) for value, currency in amounts]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("-80", "-80"),
        ("−80", "-80"),
        ("-$80.00", "-80.00"),
        ("$-80", "-80"),
        ("€ −80", "-80"),
        ("80-", "-80"),
        ("80- €", "-80"),
        ("(80.00)", "-80.00"),
        ("($1,250.00)", "-1250.00"),
        ("(-80)", "-80"),
        ("-0.125", "-0.125"),
        ("80.-", "80"),
        ("80,- €", "80"),
    ],
)
def test_a_minus_is_read_wherever_accounts_write_it(cell: str, value: str) -> None:
    assert only_number(cell) == Decimal(value)


@pytest.mark.parametrize("cell", ["10-12", "2026-03-01", "80 (2)"])
def test_several_numbers_are_no_amount(cell: str) -> None:
    assert only_number(cell) is None
