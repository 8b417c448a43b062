"""Words for numbers in several languages."""

from __future__ import annotations

NUMBER_WORDS = frozenset(
    """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen
    ein eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend
    deux trois quatre cinq sept huit neuf dix onze douze vingt trente cent mille
    dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta cien mil
    due tre quattro cinque sei sette otto nove dieci undici dodici venti cento
    """.split()
)
"""Words for numbers in English, German, French, Spanish and Italian."""
