# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig verify FILE...`"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from rig.cli.streams import say
from rig.errors import InputError
from rig.printable import json_text
from rig.record.digest_check import hashing_s
from rig.record.signature import Signature, check_signature, sign, signature_path
from rig.record.verify import Examined, FilePart, Held, examine
from rig.record.vetting import PATIENCE_S, in_child, vet
from rig.session.settings_check import check_stored_settings

_NO_DIGEST_EXIT_CODE = 1
_DIFFERS_EXIT_CODE = 4
_WORDS = {
    Held.HOLDS: "every part is as it was stored",
    Held.DIFFERS: "changed after it was stored",
    Held.NOT_CLOSED: "not closed, no digest: still being written, or left by a crash",
    Held.NO_DIGEST: "of format version 1, without digests: nobody can tell whether it was changed",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words and options of the command."""
    parser.add_argument("files", metavar="FILE", type=Path, nargs="+")
    parser.add_argument(
        "--sign", metavar="KEY", type=Path, help="sign with this key of OpenSSH, into FILE.sig"
    )
    parser.add_argument(
        "--signers", metavar="FILE", type=Path,
        help="allowed signers, as ssh-keygen(1) has them: FILE.sig must be of one of them",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON document a file")


def command(options: argparse.Namespace) -> int:
    """Compare every part with its digest; 0 if all hold, and the signatures asked for are good."""
    codes = [_verified(file, options) for file in options.files]
    return max(codes)


def _verified(path: Path, options: argparse.Namespace) -> int:
    vet(path, checked=False)
    # What is hashed is more than what `vet` reads, so a child hashes it first, within its bounds.
    in_child(path, lambda: examine(path), PATIENCE_S + hashing_s(path))
    found = examine(path)
    contradiction = _contradiction(path) if found.held is Held.HOLDS else ""
    if options.sign is not None:
        if found.held is not Held.HOLDS or contradiction:
            why = contradiction or _WORDS[found.held]
            raise InputError(f"{path}: not signed: {why}")
        sign(path, found.digest, options.sign)
    signature = check_signature(path, found.digest, options.signers) if found.digest else None
    if options.signers is not None and signature is None:
        signature = Signature(is_good=False, text=f"there is no {signature_path(path).name}")
    show = _show_json if options.json else _show
    show(found, signature, contradiction)
    if found.held is Held.DIFFERS or contradiction or (signature and not signature.is_good):
        return _DIFFERS_EXIT_CODE
    return 0 if found.held is Held.HOLDS else _NO_DIGEST_EXIT_CODE


def _contradiction(path: Path) -> str:
    """Return how the settings differ from the texts that they follow from; "" if they do not."""
    try:
        check_stored_settings(path)
    except InputError as error:
        return str(error)
    return ""


def _show(found: Examined, signature: Signature | None, contradiction: str) -> None:
    say(f"{found.path}: {_WORDS[found.held]}")
    if found.digest:
        say(f"  sha256 {found.digest}  all raw data")
    for part in found.raw:
        say(f"    {_row(part)}")
    if found.figures:
        say("  figures")
    for part in found.figures:
        say(f"    {_row(part)}")
    if not found.figures_of_raw:
        say("  the figures were computed from other raw data; compute them again: rig analyze")
    if contradiction:
        say(f"  settings: {contradiction}")
    if signature is not None:
        say(f"  signature: {'good' if signature.is_good else 'NOT GOOD'}: {signature.text}")


def _row(part: FilePart) -> str:
    name = part.name
    if part.holds:
        return f"{part.found}  {name}"
    found = part.found or "is missing"
    return f"{found}  {name}: DIFFERS, stored was {part.stored or 'nothing'}"


def _show_json(found: Examined, signature: Signature | None, contradiction: str) -> None:
    def rows(parts: tuple[FilePart, ...]) -> list[dict[str, object]]:
        return [{**asdict(part), "holds": part.holds} for part in parts]

    document = {
        "file": str(found.path),
        "result": str(found.held),
        "sha256": found.digest,
        "raw": rows(found.raw),
        "figures": rows(found.figures),
        "figures_of_raw": found.figures_of_raw,
        "contradiction": contradiction,
        "signature": None if signature is None else asdict(signature),
    }
    sys.stdout.write(json_text(document, indent=2) + "\n")
