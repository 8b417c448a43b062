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

_COUNTED = (
    "a/an/one two three four five six seven eight nine ten eleven twelve",
    "ein/eine/einen/einem/einer zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "un/une deux trois quatre cinq six sept huit neuf dix onze douze",
    "un/una dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "un/una due tre quattro cinque sei sette otto nove dieci undici dodici",
    "um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze",
    "een/één twee drie vier vijf zes zeven acht negen tien elf twaalf",
    "один/одну/одна два/две три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
    "έναν/μία/μια/ένα δύο/δυο τρεις/τρία τέσσερις/τέσσερα πέντε έξι επτά οκτώ εννέα δέκα έντεκα δώδεκα",
    "واحد/واحدة اثنين ثلاثة/ثلاث أربعة/أربع خمسة/خمس ستة/ست سبعة/سبع ثمانية/ثماني تسعة/تسع عشرة/عشر",
    "אחד/אחת שני/שתי שלושה/שלוש ארבעה/ארבע חמישה/חמש שישה/שש שבעה/שבע שמונה תשעה/תשע עשרה/עשר",
    "एक दो तीन चार पाँच/पांच छह सात आठ नौ दस ग्यारह बारह",
    "一 二/两/兩 三 四 五 六 七 八 九 十",
    "한/일 두/이 세/삼 네/사 다섯 여섯 일곱 여덟 아홉 열",
)
SMALL_NUMBERS = {
    word: number for line in _COUNTED for number, words in enumerate(line.split(), 1) for word in words.split("/")
}
"""Numbers up to twelve by their words, as they stand in "two weeks ago"."""
