"""Both themes: every text can be told from every surface, with all colours and with sixteen."""

from __future__ import annotations

from itertools import product

import pytest
from rich.color import Color, ColorSystem
from textual.theme import Theme

from noderag_local.config import Settings
from noderag_local.interfaces.tui.shell.colour_themes import THEMES

TEXTS = ["foreground", "text-muted", "text-primary", "text-accent", "text-warning", "text-error", "text-success"]
SURFACES = ["background", "surface", "panel"]

themes = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)


def colours(theme: Theme) -> dict[str, Color]:
    """Every variable that is a plain colour."""
    variables = theme.to_color_system().generate()
    return {name: Color.parse(value) for name, value in variables.items() if value.startswith("#") and len(value) == 7}


def contrast(one: Color, other: Color) -> float:
    """As WCAG 2 defines it, 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: Color) -> float:
    shares = [part / 255 for part in colour.get_truecolor()]
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@themes
def test_every_text_can_be_read_on_every_surface(theme: Theme) -> None:
    found = colours(theme)
    weak = {
        (text, surface): round(contrast(found[text], found[surface]), 1)
        for text, surface in product(TEXTS, SURFACES)
        if text in found and contrast(found[text], found[surface]) < 4.5
    }
    assert weak == {}
    assert {"foreground", "text-muted"} <= found.keys()


@themes
def test_with_sixteen_colours_no_text_is_lost_on_a_surface(theme: Theme) -> None:
    few = {name: colour.downgrade(ColorSystem.STANDARD).number for name, colour in colours(theme).items()}
    assert [(t, s) for t, s in product(TEXTS, SURFACES) if t in few and few[t] == few[s]] == []


@themes
def test_the_cursor_is_seen_and_read(theme: Theme) -> None:
    found = colours(theme)
    cursor = found["block-cursor-background"]
    for text in ("block-cursor-foreground", "text-muted"):
        assert contrast(found[text], cursor) > 3
    few = cursor.downgrade(ColorSystem.STANDARD).number
    assert few != found["background"].downgrade(ColorSystem.STANDARD).number
    assert few != found["text-muted"].downgrade(ColorSystem.STANDARD).number


def test_the_setting_names_every_theme_and_no_other() -> None:
    for name in THEMES:
        assert Settings(theme=name).theme == name  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'dark' or 'light'"):
        Settings(theme="blue")  # type: ignore[arg-type]
