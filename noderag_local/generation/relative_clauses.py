"""Takes a question apart at a relative clause, in German, French and Spanish.

"Wo arbeitet der Mann, der mir das Boot verkauft hat?" first asks who the man is, and then where he works.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from noderag_local.text.stopwords import stop_words

FOUND = "{}"
"""Stands for the answer of the step that was split off."""
MOST_NOUN_WORDS = 3
"""Words between an article and the relative pronoun: "la jeune femme qui"."""
LONGEST_TITLE = 3
"""Letters of the longest title that a full stop ends: "Mme."."""
_INVERTED = re.compile(r"-(?:t-)?(?:ils?|elles?|on|je|tu|nous|vous)\b", re.IGNORECASE)
"""French verb of a question: in a clause it shows that the question goes on there."""
_TOKEN = re.compile(r"[^\W\d_]+['’]|[\w{}][\w{}-]*|[^\w\s]")
_OPENING = "¿¡"
_ENDS = ",:;.?!–—-"
_STOPS = frozenset(",:;.?!–—()")


@dataclass(frozen=True, slots=True)
class _Grammar:
    """The words of a language by which relative clauses are known."""

    language: str
    """ISO 639-1 code."""
    articles: Mapping[str, str]
    """Each article, with the preposition that it contains: "du" has "de"."""
    nominatives: Mapping[str, str]
    """Articles of other cases, with the one that stands behind "who is"."""
    alone: Collection[str]
    """Words that need neither article nor noun before a relative clause: "celui"."""
    relatives: Collection[str]
    before_relative: Collection[str]
    """Prepositions that may stand before a relative pronoun."""
    persons: tuple[str, ...]
    """Ends of words that mean a person."""
    who: str
    says_little: Collection[str]
    """Content words that ask for no more than who it is."""
    asking: Collection[str]
    """Words that open a question, or go on with it, behind a clause that stands first."""


_GERMAN = _Grammar(
    language="de",
    articles={
        **dict.fromkeys(
            "der die das den dem ein eine einen einem einer dieser diese diesen diesem jener jene jenen jenem derjenige".split(),
            "",
        ),
        "des": "von",
        "eines": "von",
        "vom": "von",
        "zum": "zu",
        "zur": "zu",
        "beim": "bei",
        "im": "in",
        "am": "an",
    },
    nominatives={
        **dict.fromkeys("dem den des vom zum beim im am einem eines".split(), "der"),
        "zur": "die",
        "einer": "die",
        "einen": "der",
    },
    alone=frozenset("derjenige diejenige demjenigen denjenigen derjenigen jemand jemandem jemanden".split()),
    relatives=frozenset("der die das den dem dessen deren denen wo welcher welche welches welchen welchem".split()),
    before_relative=frozenset("mit von bei für zu an auf aus in nach über unter vor durch neben gegen".split()),
    persons=tuple(
        "mann manns mannes frau freund freunds freundes freundin nachbar nachbarn nachbarin kollege kollegen kollegin mensch menschen"
        " person herr herrn dame junge jungen mädchen mädchens bekannte bekannter bekannten lehrer lehrers lehrerin bäcker bäckers"
        " bäckerin fahrer fahrers fahrerin händler händlers händlerin käufer käufers käuferin meister meisters meisterin maler malers"
        " malerin schreiner schreiners trainer trainers trainerin arbeiter arbeiters arbeiterin schüler schülers schülerin sänger sängers"
        " sängerin pfarrer pfarrers pfarrerin züchter züchters züchterin bauer bauern bäuerin tischler tischlers gärtner gärtners gärtnerin"
        " pfleger pflegers pflegerin spieler spielers spielerin besitzer besitzers besitzerin mieter mieters mieterin bewohner bewohners"
        " bewohnerin handwerker handwerkers schwester bruder bruders mutter vater vaters tochter sohn sohnes schwager schwagers tante onkel"
        " onkels cousin cousine arzt arztes ärztin student studenten studentin kind kindes paar typ".split()
    ),
    who="Wer ist",
    says_little=frozenset("heißt heisst name namen mensch person".split()),
    asking=frozenset(
        "wo wer wen wem wie was wann welcher welche welches welchen welchem woher wohin wessen warum wieviel in an auf bei von für aus seit"
        " er sie es der die das sein ihr seine ihre".split()
    ),
)
_FRENCH = _Grammar(
    language="fr",
    articles={
        **dict.fromkeys(["le", "la", "l'", "l’", "les", "un", "une", "cet", "cette", "ce", "ces"], ""),
        "du": "de",
        "des": "de",
        "au": "à",
        "aux": "à",
    },
    nominatives={"du": "le", "au": "le", "des": "les", "aux": "les"},
    alone=frozenset("celui celle ceux celles quelqu'un".split()),
    relatives=frozenset(
        ["qui", "que", "qu'", "qu’", "dont", "où", "lequel", "laquelle", "lesquels", "lesquelles", "auquel", "duquel"]
    ),
    before_relative=frozenset("à avec chez pour de sur par dans sous sans".split()),
    persons=tuple(
        "celui celle ceux celles homme femme dame monsieur ami amie voisin voisine collègue garçon fille personne copain copine type"
        " professeur professeure prof médecin docteur docteure infirmier infirmière coiffeur coiffeuse vendeur vendeuse facteur factrice"
        " plombier boulanger boulangère chauffeur directeur directrice vétérinaire artisan propriétaire locataire artiste dentiste musicien"
        " musicienne gardien gardienne serveur serveuse cuisinier cuisinière étudiant étudiante frère sœur cousin cousine oncle tante neveu"
        " nièce enfant gens couple".split()
    ),
    who="Qui est",
    says_little=frozenset("nom prénom appelle appelle-t personne".split()),
    asking=frozenset(
        "qui que quel quelle quels quelles quand quoi où comment combien pourquoi il elle ils elles dans à de chez en son sa ses c' c’ qu' qu’".split()
    ),
)
_SPANISH = _Grammar(
    language="es",
    articles={**dict.fromkeys("el la los las un una ese esa aquel aquella".split(), ""), "del": "de", "al": "a"},
    nominatives={"del": "el", "al": "el"},
    alone=frozenset("aquel aquella alguien quien".split()),
    relatives=frozenset("que quien quienes cuyo cuya cuyos cuyas donde".split()),
    before_relative=frozenset("a con de para en por desde".split()),
    persons=tuple(
        "hombre mujer señor señora amigo amiga vecino vecina chico chica persona colega compañero compañera aquel aquella quien profesor"
        " profesora médico médica doctor doctora enfermero enfermera peluquero peluquera vendedor vendedora cartero cartera fontanero panadero"
        " panadera conductor conductora director directora veterinario veterinaria dueño dueña artista dentista músico camarero camarera"
        " estudiante hermano hermana primo prima tío tía sobrino sobrina niño niña pareja".split()
    ),
    who="¿Quién es",
    says_little=frozenset("nombre llama persona".split()),
    asking=frozenset(
        "que qué quien quién quiénes dónde donde cómo como cuál cuáles cuánto cuánta cuántos cuántas cuándo adónde en de a con para su sus él ella".split()
    ),
)
_POINTING = frozenset({"der", "die", "dem", "den"})
"""German articles that stand for a person before a clause: "von dem, der mir half"."""
GRAMMARS = {"de": _GERMAN, "fr": _FRENCH, "es": _SPANISH}


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        return self.text.casefold()


def relative_step(question: str, language: str) -> tuple[str, str] | None:
    """Returns who it is that the last relative clause of a question describes, as a question, and what is asked of them.

    Only people are looked for first: what is asked of a thing mostly stands where the thing is described.

    Args:
        question: of one line.
        language: ISO 639-1 code of its language.

    Returns:
        The first step, and the rest with `FOUND` in the place of its answer; None where there is no such clause, in other
        languages.
    """
    grammar = GRAMMARS.get(language)
    if grammar is None:
        return None
    tokens = [_Token(match[0], *match.span()) for match in _TOKEN.finditer(question)]
    for at in range(len(tokens) - 1, 0, -1):
        if tokens[at].word in grammar.relatives and (described := _described_before(tokens, at, grammar)):
            return _taken_apart(question, tokens, *described, grammar)
    return None


def says_little(words: Collection[str], language: str) -> bool:
    """Returns whether some content words of a question ask for no more than a name."""
    grammar = GRAMMARS.get(language)
    return grammar is not None and all(word.casefold() in grammar.says_little for word in words)


def _described_before(tokens: Sequence[_Token], at: int, grammar: _Grammar) -> tuple[int, int] | None:
    """Returns the first token of the noun phrase before a relative pronoun, and the first one of the clause."""
    clause = at
    if tokens[clause - 1].word in grammar.before_relative:
        clause -= 1
    elif (
        clause > 1
        and tokens[clause - 1].word in grammar.articles
        and tokens[clause - 2].word in grammar.before_relative
    ):
        clause -= 2  # "con la que"
    elif grammar.articles.get(tokens[clause - 1].word):
        clause -= 1  # "al que"
    if grammar is _GERMAN:
        if clause == 0 or tokens[clause - 1].text != ",":
            return None
        last = clause - 2
    else:
        last = clause - 1 - (tokens[clause - 1].text == ",")
    if last < 0:
        return None
    if tokens[last].word in grammar.alone or (grammar is _GERMAN and tokens[last].word in _POINTING):
        return last, clause
    for first in range(last - 1, max(last - 1 - MOST_NOUN_WORDS, -1), -1):
        if tokens[first].word in grammar.articles:
            is_person = any(one.word.endswith(grammar.persons) for one in tokens[first + 1 : last + 1])
            return (first, clause) if is_person else None
        if tokens[first].text in _STOPS or tokens[first].word in stop_words(grammar.language):
            return None
    return None


def _taken_apart(
    question: str, tokens: Sequence[_Token], first: int, clause: int, grammar: _Grammar
) -> tuple[str, str] | None:
    before = question[: tokens[first].start].strip()
    before = "" if before in _OPENING else before
    end = _end_of_clause(tokens, clause, bool(before), grammar)
    said = question[tokens[clause].start : end].strip(f" {_ENDS}")
    behind = question[end:].strip(f" {_ENDS}")
    if not (before or behind) or _INVERTED.search(said):
        return None
    step = f"{grammar.who} {_noun_phrase(question, tokens, first, clause, grammar)} {said}?"
    held = _preposition(tokens, first, grammar)
    middle = f"{held} {FOUND}" if held else FOUND
    rest = " ".join(part for part in (before, middle) if part)
    return step, f"{rest}, {behind}?" if behind else f"{rest}?"


def _end_of_clause(tokens: Sequence[_Token], clause: int, has_before: bool, grammar: _Grammar) -> int:
    """Where a clause ends: with the question, or before what is asked, where it stands first or the asking word behind it."""
    for at in range(clause + 1, len(tokens) - 1):
        opens = tokens[at + 1].word in grammar.asking
        # "M. Touati" ends nothing.
        is_end = (
            opens or tokens[at].text in ":?" or (tokens[at].text == "." and len(tokens[at - 1].text) > LONGEST_TITLE)
        )
        if tokens[at].text in _ENDS and at + 2 < len(tokens) and is_end:
            return tokens[at].start
        if tokens[at].text == "," and not has_before:
            return tokens[at].start
    return tokens[-1].end


def _noun_phrase(question: str, tokens: Sequence[_Token], first: int, clause: int, grammar: _Grammar) -> str:
    article = tokens[first]
    whole = question[article.start : tokens[clause].start].rstrip()
    is_genitive = grammar is _GERMAN and article.word == "der" and _preposition(tokens, first, grammar) == "von"
    nominative = "die" if is_genitive else grammar.nominatives.get(article.word)
    return f"{nominative or article.word}{whole[len(article.text) :]}"


def _preposition(tokens: Sequence[_Token], first: int, grammar: _Grammar) -> str:
    """The preposition that an article contains; "von" where a German article of the genitive stands behind a noun."""
    article = tokens[first].word
    is_behind_noun = first > 1 and tokens[first - 1].text[:1].isupper()
    if grammar is _GERMAN and article in ("der", "einer", "dieser", "jener") and is_behind_noun:
        return "von"
    return grammar.articles.get(article, "")
