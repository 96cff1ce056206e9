# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the agent and the kernel module onto a target over ssh.

Nothing is left half written: files go beside their place under another name, are counted, and take
their place in one step. Sources are built in a folder of their own that goes away again.
"""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from rig.errors import BenchError, InputError
from rig.target.ssh import Output, SshHost, remote_path, run

BUILD_TIMEOUT_S = 600.0
PROGRAM_MODE = "755"
FILE_MODE = "644"

_ELF_MACHINES = {
    62: ("x86_64",),
    3: ("i386", "i486", "i586", "i686", "x86_64"),
    183: ("aarch64",),
    40: ("armv6l", "armv7l", "armv8l"),
    243: ("riscv64",),
}
"""e_machine of the ELF specification, and what `uname -m` says where such programs run."""
_ELF_MACHINE_AT = 18

# One line, and no quote, bang or backslash in it: it passes through any login shell's quoting.
_PUT = (
    'set -e; umask 077; mkdir -p -- "$(dirname -- "$1")"; new=$(mktemp "$1.XXXXXX"); '
    'trap "rm -f -- $new" EXIT; cat >"$new"; '
    'if [ "$(wc -c <"$new")" -ne "$2" ]; then echo "came incomplete" >&2; exit 1; fi; '
    'chmod "$3" "$new"; mv -f -- "$new" "$1"; trap - EXIT'
)
_BUILD = (
    'set -e; folder=$(mktemp -d); trap "rm -rf -- $folder" EXIT; cd "$folder"; tar -xf -; '
    'built=$1; to=$2; mode=$3; start=$4; shift 4; cd "$start"; make "$@" >&2; '
    'mkdir -p -- "$(dirname -- "$HOME/$to")"; cp -- "$built" "$HOME/$to.new"; '
    'chmod "$mode" "$HOME/$to.new"; mv -f -- "$HOME/$to.new" "$HOME/$to"'
)


def put(host: SshHost, data: bytes, path: str, mode: str = PROGRAM_MODE) -> None:
    """Write a file over there, whole or not at all. Raises BenchError."""
    words = ["sh", "-c", _PUT, "put", remote_path(path), str(len(data)), mode]
    _must(host, run(host, words, data), f"{path} cannot be written")


def check_machine(program: bytes, machine: str, name: str) -> None:
    """Raises InputError for a program that a processor of this name does not run."""
    if program[:4] != b"\x7fELF" or len(program) < _ELF_MACHINE_AT + 2:
        raise InputError(f"{name}: no program for Linux (ELF); valid: rig-agent as it was built")
    order = "big" if program[5] == 2 else "little"
    code = int.from_bytes(program[_ELF_MACHINE_AT : _ELF_MACHINE_AT + 2], order)  # type: ignore[arg-type]
    runs_on = _ELF_MACHINES.get(code, ())
    if machine not in runs_on:
        made_for = runs_on[0] if runs_on else f"machine {code}"
        raise InputError(
            f"{name}: made for {made_for}, the target is {machine or 'unknown'}; cross-compile "
            f"with --cc {_compiler_for(machine)}, or build there with --build-there"
        )


def _compiler_for(machine: str) -> str:
    """Debian's cross-compiler."""
    if machine.startswith("arm"):
        return "arm-linux-gnueabihf-gcc"
    return f"{machine}-linux-gnu-gcc"


def cross_compile(folder: Path, compiler: str) -> bytes:
    """The agent, static, made here by this compiler. Raises InputError with its first complaint."""
    with tempfile.TemporaryDirectory(prefix="rig-agent-") as out:
        words = ["make", "-C", str(folder), f"CC={compiler}", f"BUILD={out}"]
        try:
            made = subprocess.run(words, capture_output=True, text=True, timeout=BUILD_TIMEOUT_S)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise InputError(f"make cannot be run for the agent: {error}") from None
        if made.returncode:
            raise InputError(f"{compiler} did not make the agent: {_complaint(made.stderr)}")
        return (Path(out) / "rig-agent").read_bytes()


def build_there(
    host: SshHost,
    sources: Iterable[tuple[Path, str]],
    folder: str,
    built: str,
    to: str,
    arguments: Sequence[str] = (),
    mode: str = PROGRAM_MODE,
) -> None:
    """Build from source on the target.

    Args:
        host: the target.
        sources: files and their names over there, relative.
        folder: where `make` is run, relative.
        built: what it makes, relative to `folder`.
        to: where that goes.
        arguments: of make.
        mode: of the file.

    Raises:
        BenchError: the build fails; with its first complaint.
    """
    if to.startswith("/"):
        script = _BUILD.replace('"$HOME/$to', '"$to')
    else:
        script, to = _BUILD, remote_path(to)
    words = ["sh", "-c", script, "build", built, to, mode, folder, *arguments]
    answer = run(host, words, archive(sources), timeout_s=BUILD_TIMEOUT_S)
    _must(host, answer, f"{PurePosixPath(to).name} cannot be built there")


def archive(files: Iterable[tuple[Path, str]]) -> bytes:
    """Files under other names as a tar archive, without owners."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path, name in files:
            entry = tarfile.TarInfo(name)
            data = path.read_bytes()
            entry.size, entry.mode = len(data), 0o644
            entry.mtime = int(path.stat().st_mtime)
            tar.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def _must(host: SshHost, answer: Output, problem: str) -> None:
    if answer.status:
        raise BenchError(f"target {host.name}: {problem}: {_complaint(answer.err)}")


def _complaint(text: str) -> str:
    """What a compiler or shell complains of first."""
    parts = [part.strip() for part in re.split(r"[\n;]", text) if part.strip()]
    wrong = [part for part in parts if re.search(r"\berror|[Nn]o such|not found|\*\*\*", part)]
    return (wrong or parts or ["it said nothing"])[0][:300]
