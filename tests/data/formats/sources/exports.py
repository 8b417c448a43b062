#!/usr/bin/env python3
"""Writes the samples of other programs' exports into the folder above: each has the structure of a real one, at noon UTC."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

FORMATS = Path(__file__).parents[1]
MARK, NARROW = "\u200e", "\u202f"
RECIPES, CIDER, TASKS, PRESS = (f"{number:032x}" for number in (0xA1, 0xA2, 0xA3, 0xA4))

ANDROID = f"""4/3/24, 6:03{NARROW}PM - Messages and calls are end-to-end encrypted. Only people in this chat can read them.
4/3/24, 6:04{NARROW}PM - Paula Reinke: The press leaks again.
It drips on the left.
4/3/24, 6:05{NARROW}PM - Jonas: <Media omitted>
4/14/24, 12:05{NARROW}AM - Jonas: I sealed it yesterday with beeswax.
"""
IPHONE = f"""[03.04.24, 18:03:22] Obstwiese: {MARK}Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt.
[03.04.24, 18:04:01] Paula Reinke: Wann holst du die Kisten?
{MARK}[03.04.24, 18:05:00] Jonas: {MARK}Bild weggelassen
[13.04.24, 09:00:00] ~{NARROW}Jonas: Heute Abend. {MARK}<Diese Nachricht wurde bearbeitet>
"""
KEEP = {
    "color": "DEFAULT",
    "isTrashed": False,
    "isPinned": True,
    "isArchived": False,
    "title": "Harvest",
    "listContent": [{"text": "Wash the crates", "isChecked": True}, {"text": "Sharpen the knives", "isChecked": False}],
    "labels": [{"name": "orchard"}],
    "userEditedTimestampUsec": 1717243200000000,
    "createdTimestampUsec": 1714564800000000,
}
ENEX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">
<en-export export-date="20240601T120000Z" application="Evernote" version="10.90">
  <note>
    <title>Press &amp; pump</title>
    <created>20240501T120000Z</created>
    <updated>20240520T120000Z</updated>
    <tag>orchard</tag>
    <note-attributes><author>Paula Reinke</author><source-url>https://presses.example/</source-url></note-attributes>
    <content><![CDATA[<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd"><en-note><div>The pump was built in <b>Chemnitz</b>&nbsp;too.</div>
<div><en-todo checked="true"/>Grease the axle</div><div><en-todo checked="false"/>Order a valve</div>
<ul style="--en-todo:true;"><li style="--en-checked:false;"><div>Call the smith</div></li></ul>
<en-media type="image/png" hash="d41d8cd98f00b204e9800998ecf8427e"/><div>See <a href="evernote:///view/1/s1/a/a/">Invoices</a>.</div></en-note>]]></content>
    <task><title>Renew the contract</title><taskStatus>open</taskStatus><dueDate>20240701T120000Z</dueDate></task>
    <resource><data encoding="base64">aGVsbG8=</data><mime>image/png</mime>
      <resource-attributes><file-name>pump.png</file-name></resource-attributes></resource>
  </note>
  <note><title>Invoices</title><created>20230102T120000Z</created>
    <content><![CDATA[<!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd"><en-note><div>Invoice 4471 is paid.</div></en-note>]]></content>
  </note>
</en-export>
"""
PAGE = f"""# Recipes

Status: Done
Tags: cooking, orchard
Created: May 1, 2024 3:05 PM

All of them need ripe fruit.

[Cider](Recipes%20{RECIPES}/Cider%20{CIDER}.md)

- [ ]  Try the perry
"""
CIDER_PAGE = f"""# Cider

Part of [Recipes](../Recipes%20{RECIPES}.md). It ferments for three weeks.
"""
TABLE = "Name,State\nBuy yeast,open\n"
WHOLE_TABLE = f"{TABLE}Clean the vat,done\n"
PRESS_PAGE = f"""<html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"/><title>Press</title></head><body>
<article class="page sans"><header><div class="page-header-icon undefined"><span class="icon">🍏</span></div>
<h1 class="page-title">Press</h1><p class="page-description">What stands in the barn.</p>
<table class="properties"><tbody><tr class="property-row property-row-multi_select"><th><span class="icon property-icon"><svg></svg></span>Tags</th>
<td><span class="selected-value">barn</span><span class="selected-value">iron</span></td></tr></tbody></table></header>
<div class="page-body"><p>It goes with the <a href="Cider%20{CIDER}.html">Cider</a>.</p>
<ul class="to-do-list"><li><div class="checkbox checkbox-off"></div> <span class="to-do-children-unchecked">Oil the spindle</span></li></ul>
</div></article></body></html>
"""


def zipped(members: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def main() -> None:
    notion = {
        f"Private & Shared/Recipes {RECIPES}.md": PAGE,
        f"Private & Shared/Recipes {RECIPES}/Cider {CIDER}.md": CIDER_PAGE,
        f"Private & Shared/Recipes {RECIPES}/Tasks {TASKS}.csv": TABLE,
        f"Private & Shared/Recipes {RECIPES}/Tasks {TASKS}_all.csv": WHOLE_TABLE,
    }
    keep = json.dumps(KEEP)
    written: dict[str, str | bytes] = {
        "WhatsApp Chat with Press.txt": ANDROID,
        "WhatsApp Chat - Obstwiese.zip": zipped(
            {"_chat.txt": IPHONE, "00000004-PHOTO-2024-04-03-18-05-00.jpg": b"\xff\xd8"}
        ),
        "Keep/Harvest.json": keep,
        "takeout-20240601T120000Z-001.zip": zipped(
            {"Takeout/Keep/Harvest.html": "<p>Wash the crates</p>", "Takeout/Keep/Harvest.json": keep}
        ),
        "orchard.enex": ENEX,
        f"Recipes {RECIPES}.md": PAGE,
        f"Tasks {TASKS}_all.csv": WHOLE_TABLE,
        f"Press {PRESS}.html": PRESS_PAGE,
        "ExportBlock-notion.zip": zipped({"ExportBlock-notion-Part-1.zip": zipped(notion)}),
    }
    for name, content in written.items():
        path = FORMATS / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


if __name__ == "__main__":
    main()
