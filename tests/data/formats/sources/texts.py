"""Writes the mails, calendar, table and subtitles beside this folder, with the standard library and icalendar."""

from __future__ import annotations

import csv
from datetime import UTC, date, datetime
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

from icalendar import Calendar, Event, vCalAddress, vText

FOLDER = Path(__file__).parents[1]
KNOWN = (FOLDER / "known.txt").read_text(encoding="utf-8").splitlines()


def mail(subject: str, sender: str, receivers: str, day: int, **headers: str) -> EmailMessage:
    message = EmailMessage(policy=SMTP)
    message["Subject"], message["From"], message["To"] = subject, sender, receivers
    message["Date"] = datetime(2024, 5, day, 9, 30, tzinfo=UTC)
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    return message


def write_mails() -> None:
    anneke, tomas = "Anneke Smit <anneke@orchard.example>", '"Ruiz, Tomás" <tomas@orchard.example>'
    whole = mail("Das Buch für Käthe", anneke, tomas, 1, Message_ID="<1@orchard.example>")
    whole.set_content("\n\n".join(KNOWN), cte="quoted-printable")
    whole.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename="Bäume.pdf")
    (FOLDER / "orchard.eml").write_bytes(whole.as_bytes())
    first = mail("Pruning the Boskoop", anneke, tomas, 1, Message_ID="<2@orchard.example>")
    first.set_content(
        "Dear Tomás,\n\nthe old Boskoop needs a rope of 20 metres.\n\nFrom the shed, not from the chapel.\n"
    )
    answer = mail("Re: Pruning the Boskoop", tomas, anneke, 2, Message_ID="<3@orchard.example>")
    answer["In-Reply-To"] = "<2@orchard.example>"
    answer.set_content(
        "I bring it on Saturday.\n\nOn Wed, 1 May 2024 at 09:30, Anneke Smit\n<anneke@orchard.example> wrote:\n"
        "> Dear Tomás,\n>\n> the old Boskoop needs a rope of 20 metres.\n"
    )
    last = mail("AW: Re: Pruning the Boskoop", anneke, tomas, 3, References="<2@orchard.example> <3@orchard.example>")
    last.set_content(
        '<p>Bring <b>gloves</b> too.</p><div class="gmail_quote"><p>On Thu Tomás wrote:</p>'
        '<blockquote type="cite">I bring it on Saturday.</blockquote></div>',
        subtype="html",
    )
    box = b"".join(
        b"From anneke@orchard.example Wed May  1 09:30:00 2024\n"
        + message.as_bytes().replace(b"\r\n", b"\n").replace(b"\nFrom the", b"\n>From the")
        + b"\n"
        for message in (first, answer, last)
    )
    (FOLDER / "orchard.mbox").write_bytes(box)


def write_calendar() -> None:
    calendar = Calendar()
    calendar.add("prodid", "-//orchard//example//")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", "Orchard of Lindenau")
    graft = Event()
    graft.add("summary", "Grafting course, with scions from the cellar of the press house and wax for everybody")
    graft.add("dtstart", datetime(2024, 3, 23, 10, 0))
    graft.add("dtend", datetime(2024, 3, 23, 12, 30))
    graft.add("location", "Press house, Lindenau")
    graft.add("rrule", {"freq": "yearly", "byday": "-1SA", "bymonth": 3, "until": date(2030, 3, 31)})
    graft.add("categories", ["orchard", "course"])
    keeper = vCalAddress("MAILTO:anneke@orchard.example")
    keeper.params["cn"] = vText("Anneke Smit")
    graft.add("attendee", keeper)
    graft.add("description", "Bring a sharp knife.\n\nTea is made; cake, too.")
    calendar.add_component(graft)
    harvest = Event()
    harvest.add("summary", "Harvest of the Ontario")
    harvest.add("dtstart", date(2024, 10, 12))
    harvest.add("dtend", date(2024, 10, 15))
    calendar.add_component(harvest)
    (FOLDER / "orchard.ics").write_bytes(calendar.to_ical())


def write_table() -> None:
    rows = [
        ["Variety", "Trees", "Note"],
        ["Gravensteiner", "31", "ripens in August;\ndoes not keep"],
        ["Boskoop", "44", 'called "Schöner"'],
    ]
    with (FOLDER / "orchard.csv").open("w", encoding="cp1252", newline="") as file:
        csv.writer(file, delimiter=";").writerows(rows)


def write_subtitles() -> None:
    said = [
        (62, 64, "<i>The press was built</i>"),
        (64, 67, "in Chemnitz, and bought in 1949."),
        (80, 83, "{\\an8}It presses 180 litres"),
        (83, 86, "an hour."),
    ]
    cues = [
        f"{n}\n00:{a // 60:02}:{a % 60:02},000 --> 00:{b // 60:02}:{b % 60:02},000\n{t}\n"
        for n, (a, b, t) in enumerate(said, 1)
    ]
    (FOLDER / "orchard.srt").write_text("\n".join(cues), encoding="utf-8-sig")
    (FOLDER / "orchard.vtt").write_text(
        "WEBVTT\n\nNOTE made for tests\n\n1\n01:02.000 --> 01:05.000 align:start\n<v Paula Reinke>We were &lt;three&gt;.</v>\n\n"
        "01:00:05.000 --> 01:00:09.000\nThe kettle boiled over.\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    write_mails()
    write_calendar()
    write_table()
    write_subtitles()
