"""Words for numbers in several languages."""

from __future__ import annotations

from functools import cache

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

_COUNTED = {
    "en": "a/an/one two three four five six seven eight nine ten eleven twelve",
    "de": "ein/eine/einen/einem/einer zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "fr": "un/une deux trois quatre cinq six sept huit neuf dix onze douze",
    "es": "un/una dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "it": "un/una due tre quattro cinque sei sette otto nove dieci undici dodici",
    "pt": "um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze",
    "nl": "een/één twee drie vier vijf zes zeven acht negen tien elf twaalf",
    "ru": "один/одну/одна два/две три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
    "el": "έναν/μία/μια/ένα δύο/δυο τρεις/τρία τέσσερις/τέσσερα πέντε έξι επτά οκτώ εννέα δέκα έντεκα δώδεκα",
    "ar": "واحد/واحدة اثنين ثلاثة/ثلاث أربعة/أربع خمسة/خمس ستة/ست سبعة/سبع ثمانية/ثماني تسعة/تسع عشرة/عشر",
    "he": "אחד/אחת שני/שתי שלושה/שלוש ארבעה/ארבע חמישה/חמש שישה/שש שבעה/שבע שמונה תשעה/תשע עשרה/עשר",
    "hi": "एक दो तीन चार पाँच/पांच छह सात आठ नौ दस ग्यारह बारह",
    "zh": "一 二/两/兩 三 四 五 六 七 八 九 十",
    "ko": "한/일 두/이 세/삼 네/사 다섯 여섯 일곱 여덟 아홉 열",
}


@cache
def small_numbers(language: str) -> dict[str, int]:
    """Returns the numbers up to twelve by their words in a language (ISO 639-1); none for an unknown language."""
    counted = enumerate(_COUNTED.get(language, "").split(), 1)
    return {word: number for number, words in counted for word in words.split("/")}


SMALL_NUMBERS = {word: number for language in _COUNTED for word, number in small_numbers(language).items()}
"""Numbers up to twelve by their words in all languages, as they stand in "two weeks ago"."""
