"""Explains each setting: its group, its name in words, and the effect of changing it."""

from __future__ import annotations

from typing import NamedTuple


class SettingNote(NamedTuple):
    """Explanation of a setting."""

    group: str
    title: str
    effect: str
    """Effect of a larger, smaller or other value."""
    at_next_start: bool = False
    """Whether a change takes effect only at the next start of the interface."""


NOTES: dict[str, SettingNote] = {
    "method": SettingNote(
        "Answers",
        "Method",
        "How passages are found. noderag walks the graph and finds most. naive compares only meanings, bm25 "
        "only words. The others are for comparison: methods of papers on the same notes.",
    ),
    "budget_tokens": SettingNote(
        "Answers",
        "Context tokens",
        "How much of your notes the model reads for one question. With more it finds more, but the first word comes later: a "
        "small model on a processor reads about 50 to 150 tokens a second.",
    ),
    "answer_tokens": SettingNote(
        "Answers",
        "Answer tokens",
        "The longest answer; it is cut there, even in the middle of a sentence. 300 tokens are about 200 words.",
    ),
    "read_ahead": SettingNote(
        "Answers",
        "Read ahead",
        "On: when you pause while you type a question, the model begins to read its passages, so that the answer begins sooner. "
        "Off: it reads when you have asked, which spares a battery.",
    ),
    "model": SettingNote(
        "Language model",
        "Model",
        "Which GGUF file answers and reads your notes. Empty: the catalogue's default if it is installed, else the largest "
        "installed one. Larger ones answer better and slower. The models screen (f5) lists them.",
    ),
    "embedding_model": SettingNote(
        "Language model",
        "Embedding model",
        "Which model compares meanings: a name of the catalogue, a folder of sentence-transformers, a GGUF, or a server's "
        "address. Empty: the one that the vault has. With another one, the next indexing makes all vectors again.",
    ),
    "gleaning_rounds": SettingNote(
        "Language model",
        "Extra readings",
        "How often the model is asked for facts that it missed after it has read a passage (noderag enrich). 0: once is enough. "
        "Each round takes about as long as the first reading. A change reads all passages again; old answers are not asked anew.",
    ),
    "threads": SettingNote(
        "Language model",
        "Threads",
        "0 takes one for each physical core, which is fastest. Fewer leave the processor to other programs.",
    ),
    "gpu_layers": SettingNote(
        "Language model",
        "GPU layers",
        "How many layers of the model are put on a graphics card: -1 for all, 0 for none. Fewer if its memory is too small.",
    ),
    "server_url": SettingNote(
        "Model server",
        "Address",
        "A server of yours that answers instead of a GGUF: llama-server, vLLM, Ollama. Questions and passages are sent "
        "there. Several with blanks between share the work. Empty: none.",
    ),
    "server_model": SettingNote(
        "Model server",
        "Its model",
        "Which of the server's models to use. Empty: the only one.",
    ),
    "server_key": SettingNote(
        "Model server",
        "Key",
        "Key sent with every request, if the server asks for one. It is stored in the settings file, readable only by "
        "you, and never shown.",
    ),
    "server_concurrency": SettingNote(
        "Model server",
        "Requests at a time",
        "For enriching: as many as the server handles at a time. More wait in its queue, fewer leave it idle.",
    ),
    "server_timeout_seconds": SettingNote(
        "Model server",
        "Patience in seconds",
        "A request ends after so long a silence. A busy server with a large model may be silent for a minute.",
    ),
    "server_private_network": SettingNote(
        "Model server",
        "Private network",
        "Off: the server must be on this machine. On: it may be on another one of a private network, and your notes "
        "are sent there. Addresses of the internet are refused either way.",
    ),
    "vault": SettingNote(
        "Folders",
        "Vault",
        "Folder for everything that is made from your notes. Another folder is another vault; the old one stays.",
        at_next_start=True,
    ),
    "models_dir": SettingNote(
        "Folders",
        "Models",
        "Folder for the GGUF files; each takes gigabytes. Files in the old folder are not moved.",
    ),
    "automatic_backups": SettingNote(
        "Folders",
        "Backups",
        "On: after long work a backup is made in the vault's folder, at most one a day, if the disk has room. Off: only "
        "noderag backup makes one.",
    ),
    "follow_folders": SettingNote(
        "Folders",
        "Follow folders",
        "On: while the interface is open, changed notes are read a moment later. Off: the library's r reads them, "
        "or noderag watch.",
    ),
    "resident": SettingNote(
        "Folders",
        "Resident process",
        "On: a search from the shell leaves a process for ten minutes that makes the next ones quick. Off: none is left; "
        "noderag resident --end ends one.",
    ),
    "editor": SettingNote(
        "Folders",
        "Editor",
        "Command of the editor that e opens a note with, such as nano. The variables VISUAL and EDITOR override it. Empty: the "
        "interface asks once.",
    ),
    "inbox_file": SettingNote(
        "Folders",
        "Inbox",
        "The note that noderag add appends to, such as ~/notes/inbox.md. No other note is ever written. Empty: none.",
    ),
    "max_file_mb": SettingNote(
        "Folders",
        "Largest file in MB",
        "Larger files are left out, and named when indexing ends. A change takes effect at the next indexing.",
    ),
    "read_scans": SettingNote(
        "Folders",
        "Text in pictures",
        "On: after all other files, the text in scans and pictures is read, some seconds a page, if the extra ocr is installed; noderag "
        "doctor says how. Off: they are left out.",
    ),
    "formats_without_walls": SettingNote(
        "Folders",
        "Without a sandbox",
        "Off: PDF, Office and similar files are read only if the system can keep their readers from your files and the network; "
        "noderag doctor says so. On: they are always read.",
    ),
    "log": SettingNote(
        "Log",
        "File",
        "A file in which noderag logs what it does: times, stages, counts, and where an error happened. It has no text of "
        "your notes and questions, and no file names. It helps with a bug report. Empty: none.",
        at_next_start=True,
    ),
    "log_names": SettingNote(
        "Log",
        "With names",
        "On: the log also quotes the file names and texts in messages. It is not encrypted, even if the vault "
        "is. Off: it has none of them.",
        at_next_start=True,
    ),
    "theme": SettingNote(
        "Appearance",
        "Theme",
        "Dark or light colours; a change is visible at once.",
    ),
}
"""Notes in the order in which they are shown; every field of Settings has one."""
