# SPDX-License-Identifier: GPL-3.0-or-later
"""Signatures of run files, made and checked by OpenSSH's `ssh-keygen -Y` (SSHSIG, PROTOCOL.sshsig).

What is signed is a text of two lines with the digest of the raw data. The signature lies beside the
run file, so the run file stays as it was written. Figures are not signed: whoever has the raw data
can compute them again.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from rig.errors import InputError
from rig.files import create_new_binary

NAMESPACE = "run-file@latency-rig"
"""The namespace that keeps a signature of a run file from being taken for one of anything else."""
SUFFIX = ".sig"
_BYTES_MAX = 1 << 16
_CHECK_S = 30.0
_SIGN_S = 300.0
"""The time to sign; a key may ask for a passphrase, or for a touch."""
_WORDS_MAX = 300
_Done = subprocess.CompletedProcess[bytes]


@dataclass(frozen=True)
class Signature:
    """The result of the check of a signature against a digest."""

    is_good: bool
    text: str
    """The name of who signed, or what is wrong."""


def signature_path(path: Path) -> Path:
    """Return the path of a run file's signature."""
    return path.with_name(path.name + SUFFIX)


def signed_text(digest: str) -> bytes:
    """Return the text that is signed; `digest` is that of all raw data, in hexadecimal."""
    return f"latency-rig run file\nsha256 {digest}\n".encode()


def sign(path: Path, digest: str, key: Path) -> Path:
    """Sign a run file's digest with a private key, or a public one whose agent has the other half.

    Returns the signature's file. Raises InputError if there is one already, or the key cannot sign.
    """
    out = signature_path(path)
    if out.exists():
        raise InputError(f"{out}: exists already and is not overwritten; move it away first")
    if not key.is_file():
        raise InputError(f"{key}: no such key; make one with `ssh-keygen -t ed25519 -f FILE`")
    words = ["-Y", "sign", "-n", NAMESPACE, "-f", str(key.absolute())]
    done = _ssh_keygen(words, signed_text(digest), _SIGN_S)
    if done.returncode or not done.stdout.startswith(b"-----BEGIN SSH SIGNATURE-----"):
        raise InputError(f"{key}: not signed: {_said(done)}; give a private key of OpenSSH")
    with create_new_binary(out, "signature") as file:
        file.write(done.stdout)
    return out


def check_signature(path: Path, digest: str, signers: Path | None) -> Signature | None:
    """Return whether the signature beside a run file is of this digest; None if there is none.

    `signers`: a file of allowed signers (ssh-keygen(1), ALLOWED SIGNERS); None: any key will do.
    Raises InputError if it cannot be checked.
    """
    file = signature_path(path)
    if not file.is_file():
        return None
    if file.stat().st_size > _BYTES_MAX:
        return Signature(is_good=False, text=f"{file.name} is no signature, it is too large")
    text, common = signed_text(digest), ["-n", NAMESPACE, "-s", str(file.absolute())]
    if signers is None:
        done = _ssh_keygen(["-Y", "check-novalidate", *common], text, _CHECK_S)
        found = _said(done)
        if done.returncode:
            return Signature(is_good=False, text=found)
        return Signature(is_good=True, text=f"{found}; whose key that is --signers would tell")
    if not signers.is_file():
        raise InputError(f"{signers}: no such file; give allowed signers as ssh-keygen(1) has them")
    allowed = ["-f", str(signers.absolute())]
    who = _ssh_keygen(["-Y", "find-principals", "-s", common[3], *allowed], b"", _CHECK_S)
    names = who.stdout.decode(errors="replace").splitlines()
    if who.returncode or not names:
        return Signature(is_good=False, text=f"its key is not in {signers.name}: {_said(who)}")
    words = ["-Y", "verify", "-I", names[0], *common, *allowed]
    done = _ssh_keygen(words, text, _CHECK_S)
    return Signature(is_good=done.returncode == 0, text=_said(done))


def _ssh_keygen(words: list[str], text: bytes, patience_s: float) -> _Done:
    program = shutil.which("ssh-keygen")
    if program is None:
        raise InputError("ssh-keygen is not installed; install OpenSSH's client (openssh-client)")
    try:
        return subprocess.run(
            [program, *words], input=text, capture_output=True, check=False, timeout=patience_s
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"ssh-keygen has not answered within {patience_s:g} s") from None
    except (OSError, ValueError) as error:  # a zero byte in a name
        raise InputError(f"ssh-keygen cannot be started ({error})") from None


def _said(done: _Done) -> str:
    """Return the program's output as one line."""
    text = (done.stdout + b" " + done.stderr).decode(errors="replace")
    line = " ".join(text.split())[:_WORDS_MAX]
    return "".join(c if c.isprintable() else "\ufffd" for c in line) or f"exit {done.returncode}"
