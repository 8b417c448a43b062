"""How names and words are told apart and compared; what indexing and searching must agree on."""

from noderag_local.words.capitals import capitalised_runs, stop_words_of
from noderag_local.words.identity import display_name, entity_key
from noderag_local.words.keywords import document_frequencies, is_kept, keywords, marked_words
from noderag_local.words.numbers import NUMBER_WORDS
from noderag_local.words.stopwords import every_stop_word, stop_words, stop_words_for

__all__ = [
    "NUMBER_WORDS",
    "capitalised_runs",
    "display_name",
    "document_frequencies",
    "entity_key",
    "every_stop_word",
    "is_kept",
    "keywords",
    "marked_words",
    "stop_words",
    "stop_words_for",
    "stop_words_of",
]
