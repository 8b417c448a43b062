"""What stands before a check box on its line, by which people write tasks into text: "- [ ] water the plants"."""

from __future__ import annotations

BEFORE_ITEM_BOX = r"[ \t>]*(?:[-*+]|\d{1,3}[.)])[ \t]+"
"""Pattern of what stands before the box of a list item, which may be quoted, as in a callout of Obsidian."""
BEFORE_BOX = rf"(?:{BEFORE_ITEM_BOX}|[ \t>]*)"
"""Pattern of what stands before any box; some people write them without the mark of a list."""
