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
        "How passages are found. noderag walks the graph and finds most. The others are there to compare with: other "
        "papers' ways through the same notes; naive compares meanings alone, bm25 words alone.",
    ),
    "budget_tokens": SettingNote(
        "Answers",
        "Context tokens",
        "How much of your notes the model reads for one question. More finds more, and the first word comes later: a "
        "small model on a processor reads some 50 to 150 tokens a second.",
    ),
    "answer_tokens": SettingNote(
        "Answers",
        "Answer tokens",
        "The longest answer. It ends there, in the middle of a sentence if need be; 300 are some 200 words.",
    ),
    "model": SettingNote(
        "Language model",
        "Model",
        "Which GGUF answers and reads your notes. Empty: the catalogue's default if it is installed, else the largest "
        "one that is. Larger ones answer better and slower. The models screen (f5) lists them.",
    ),
    "embedding_model": SettingNote(
        "Language model",
        "Embedding model",
        "Which model compares meanings: a name of the catalogue, a folder of sentence-transformers, a GGUF, or a server's "
        "address. Empty: the one that the vault has. Another one makes all vectors anew at the next indexing.",
    ),
    "threads": SettingNote(
        "Language model",
        "Threads",
        "0 takes one for each physical core, which is fastest. Fewer leave the machine to other programs.",
    ),
    "gpu_layers": SettingNote(
        "Language model",
        "GPU layers",
        "How much of the model is put onto a graphics card: -1 all of it, 0 nothing. Fewer where its memory is short.",
    ),
    "server_url": SettingNote(
        "Model server",
        "Address",
        "A server of yours that answers instead of a GGUF: llama-server, vLLM, Ollama. Questions and passages are sent "
        "there. Empty: none.",
    ),
    "server_model": SettingNote(
        "Model server",
        "Its model",
        "Which of the models that the server has. Empty: the only one.",
    ),
    "server_key": SettingNote(
        "Model server",
        "Key",
        "Sent with every request, where the server asks for one. It is kept in the settings file, readable by you "
        "alone, and never shown.",
    ),
    "server_concurrency": SettingNote(
        "Model server",
        "Requests at a time",
        "For enriching. As many as the server has places: more wait in its queue, fewer leave it idle.",
    ),
    "server_timeout_seconds": SettingNote(
        "Model server",
        "Patience in seconds",
        "After so long a silence a request is given up. A busy server with a large model may be silent for a minute.",
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
        "Where everything lies that is made from your notes. Another folder is another vault; the old one stays.",
        at_next_start=True,
    ),
    "models_dir": SettingNote(
        "Folders",
        "Models",
        "Where the GGUF files lie; each takes gigabytes. Files that are in the old folder are not moved.",
    ),
    "automatic_backups": SettingNote(
        "Folders",
        "Backups",
        "On: long work is followed by a backup in the vault's folder, at most one a day, where the disk has room. Off: only "
        "noderag backup makes one.",
    ),
    "follow_folders": SettingNote(
        "Folders",
        "Follow folders",
        "On: while the interface is open, notes that change are read a moment later. Off: the library's r reads them, "
        "or noderag watch.",
    ),
    "max_file_mb": SettingNote(
        "Folders",
        "Largest file in MB",
        "Larger files are left out, and named when indexing ends. It holds from the next indexing on.",
    ),
    "formats_without_walls": SettingNote(
        "Folders",
        "Without walls",
        "Off: PDF, Office and the like are read only where the system keeps their readers from your files and the network, as "
        "noderag doctor tells. On: everywhere.",
    ),
    "log": SettingNote(
        "Log",
        "File",
        "A file that noderag writes to what it does: times, stages, counts, and where an error happened. It holds no word of "
        "your notes and questions, and no file name. It helps with a report of a bug. Empty: none.",
        at_next_start=True,
    ),
    "log_names": SettingNote(
        "Log",
        "With names",
        "On: the log also quotes the file names and texts that messages have. It is plain text, also beside an encrypted "
        "vault. Off: it has none of them.",
        at_next_start=True,
    ),
    "theme": SettingNote(
        "Appearance",
        "Theme",
        "Dark or light colours. They are seen at once.",
    ),
}
"""Notes in the order in which they are shown; every field of Settings has one."""
