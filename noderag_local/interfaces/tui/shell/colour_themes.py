"""Defines the dark and the light theme.

Their backgrounds are near black and near white, so that a terminal with 16 colours, which shows the nearest one for each,
still shows every text legibly.
"""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="noderag-dark",
    primary="#6fb3ff",
    secondary="#8fa8c8",
    accent="#f0b060",
    warning="#f0c050",
    error="#ff6b6b",
    success="#6fd08c",
    foreground="#e6e8ea",
    background="#0e1116",
    surface="#14181f",
    panel="#1c222b",
    dark=True,
    variables={
        # A colour instead of a transparency, which Textual 8.2 shows at full strength inside a Content.
        "text-muted": "#98a2b0",
        "text-disabled": "#7a8492",
        # Dim enough that muted and coloured words on it are legible.
        "block-cursor-background": "#1f4068",
        "block-cursor-foreground": "#ffffff",
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-background": "#242d39",
        "block-cursor-blurred-foreground": "#e6e8ea",
        "border": "#6fb3ff",
        "border-blurred": "#39424f",
        "footer-key-foreground": "#f0b060",
        "footer-background": "#14181f",
        "input-selection-background": "#6fb3ff 35%",
        "link-color": "#6fb3ff",
        "link-style": "underline",
        "scrollbar": "#39424f",
        "scrollbar-background": "#14181f",
        "scrollbar-hover": "#56657a",
        "scrollbar-active": "#6fb3ff",
    },
)

LIGHT = Theme(
    name="noderag-light",
    primary="#0b5cad",
    secondary="#4a5b70",
    accent="#9a4f00",
    warning="#8a5a00",
    error="#b3202c",
    success="#1d7a3a",
    foreground="#1b1f24",
    background="#fbfaf7",
    surface="#f4f2ec",
    panel="#eae6dc",
    dark=False,
    variables={
        "text-muted": "#5c646e",
        "text-disabled": "#6f767f",
        "block-cursor-background": "#a9c8ea",
        "block-cursor-foreground": "#10151b",
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-background": "#dfe3e2",
        "block-cursor-blurred-foreground": "#1b1f24",
        "border": "#0b5cad",
        "border-blurred": "#b8b2a4",
        "footer-key-foreground": "#9a4f00",
        "footer-background": "#f4f2ec",
        "input-selection-background": "#0b5cad 25%",
        "link-color": "#0b5cad",
        "link-style": "underline",
        "scrollbar": "#b8b2a4",
        "scrollbar-background": "#f4f2ec",
        "scrollbar-hover": "#8f897b",
        "scrollbar-active": "#0b5cad",
    },
)

THEMES = {"dark": DARK, "light": LIGHT}
"""Themes by the values of the setting `theme`."""


def theme_name(setting: str) -> str:
    """Returns the name under which the application registers the theme of a setting."""
    return THEMES[setting].name
