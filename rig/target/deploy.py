# SPDX-License-Identifier: GPL-3.0-or-later
"""The deployment of the agent and the kernel module onto a target over ssh.

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

from rig import __version__
from rig.errors import BenchError, InputError
from rig.resources import copy_agent_sources
from rig.target.findings import plain
from rig.target.ssh import Output, SshHost, remote_path, run

BUILD_TIMEOUT_S = 600.0
COMPILER_PATTERN = r"[A-Za-z0-9_./+][A-Za-z0-9_.,:/+@=-]*( [A-Za-z0-9_.,:/+@=-]+)*"
COMPILER_VALID = 'a compiler and its options, such as "aarch64-linux-gnu-gcc" or "gcc -m32"'
PROGRAM_MODE = "755"
FILE_MODE = "644"
_SHOWN_MAX = 300

_ELF_MACHINES = {
    62: ("x86_64",),
    3: ("i386", "i486", "i586", "i686", "x86_64"),
    183: ("aarch64",),
    40: ("armv6l", "armv7l", "armv8l"),
    243: ("riscv64",),
}
"""The e_machine of the ELF specification, and what `uname -m` prints where such programs run."""
_ELF_MACHINE_AT = 18

# Scripts are constants; what differs comes as positional parameters. No apostrophe, exclamation
# mark, backslash or line feed is in them: they pass through any login shell's quoting.
_CLEAN = (
    # Whatever ends it: files of its own go, and so do folders that it made and that are empty. What
    # the trap runs is a function, so that no value is expanded when the trap is set.
    "set -e; umask 077; work=; new=; made=; top=; "
    'clean() { set +e; cd /; if [ -n "$new" ]; then rm -f -- "$new"; fi; '
    'if [ -n "$work" ]; then rm -rf -- "$work"; fi; '
    'until [ -z "$made" ] || [ "$made" = "$top" ]; do case $made in */.|*/..) ;; '
    '*) if [ -e "$made" ]; then rmdir -- "$made" || break; fi;; esac; made=${made%/*}; done; }; '
    'trap clean EXIT; trap "exit 1" HUP INT TERM PIPE; '
)
_PLACE = (
    # `folders PATH` makes them one by one: `mkdir -p` makes deeper ones than can be removed again.
    'folders() { if [ -n "$1" ] && [ -d "$1" ]; then top=$1; elif [ -n "$1" ]; then '
    'folders "${1%/*}"; if [ -d "$1" ]; then :; else mkdir -- "$1"; made=$1; fi; fi; }; '
    # `place PATH` makes the folders of an absolute PATH and a new file beside it. The name of a
    # folder may end in a line feed, which $(dirname) would lose.
    'place() { if [ -d "$1" ]; then echo "it is a folder" >&2; exit 1; fi; '
    'folder=${1%/*}; folders "$folder"; new=$(mktemp "$folder/.rig-put.XXXXXX"); }; '
    # `finish MODE PATH` puts that file there in one step.
    'finish() { chmod "$1" "$new"; mv -f -- "$new" "$2"; new=; made=; }; '
)
_ABSOLUTE = "case $to in /*) ;; *) to=$PWD/$to;; esac; "
_PUT = (
    f"{_CLEAN}{_PLACE}to=$1; {_ABSOLUTE}"
    'place "$to"; cat >"$new"; '
    'if [ "$(wc -c <"$new")" -ne "$2" ]; then echo "came incomplete" >&2; exit 1; fi; '
    'finish "$3" "$to"'
)
_BUILD = (
    f"{_CLEAN}{_PLACE}built=$1; to=$2; mode=$3; start=$4; shift 4; {_ABSOLUTE}"
    'work=$(mktemp -d); cd "$work"; tar -xf -; cd "$start"; make "$@" >&2; '
    'place "$to"; cat <"$built" >"$new"; finish "$mode" "$to"'
)


def put(host: SshHost, data: bytes, path: str, mode: str = PROGRAM_MODE) -> None:
    """Write a file over there, whole or not at all. Raises BenchError."""
    answer = run(host, put_words(path, len(data), mode), data)
    _must(host, answer, f"{plain(path)} cannot be written")


def put_words(path: str, size: int, mode: str) -> list[str]:
    """Return the command over there that makes this file of `size` bytes of its input."""
    return ["sh", "-c", _PUT, "put", remote_path(path), str(size), mode]


def check_machine(program: bytes, machine: str, name: str) -> None:
    """Check that a processor of this name runs a program. Raises InputError if it does not."""
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
    """Return Debian's cross-compiler for a processor of this name."""
    if machine.startswith("arm"):
        return "arm-linux-gnueabihf-gcc"
    return f"{machine}-linux-gnu-gcc"


def cross_compile(compiler: str) -> bytes:
    """Compile the static agent here with this compiler. Raises InputError with its first complaint.

    Recipes of a makefile are a shell's texts: the compiler's words are plain ones, and `make` works
    in a copy of the sources, so that no path of this system is in them.
    """
    if not re.fullmatch(COMPILER_PATTERN, compiler):
        raise InputError(f"--cc {compiler!a} is not allowed; valid: {COMPILER_VALID}")
    with tempfile.TemporaryDirectory(prefix="rig-agent-") as folder:
        agent = copy_agent_sources(Path(folder))
        words = ["make", f"CC={compiler}", f"VERSION={__version__}"]
        try:
            made = subprocess.run(
                words, cwd=agent, capture_output=True, text=True, timeout=BUILD_TIMEOUT_S
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise InputError(f"make cannot be run for the agent: {error}") from None
        if made.returncode:
            raise InputError(f"{compiler} did not make the agent: {_complaint(made.stderr)}")
        try:
            return (agent / "build/rig-agent").read_bytes()
        except OSError as error:
            raise InputError(f"{compiler} left no agent ({error.strerror})") from None


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
    words = ["sh", "-c", _BUILD, "build", built, remote_path(to), mode, folder, *arguments]
    answer = run(host, words, archive(sources), timeout_s=BUILD_TIMEOUT_S)
    _must(host, answer, f"{plain(PurePosixPath(to).name)} cannot be built there")


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
    """Return the first complaint of a compiler or shell."""
    parts = [part.strip() for part in text.splitlines() if part.strip()]
    wrong = [part for part in parts if re.search(r"\berror|[Nn]o such|not found|\*\*\*", part)]
    first = (wrong or parts or ["it said nothing"])[0]
    if len(first) > _SHOWN_MAX:  # names of files are in its middle, what is wrong at an end
        first = f"{first[: _SHOWN_MAX // 3]}...{first[-_SHOWN_MAX // 2 :]}"
    return plain(first, _SHOWN_MAX)
