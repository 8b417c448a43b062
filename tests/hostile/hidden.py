"""Every code point that a person does not see, as Unicode's own properties tell it: another table than the program's."""

from __future__ import annotations

from collections.abc import Iterable

import regex

_HIDDEN = regex.compile(
    r"[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Cs}"
    r"--\p{Prepended_Concatenation_Mark}--[\U00013430-\U0001343f]--[\n\t]]",
    regex.VERSION1,
)

ALL = [character for code in range(0x110000) if _HIDDEN.match(character := chr(code))]
STORABLE = [character for character in ALL if not "\ud800" <= character <= "\udfff"]
"""What a file in UTF-8 can hold."""
IN_A_NAME = [character for character in STORABLE if character != "\x00"]
"""What the name of a file can hold."""

WHOLE_SPACE = "".join(f"a{chr(code)}b " for code in range(0x110000))
"""Every code point between letters that need no joiner."""


def hidden_in(*texts: str) -> set[str]:
    """The hidden letters of some texts, by their numbers."""
    return {f"U+{ord(character):04X}" for text in texts for character in _HIDDEN.findall(text)}


def between_letters(characters: Iterable[str]) -> str:
    """A line that holds all of them, each within a word of its own."""
    return " ".join(f"se{character}cret" for character in characters)


_BEHIND_EMOJI = regex.compile(r"(?<=[\p{Emoji}--[0-9#*]])[\ufe0e\ufe0f]?\u200d?", regex.VERSION1)


def hidden_on_screen(text: str) -> set[str]:
    """As `hidden_in`, of what a screen has cut: a joiner behind an emoji may have lost the one that it joined."""
    return hidden_in(_BEHIND_EMOJI.sub("", text))
