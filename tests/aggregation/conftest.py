"""Notes of a year, in four languages, and a function that computes answers from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
from helpers.computed_answers import computing, indexed

from noderag_local.aggregation.compute import to_judge
from noderag_local.aggregation.computed import Computed
from noderag_local.aggregation.entries import Entries
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.snapshot import Snapshot

TODAY = date(2026, 6, 20)

NOTES = {
    "Daily/2026-03-02.md": "# 2 March 2026\n\nWent swimming before work, 40 lengths.\n\nCoffee with Ilse, who was late.\n",
    "Daily/2026-03-09.md": "# 9 March 2026\n\nNo swimming, the pool was closed. Ilse wrote about the roof.\n",
    "Daily/2026-03-16.md": "# 16 March 2026\n\nSwam in the lake, too cold. Ilse Hagen came by in the evening.\n",
    "Daily/2026-03-17.md": "# 17 March 2026\n\nSwimming again. I want to go swimming tomorrow as well. Met Bruno yesterday.\n",
    "Daily/2026-04-05.md": "# 5 April 2026\n\nFinished Salt Roads on the train.\n\nLent Salt Roads to Bruno.\n",
    "Daily/2026-05-12.md": "# 12 May 2026\n\nFinished The Long Dune today.\n\nArrived in Tarvisio after dark.\n",
    "Daily/2026-05-11.md": "# 11 May 2026\n\nBought a map.\n",
    "Daily/2026-06-19.md": "# 19 June 2026\n\nPainted the gate. Bread with rye.\n",
    "People/Ilse Hagen.md": "---\ntags: [person]\n---\n# Ilse Hagen\n\nRoofer, lives by the canal.\n",
    "People/Dr. Ada Moll.md": "# Dr. Ada Moll\n\nVet. Phone 0555 123 40.\n",
    "Books/Salt Roads.md": "# Salt Roads\n\nA slow start.\n",
    "Books/The Long Dune.md": "# The Long Dune\n\nGood maps.\n",
    "Books/Kiln.md": "# Kiln\n\nNot opened yet.\n",
    "Recipes/Borscht.md": "# Borscht\n\n- 300 g beetroot\n- 2 leeks\n",
    "Recipes/Winter pie.md": "# Winter pie\n\n- 4 leeks\n- 100 g walnuts\n",
    "Recipes/Rye bread.md": "# Rye bread\n\n- 500 g rye\n",
    "Projects/Weir.md": "# Project Weir\n\nTeam: Ilse Hagen, Bruno Pohl, me.\n",
    "Meetings/2026-02-10 Weir.md": "# Weir: minutes\n\n- Present: Ilse Hagen.\n- Venue: the boat house.\n- On the tiles we decided to wait.\n- Deadline: 1 May 2026.\n",
    "Meetings/2026-04-10 Weir.md": "# Weir: minutes\n\n- Present: Ilse Hagen, Bruno Pohl.\n- Venue: the library.\n- On the tiles we decided to buy the grey ones.\n- Deadline moved to 3 July 2026.\n",
    "Meetings/2026-05-20 Sluice.md": "# Sluice: talk\n\nPresent: Ilse Hagen, me\nApologies: Bruno Pohl (away)\n\n- Decision: the gate is shut until August 2027\n",
    "Projects/Eddy.md": "# Eddy\n\nA model boat. Glued in the cellar.\n\nThe eddies on the river are no model boats.\n",
    "Daily/2026-05-21.md": "# 21 May 2026\n\nThe eddies below the bridge were brown. Sanded the keel of the Eddy.\n",
    "Moths/Traps.md": "# Traps\n\nA box with a lamp.\n",
    "Moths/Year list.md": "# Year list\n\n- pine hawk\n",
    "spending.csv": "date,item,shop,amount_eur\n2026-03-01,nails,Eisen Ott,4.50\n2026-03-20,lamp,Eisen Ott,31\n2026-04-02,rope,Eisen Ott,12.25\n2026-04-03,soap,Drugs 4U,\n",
    "todo.md": "# Todo\n\n## House\n\n- [ ] call the roofer\n- [x] buy nails\n- [ ] return Bruno's *ladder*\n\n## Tax\n\n- [ ] find the receipts\n",
    "Tagebuch/2026-01-04.md": "# 4. Januar 2026\n\nIch war laufen, zehn Kilometer. Das Buch Kiln an Ottokar verliehen.\n",
    "Tagebuch/2026-01-11.md": "# 11. Januar 2026\n\nWieder laufen gewesen, am Fluss.\n",
    "Journal/2026-02-03.md": "# 3 février 2026\n\nJ'ai couru au parc, puis la pluie.\n",
    "Diario/2026-02-08.md": "# 8 de febrero de 2026\n\nLlegué a Lugo de noche, con lluvia.\n",
    "calendar.md": "# Calendar\n\nDentist on 24 June 2026 at 8:15.\n\nConcert on 26 June 2026.\n",
}


@pytest.fixture(scope="session")
def year(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a vault with the notes; read only."""
    return indexed(tmp_path_factory.mktemp("year"), NOTES)


@pytest.fixture(scope="session")
def judged(year: Path) -> Iterator[Callable[[str], list[str]]]:
    """Returns the titles of the notes that a model has to judge for a question."""
    with Store.open(year, write=False) as store:
        entries = Entries(store, Snapshot.open(store).words)
        yield lambda question: [note[0].sentence.title for note in to_judge(question, entries, TODAY)]


@pytest.fixture(scope="session")
def compute(year: Path) -> Iterator[Callable[[str], Computed | None]]:
    """Computes the answer to a question asked on 20 June 2026."""
    with computing(year, TODAY) as compute:
        yield compute
