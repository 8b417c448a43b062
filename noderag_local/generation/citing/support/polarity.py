"""Compares what a claim and a passage deny or doubt."""

from __future__ import annotations

from noderag_local.generation.citing.support.claim import Claim
from noderag_local.generation.citing.support.passage_units import Clause, PassageUnit, deciding
from noderag_local.generation.citing.support.text_tokens import TokenKind


def agrees(claim: Claim, unit: PassageUnit) -> bool:
    """Returns whether a unit denies and doubts what each clause of a claim denies and doubts, and nothing else of it."""
    return all(_clause_agrees(clause, claim, unit) for clause in claim.clauses)


def _clause_agrees(clause: Clause, claim: Claim, unit: PassageUnit) -> bool:
    weights = [(_weight(clause, its, claim), its) for its in unit.clauses]
    most = max((weight for weight, _ in weights), default=0.0)
    if not most:
        return not clause.denied and not clause.doubted
    nearest = deciding(clause.content, [its for weight, its in weights if weight == most])
    return any(its.denied == clause.denied for its in nearest) and any(its.doubted == clause.doubted for its in nearest)


def _weight(clause: Clause, its: Clause, claim: Claim) -> float:
    """Returns how much of a clause of a claim, and of what was asked, a clause of the unit holds."""
    return sum(
        1.0 if one.kind is TokenKind.NAME else claim.weight(one)
        for one in (*clause.content, *claim.question)
        if its.holds(one)
    )
