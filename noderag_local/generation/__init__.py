"""Turns a retrieval into an answer with citations, by a language model or by quoting the passages.

The prompts in the folder `prompts`, and what each is for:

    chat_system, chat_examples, chat_user    an answer for a person, from sources, with citations
    short_system, short_user                 an answer of a few words for a benchmark (`noderag eval --answers`), from sources
    alone_chat, alone_short                  the same two answers from the model's own knowledge, without notes
    follow_up_user                           rewrites a question that refers to the conversation; sent behind chat_system, which
                                             the engine has read already
    check_answer                             says whether a passage shows that an answer is right, by "yes" or "no"
    judge_note                               says whether one note fits a question, by "yes" or "no"
    filter                                   copies the helpful passages out of groups of sources (ArchRAG) before the answer

The first line of a file is its version; the model never sees it.
"""
