"""Where sentences end, in many languages; sentencex alone gets 34 of the original 42 cases right."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.text.sentences import MAX_CHARACTERS, MAX_UNSPACED_CHARACTERS, bounded, split_sentences

CASES = [
    ["Dr. Smith met Mrs. Jones at 5 p.m. yesterday.", "They talked."],
    ["Use tools, e.g. a saw.", "It helps."],
    ["He ranked No. 5 in the list.", "Then he left."],
    ["The U.S. Army arrived.", "It stayed."],
    ["He lives in the U.S.", "She does not."],
    ["J. R. R. Tolkien wrote it.", "C. S. Lewis read it."],
    ["J.R.R. Tolkien wrote it."],
    ["Apple Inc. announced a phone.", "It sold."],
    ["He works for Acme Inc.", "He likes it."],
    ["It costs 3.50 dollars.", "Pi is 3.14."],
    ["Well ... he said no.", "Wait...", "What?"],
    ['"Stop!" he cried.', '"I will not."', "He left."],
    ["It works (see Fig. 3).", "Good."],
    ["It ended.", "(It really did.)", "We left."],
    ["Smith et al. found it.", "We agree."],
    ["Born on Jan. 5 in St. Louis, he grew.", "He died."],
    ["我来了。", "你呢？", "好！"],
    ["彼は「行く。」と言った。", "そして帰った。"],
    ["هل أنت بخير؟", "نعم أنا بخير.", "شكرا."],
    ["यह एक वाक्य है।", "यह दूसरा है।"],
    ["Τι κάνεις;", "Καλά είμαι.", "Εσύ;"],
    ["Er kam am 3. Mai 1999 an.", "Das war z. B. gut."],
    ["Im 19. Jahrhundert lebte Dr. Müller in Köln.", "Er starb."],
    ["Он родился в 1950 г. в Москве.", "Потом уехал."],
    ["А. С. Пушкин писал.", "Он жил в России."],
    ["What?", "Really?!", "Yes!!!", "OK."],
    ["Visit example.com.", "Then go.", "v2.0 is out."],
    ["Gen. Lee vs. Gen. Grant was close.", "The end."],
    ['The song "Who?" was a hit.', "Yahoo! is a company."],
    ["It was in Washington, D.C.", "The city grew."],
    ["She got a Ph.D. in 1990.", "Later she taught."],
    ["He came at 5 a.m.", "The shop was shut."],
    ["Il a vu M. Dupont.", "« Bonjour ! » dit-il.", "Puis il partit."],
    ["¿Qué?", "¡No!", "El Sr. López vino."],
    ["iPhone sales rose.", "iPad sales fell."],
    ["It ended.[1]", "Then it began.[2][3]", "So be it."],
    ["See p. 55 and pp. 60-70.", "Done."],
    ["Martin Luther King Jr. was there.", "Sammy Davis Jr.", "He sang."],
    ["The temperature was 5°C.", "Snow fell."],
    ["This is plan B.", "It works.", "As do I.", "Well done."],
    ["ስሙ ጌታቸው ነው።", "ደህና ነው።"],
    ["Das Treffen (ca. 20 Personen) war gut, d. h. alle kamen.", "Ende."],
    ["In 628 AD (2013 - 06 - 30) it was.", "Then came 12 more."],
    ["The archbishop resigned.[nb 9]", "He left."],
    ["The war ended.", "The U.N. left."],
    ["Lena Vogt, geb. 3. Mai 1980 in Ulm."],
    ["Oma ist gest. 2019 in Ulm.", "Ende."],
    ["Kündigung bis 30. September 2025 an Vermieter schicken."],
    ["Rechnung vom 7. November 2025"],
    ["Urlaub vom 3. bis 5. Mai 2025"],
    ["3. Mai 2025: Ausflug"],
    ["Wir fahren am 24. Dez. 2025 los."],
    ["Termin 3. 5. 2025"],
    ["Fr 3.5. Zahnarzt"],
    ["24.12.: Heiligabend"],
    ["Vom 1.5. bis 3.5., dann weiter."],
    ["Steuer bis 31.5.", "Danach Ruhe."],
    ["We scored 10.", "April was cold."],
    ["Chapter 3.", "May I come?"],
    ["The box is on shelf 5.", "10.30 we left."],
    ["We are 4.", "Mai joined later."],
    ["Anna lives at number 5.", "April 2020 was cold."],
    ["I scored 10.", "August: holidays."],
    ["We were in Ulm on 3. Mai 2025."],
    ["3. August: Ausflug"],
    ["It came out on the Impulse! label.", "Who? is a song."],
]


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize("sentences", CASES, ids=lambda sentences: sentences[0][:30])
def test_hard_cases(sentences: list[str]) -> None:
    glue = "" if any("\u3041" <= character <= "\u9fff" for character in sentences[0]) else " "
    assert cut(glue.join(sentences)) == sentences


def test_a_missing_space_after_a_full_stop() -> None:
    assert cut("The war ended in victory.The army left.") == ["The war ended in victory.", "The army left."]


def test_line_ends_inside_a_paragraph_are_no_boundaries() -> None:
    assert cut("Dr. Smith\nmet him. They\ntalked.") == ["Dr. Smith\nmet him.", "They\ntalked."]


@given(st.text(max_size=400) | st.text("aA1 .!?。\"'”«()[]\n…;,Гя", max_size=400))
def test_spans_hold_all_text_in_order(text: str) -> None:
    at = 0
    for start, end in split_sentences(text):
        assert at <= start < end
        assert not text[at:start].strip()
        assert text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


@pytest.mark.parametrize("unit", ["word ", "a", "字", "word, ", "(\"' "])
def test_length_is_bounded_without_any_full_stop(unit: str) -> None:
    limit = MAX_UNSPACED_CHARACTERS if unit == "字" else MAX_CHARACTERS
    assert max(end - start for start, end in split_sentences(unit * 30_000)) <= limit


def test_a_long_sentence_is_cut_at_its_semicolon() -> None:
    text = "x" * 700 + "; " + "y " * 400
    assert bounded(text, 0, len(text))[0] == (0, 701)


def test_three_megabytes_take_seconds() -> None:
    """No quadratic time: unbalanced quotes took sentencex 137 s."""
    started = time.process_time()
    split_sentences("(\"' " * 250_000)
    split_sentences("Some words. And Mr. Smith came in 1990. " * 50_000)
    assert time.process_time() - started < 15
