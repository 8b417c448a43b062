"""Questions to which the words of the passages give no answer, in several languages."""

from __future__ import annotations

from datetime import date

import pytest

from noderag_local.aggregation.untold import FoundPassage, Untold

TODAY = date(2026, 6, 20)
NOTES = {
    "de": (
        FoundPassage(
            "Wohnt in Kassel. Hat eine Schwester, Mona. Tarik hat mir die Bohrmaschine geborgt.", "Lena Brückner"
        ),
        FoundPassage("Von Tante Gerda. Zwei Zwiebeln, Ingwer, Kokosmilch. 25 Minuten köcheln.", "Kürbissuppe"),
        FoundPassage("Übernachtet: Pension Aurora, ein Tipp von Lena. Nach 3 Nächten wieder heim.", "Aarhus"),
        FoundPassage("Neue Jacke für 80 Euro.", "2026-05-02"),
    ),
    "es": (
        FoundPassage("Vive en Gijón. Tiene una hermana, Marina. Tomás le dejó su taladro.", "Elena Bravo"),
        FoundPassage("De la tía Gema. Dos cebollas, jengibre. Cocer 25 minutos.", "Crema de calabaza"),
        FoundPassage("Dormí en el Hotel Sol, me lo dijo Elena. Me fui tras 3 noches.", "Aarhus"),
        FoundPassage("Chaqueta nueva por 80 euros.", "2026-05-02"),
    ),
    "fr": (
        FoundPassage("Habite à Angers. A une sœur, Manon. Tarek lui a passé sa perceuse.", "Hélène Brunet"),
        FoundPassage("De tante Gisèle. Deux oignons, gingembre. Mijoter 25 minutes.", "Soupe de potiron"),
        FoundPassage("Nuit à l'Hôtel Sol, un conseil d'Hélène. Parti après 3 nuits.", "Aarhus"),
        FoundPassage("Nouvelle veste pour 80 euros.", "2026-05-02"),
    ),
    "en": (
        FoundPassage("Lives in Ghent. Has a sister, Mona. Tarik passed her his drill.", "Lena Brook"),
        FoundPassage("From aunt Gerda. Two onions, ginger. Simmer for 25 minutes.", "Pumpkin soup"),
        FoundPassage("Slept at the Hotel Sol, Lena told me of it. Left after 3 nights.", "Aarhus"),
        FoundPassage("New jacket for 80 euros.", "2026-05-02"),
    ),
}


def untold(language: str, question: str) -> Untold:
    return Untold(question, TODAY, NOTES[language])


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Welche Schuhgröße hat Lena Brückner?"),
        ("de", "Was ist Lena Brückners Lieblingsfarbe?"),
        ("de", "Wie groß ist Lena Brückner?"),
        ("de", "Welche Marke hat die Bohrmaschine von Tarik?"),
        ("de", "Wie viel Salz kommt in die Kürbissuppe?"),
        ("de", "Was hat die Unterkunft in Aarhus pro Nacht gekostet?"),
        ("es", "¿Qué número de zapato calza Elena Bravo?"),
        ("es", "¿De qué color tiene los ojos Elena Bravo?"),
        ("es", "¿Cuánta sal lleva la crema de calabaza?"),
        ("es", "¿De qué marca es el taladro de Tomás?"),
        ("es", "¿Cuánto costó el hotel de Aarhus?"),
        ("fr", "Quelle pointure fait Hélène Brunet ?"),
        ("fr", "De quelle marque est la perceuse de Tarek ?"),
        ("fr", "Combien de sel faut-il pour la soupe de potiron ?"),
        ("fr", "Combien a coûté l'hôtel à Aarhus ?"),
        ("de", "Wie viel habe ich in Aarhus für eine Nacht bezahlt?"),
        ("de", "Wann hat Lena Brückner Geburtstag?"),
        ("en", "When is Lena Brook's birthday?"),
        ("fr", "Quelle est la date de naissance d'Hélène Brunet ?"),
        ("en", "What is Lena Brook's shoe size?"),
        ("en", "Which brand is Tarik's drill?"),
        ("en", "How much salt goes into the pumpkin soup?"),
        ("en", "How much did the hotel in Aarhus cost?"),
        ("en", "shoe size Lena Brook"),
    ],
)
def test_what_is_asked_for_stands_nowhere_beside_what_is_named(language: str, question: str) -> None:
    assert untold(language, question).is_likely


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Wer hat eine Bohrmaschine von Tarik?"),
        ("de", "Wie viele Zwiebeln kommen in die Kürbissuppe?"),
        ("de", "Wer ist Lenas Schwester?"),
        ("de", "In welcher Stadt wohnt Lena Brückner?"),
        ("es", "¿Cuántas cebollas lleva la crema de calabaza?"),
        ("es", "¿Quién es la hermana de Elena Bravo?"),
        ("fr", "Combien d'oignons faut-il pour la soupe de potiron ?"),
        ("fr", "Qui est la sœur d'Hélène Brunet ?"),
        ("en", "Who is Lena's sister?"),
        ("en", "In which town is Lena Brook?"),
        ("en", "Why did Lena Brook sing?"),
        ("en", "How old is Lena Brook?"),
        ("de", "Wie alt ist Lena Brückner?"),
        ("en", "When did Lena Brook sing?"),
        ("en", "Did Lena Brook sing?"),
        ("en", "What shall we eat?"),
        ("en", ""),
    ],
)
def test_there_is_no_reason_to_doubt(language: str, question: str) -> None:
    assert not untold(language, question).is_likely


def test_the_passages_about_what_is_named_are_told() -> None:
    assert untold("de", "Welche Schuhgröße hat Lena Brückner?").about == {0, 2}
    assert untold("es", "¿Cuánta sal lleva la crema de calabaza?").about == {1}
    assert untold("en", "What shall we eat?").about == {0, 1, 2, 3}
    assert untold("en", "Who is Bruno Lee's sister?").about == {0, 1, 2, 3}
