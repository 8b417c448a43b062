"""Finds names in scripts without capitals, by rules that need no dictionary.

Modest on purpose: katakana runs, Latin names, Han runs that end like the name of a place or an organisation, and
what one document says again and again between its particles.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable

from noderag_local.text.letters import marks, uncased
from noderag_local.text.stopwords import every_stop_word

MAX_PER_SENTENCE = 6

_HAS_UNCASED = re.compile(f"[{uncased()}]")
_KATAKANA = re.compile(r"[ァ-ヺー]{2,}(?:[・＝][ァ-ヺー]{1,})*")
_HAN_RUN = re.compile(r"[\u4e00-\u9fff々]{2,}")
_HAN_BREAK = re.compile(
    r"[的了在是和与與及于於或而为為被把由从從到对對以之也不有这這那个個们們就都向等将將其并並但每各很更最又再还還已曾经經让讓使给給把着著过過吗呢吧啊]|"
    r"(?:成立|位于|位於|出生|毕业|畢業|担任|擔任|属于|屬於|认为|认識|发现|发明|创办|創立|访问|訪問|参观|发表|出版|以及|因为|所以|可以|没有|我们|他们|她们|自己|年|月|日)"
)
_NAMED_THING = re.compile(
    r"[\u4e00-\u9fff]{1,8}(?:大学|大學|学院|學院|公司|银行|銀行|医院|醫院|研究所|研究院|协会|協會|委员会|委員會|博物馆|博物館|图书馆|圖書館|"
    r"共和国|共和國|王国|王國|帝国|帝國|自治区|特别行政区|机场|車站|车站|大桥|战争|戰爭|王朝|"
    r"[省市县縣区區州国國山河江湖岛島寺宫宮镇鎮村港湾灣府県都郡駅町城党])(?![\u4e00-\u9fff](?<=民|家|人|内|外|場|长|長))"
)
_SPACED_WORD = re.compile(f"[{uncased()}][{uncased()}{marks()}\u200c\u200d'’\"״׳-]{{2,}}")
_HAN_OR_KANA = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]")


def runs(text: str) -> list[str]:
    """Returns stretches that could be names, in order: runs between particles in Han, words in spaced scripts."""
    if not _HAS_UNCASED.search(text):
        return []
    found = [piece for run in _HAN_RUN.findall(text) for piece in _HAN_BREAK.split(run) if 2 <= len(piece) <= 8]
    stopped = every_stop_word()
    for word in _SPACED_WORD.findall(text):
        if not _HAN_OR_KANA.search(word) and word not in stopped and len(word) <= 20:
            found.append(word)
    return found


def repeated_runs(sentences: Iterable[str]) -> frozenset[str]:
    """Returns runs that stand in at least two sentences of a document."""
    counts: Counter[str] = Counter()
    for sentence in sentences:
        counts.update(set(runs(sentence)))
    return frozenset(run for run, count in counts.items() if count >= 2)


def uncased_names(text: str, repeated: Collection[str]) -> list[str]:
    """Returns names in a sentence, in the order of the rules, at most MAX_PER_SENTENCE.

    Args:
        text: one sentence.
        repeated: see `repeated_runs`.
    """
    if not _HAS_UNCASED.search(text):
        return []
    found = dict.fromkeys(_KATAKANA.findall(text))
    for run in runs(text):
        if run in repeated:
            found[run] = None
        elif (match := _NAMED_THING.search(run)) is not None and len(match.group()) > 1:
            found[match.group()] = None
    return list(found)[:MAX_PER_SENTENCE]
