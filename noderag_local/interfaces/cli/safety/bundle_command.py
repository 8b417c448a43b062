"""`noderag bundle`: packs an installation for a machine without a network."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from noderag_local.interfaces.cli.disk_notes import tell_of_plain_copy
from noderag_local.interfaces.cli.options import AsJson, Force, VaultDir, opened_vault
from noderag_local.interfaces.cli.safety.passphrase import PassphraseFile, passphrase
from noderag_local.system.paths import absolute

Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="New folder, for example on a USB stick.", show_default=False)
]
Wheels = Annotated[
    Path,
    typer.Option(
        "--wheels", metavar="DIR", show_default=False, help="Folder with the packages; scripts/bundle gathers them."
    ),
]
Models = Annotated[
    list[str],
    typer.Option(
        "--model", metavar="NAME", show_default=False, help="Model to take along; may be given several times."
    ),
]
WithVault = Annotated[bool, typer.Option("--with-vault", help="Take the vault along, without conversations.")]
Encrypt = Annotated[bool, typer.Option("--encrypt", help="Encrypt the vault with a passphrase.")]


def bundle(
    folder: Folder,
    wheels: Wheels,
    model: Models = [],  # noqa: B006 - typer makes a new one for each run
    with_vault: WithVault = False,
    encrypt: Encrypt = False,
    passphrase_file: PassphraseFile = None,
    force: Force = False,
    vault: VaultDir = None,
    as_json: AsJson = False,
) -> None:
    """Pack an installation that needs no network.

    The folder contains packages, models and, with --with-vault, the vault, with a hash of each file. On a machine of the same kind, sh install.sh installs it. Nothing is downloaded: scripts/bundle of the project gathers the packages and then runs this command.

    \b
    Example:
      scripts/bundle /media/stick/noderag --model qwen2.5-1.5b-instruct-q4_k_m --with-vault --encrypt
      noderag bundle /media/stick/noderag --wheels wheels
    """
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.interfaces.cli.printed import console, show
    from noderag_local.models.llm.gguf_files.installed import resolve_model
    from noderag_local.vault.export.bundle import VAULT, write_bundle

    if encrypt and not with_vault:
        raise typer.BadParameter("--encrypt requires --with-vault, since packages and models are public")
    with opened_vault(vault) as opened:
        found = [resolve_model(name, opened.settings.models_dir) for name in model]
        ask = passphrase(passphrase_file, new=True) if encrypt else None
        write = partial(opened.exchange.write_archive, passphrase=ask, force=force) if with_vault else None
        done = write_bundle(absolute(folder), wheels, found, write, force=force)
        if with_vault and not encrypt:
            tell_of_plain_copy(opened, folder / VAULT)
    if as_json:
        print_document(done)
        return
    out = console()
    carried = [f"{done.wheels} packages", *done.models, *["the vault"] * done.has_vault]
    show(out, f"{done.path}: {', '.join(carried)}; {done.size_bytes / 1e6:,.0f} MB")
    show(out, f"Seal: {done.seal}")
    show(out, "On the other machine: sh install.sh; compare the seal that it prints with this one.")
