"""Reads MuSiQue, HotpotQA, 2WikiMultihopQA and the form in which HippoRAG released them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from noderag_local.evaluation.datasets.dataset_format import (
    DatasetFormat,
    FoundQuestion,
    UnusableEntry,
    joined,
    text_of,
    texts_of,
)
from noderag_local.evaluation.datasets.paragraph_pool import DatasetParagraph, ParagraphPool


def _musique(entry: Any, _: ParagraphPool) -> FoundQuestion:
    """Reads Trivedi et al. 2022: paragraphs with `is_supporting`, a decomposition whose length is the number of hops.

    A question that its own paragraphs do not answer cannot be used: the pool has the paragraphs of all questions.
    """
    if entry.get("answerable") is False:
        raise UnusableEntry("is unanswerable by its own paragraphs, but the pooled ones may answer it")
    hops = len(entry.get("question_decomposition", ()))
    fields = _fields(entry) | ({"kind": f"{hops}-hop"} if hops else {})
    return _marked(fields, entry)


def _marked(fields: Mapping[str, object], entry: Any) -> FoundQuestion:
    """Makes the question of an entry whose paragraphs say whether the answer needs them; those that do not say are needed."""
    found = [
        (DatasetParagraph(text_of(one["title"]), text_of(one.get("paragraph_text", one.get("text")))), one)
        for one in entry["paragraphs"]
    ]
    supports = [paragraph for paragraph, one in found if one.get("is_supporting", True)]
    if not supports:
        raise UnusableEntry("marks no paragraph as supporting")
    return FoundQuestion.with_supports(fields, [paragraph for paragraph, _ in found], supports)


def _with_facts(entry: Any, _: ParagraphPool) -> FoundQuestion:
    """Reads Yang et al. 2018 and Ho et al. 2020: context [[title, [sentence, …]], …], supporting_facts [[title, number], …]."""
    paragraphs = [DatasetParagraph(text_of(title), joined(sentences)) for title, sentences in entry["context"]]
    wanted = {text_of(title) for title, _ in entry["supporting_facts"]}
    missing = wanted - {one.title for one in paragraphs}
    if missing or not wanted:
        raise UnusableEntry(f"needs {min(missing)!r}, which its context does not have" if missing else "needs nothing")
    supports = [one for one in paragraphs if one.title in wanted]
    fields = _fields(entry) | ({"kind": text_of(entry["type"])} if "type" in entry else {})
    return FoundQuestion.with_supports(fields, paragraphs, supports)


def _hipporag(entry: Any, pool: ParagraphPool) -> FoundQuestion:
    """Reads the questions of any of its data sets; a supporting paragraph has to be in the corpus."""
    found = _with_facts(entry, pool) if "supporting_facts" in entry else _marked(_fields(entry), entry)
    for one in found.supports:
        if one not in pool.titled(one.title):
            raise UnusableEntry(f"needs a paragraph {one.title!r} with a text that the corpus does not have")
    # The release's corpus is what is searched; its questions come with the same paragraphs and sometimes others.
    return FoundQuestion.with_supports(found.fields, (), found.supports)


def _of_corpus(entry: Any) -> DatasetParagraph:
    """Reads {"title", "text"}, or a pair of a title and its sentences."""
    if isinstance(entry, list):
        title, sentences = entry
        return DatasetParagraph(text_of(title), joined(sentences))
    return DatasetParagraph(text_of(entry["title"]), text_of(entry["text"]))


def _fields(entry: Any) -> dict[str, object]:
    answers = texts_of(entry["answer"]) if isinstance(entry["answer"], list) else [text_of(entry["answer"])]
    return {
        "id": entry["_id"] if "_id" in entry else entry["id"],
        "question": text_of(entry["question"]),
        "answer": answers[0],
        "aliases": [*answers[1:], *texts_of(entry.get("answer_aliases", ()))],
    }


MUSIQUE = DatasetFormat("musique", ("musique_ans_v1.0_dev.jsonl",), _musique)
HOTPOTQA = DatasetFormat("hotpotqa", ("hotpot_dev_distractor_v1.json",), _with_facts)
TWO_WIKI = DatasetFormat("2wikimultihopqa", ("dev.json",), _with_facts)
HIPPORAG = DatasetFormat("hipporag", ("musique.json", "musique_corpus.json"), _hipporag, _of_corpus)
