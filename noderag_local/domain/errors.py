"""The errors that a caller can act on.

    NoderagError
    ├── SettingsError        a setting is unknown or has a value that cannot be used
    ├── SourceError          a file or folder that was to be indexed cannot be read
    │   ├── DocumentError    one document in a readable file is broken; the others are fine
    │   ├── ReaderEnded      something ended the process that read a file; the file may be sound
    │   └── ReaderTooSlow    a file was not read in its time; the machine may have stood still
    ├── StoreError           the vault cannot be opened, read or written
    │   ├── VaultLocked      another process is writing to the vault
    │   ├── VaultMissing     nothing was indexed at this place yet
    │   ├── VaultTooOld      the vault must be brought up to date by a command that writes
    │   ├── VaultChanged     the vault was read without locks, and was written from elsewhere meanwhile
    │   ├── VaultSealed      the vault is encrypted, and its key was not given
    │   └── VaultDamaged     the file is no vault, or SQLite finds it damaged
    │       └── VaultReplaced    a file of an encrypted vault was put in the place of the one that was written last
    ├── QuotesForgotten      an answer quotes what was forgotten while it was made
    ├── ModelError           a model file or its engine
    │   ├── ModelMissing     no such model is installed
    │   ├── ModelDamaged     cut short, wrong hash, or no GGUF at all
    │   └── DownloadError    every source of a model failed
    ├── NotFound             no document, entity or source has this name
    ├── LayerMissing         a retrieval method needs a layer that the vault does not have
    ├── ClusterError         a Ray that was to do the work is missing, cannot be reached or was lost
    └── OfflineViolation     something tried to open a connection outside this machine

Every message says what happened, to which file or setting, and what to do next. `exit_code` is what the
`noderag` command returns for it; 2 is kept for wrong usage of the command line.
"""

from __future__ import annotations


class NoderagError(Exception):
    """Root of the tree; catching it catches every error that a user can fix."""

    exit_code = 1


class SettingsError(NoderagError):
    """A setting is unknown or has a value that cannot be used."""

    exit_code = 2


class SourceError(NoderagError):
    """A file or folder that was to be indexed cannot be read."""

    exit_code = 3


class DocumentError(SourceError):
    """One document in a readable file is broken; the others are fine."""


class ReaderEnded(SourceError):
    """Something ended the process that read a file; the file may be sound."""


class ReaderTooSlow(SourceError):
    """A file was not read in its time; the machine may have stood still."""


class StoreError(NoderagError):
    """The vault cannot be opened, read or written."""

    exit_code = 4


class VaultLocked(StoreError):
    """Another process is writing to the vault."""

    exit_code = 5


class VaultMissing(StoreError):
    """Nothing was indexed at this place yet."""


class VaultTooOld(StoreError):
    """The vault was made by a very old version, and must be brought up to date by a command that writes before it can be read."""


class VaultChanged(StoreError):
    """The vault was changed from elsewhere while it was read: in a read-only folder, where there are no locks, or by forgetting."""


class VaultSealed(StoreError):
    """The vault is encrypted, and its key was not given."""


class VaultDamaged(StoreError):
    """The file is not a vault, or SQLite finds it damaged."""


class VaultReplaced(VaultDamaged):
    """A file of an encrypted vault was replaced by another or an older one."""


class QuotesForgotten(NoderagError):
    """An answer quotes what was forgotten while it was made; it is not stored."""


class ModelError(NoderagError):
    """A model file or its engine failed."""

    exit_code = 6


class ModelMissing(ModelError):
    """No such model is installed."""


class ModelDamaged(ModelError):
    """A model file is cut short, has the wrong hash, or is no GGUF file."""


class DownloadError(ModelError):
    """Every source of a model failed."""


class NotFound(NoderagError):
    """No document, entity or source has this name."""

    exit_code = 7


class LayerMissing(NoderagError):
    """A retrieval method needs a layer that the vault does not have."""

    exit_code = 8


class OfflineViolation(NoderagError):
    """Something tried to open a connection outside this machine."""

    exit_code = 9


class ClusterError(NoderagError):
    """A Ray that was to do the work is not installed, cannot be reached or was lost."""

    exit_code = 10
