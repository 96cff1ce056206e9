# SPDX-License-Identifier: GPL-3.0-or-later
"""The `rig` command: words in, one of the commands, an exit code out."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from types import TracebackType

from rig import __version__
from rig.cli.commands import COMMANDS, CommandParser
from rig.cli.options import EXIT_CODES
from rig.cli.streams import (
    LOST_EXIT_CODE,
    fill_standard_descriptors,
    guarded_streams,
    say,
)
from rig.errors import BenchError, InputError, RigError

INTERRUPTED = 130
_WRONG_FILE = (
    errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EPERM, errno.ELOOP,
    errno.ENAMETOOLONG, errno.EINVAL, errno.EROFS,
)  # fmt: skip
"""The system's errors for a file that was named wrongly; all else is trouble of the machine."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    try:
        fill_standard_descriptors()
        sys.unraisablehook, sys.excepthook = _tell_unraisable, _pass_over_unraisable
        with guarded_streams() as (out, errors):
            code = _ended(words)
            out.flush()
            if out.lost:
                say(f"rig: {out.lost}; give it room, or a reader that reads to the end", error=True)
            errors.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    return code or (LOST_EXIT_CODE if out.lost or errors.lost else 0)


def _tell_unraisable(what: sys.UnraisableHookArgs) -> None:
    """A line in place of the traceback of what goes wrong while an object is given up.

    HDF5 closes parts of a damaged file so; what could be read of it has been read by then.
    """
    say(f"rig: note: closing a file: {what.exc_value or what.exc_type.__name__}", error=True)


def _pass_over_unraisable(
    kind: type[BaseException], error: BaseException, where: TracebackType | None
) -> None:
    """Show a traceback as Python does, but none of compiled code that is about to tell it again."""
    last = where
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None or not last.tb_frame.f_code.co_filename.endswith(".pyx"):
        sys.__excepthook__(kind, error, where)


def _ended(words: Sequence[str] | None) -> int:
    """The command's exit code; every error is one line."""
    try:
        options = _parser().parse_args(words)
        code: int = options.command(options)
    except RigError as error:
        say(f"rig: {error}", error=True)
        return error.exit_code
    except SystemExit as end:  # of the parser: help, or words that it does not know
        return end.code if isinstance(end.code, int) else 2
    except (KeyboardInterrupt, SystemError) as error:
        if not _is_interrupt(error):
            raise
        say("rig: interrupted", error=True)
        return INTERRUPTED
    except MemoryError:
        say(
            "rig: not enough memory for this; give a smaller file, or the process more memory",
            error=True,
        )
        return BenchError.exit_code
    except OSError as error:
        say(
            f"rig: {_place(error)}{error.strerror or error}; see that it is there, has room and "
            "may be read or written",
            error=True,
        )
        return InputError.exit_code if error.errno in _WRONG_FILE else BenchError.exit_code
    return code


def _is_interrupt(error: BaseException | None) -> bool:
    """Tell Ctrl-C, also one that came within HDF5's callbacks: h5py makes a SystemError of it."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _place(error: OSError) -> str:
    """The file that the system's error is about, if it is about one."""
    name = error.filename
    return "" if name is None else f"{os.fsdecode(name) if isinstance(name, bytes) else name}: "


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rig",
        description="Measures interrupt latency of real-time systems from outside.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"latency-rig {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=CommandParser)
    for each in COMMANDS:
        former = [each.former_name] if each.former_name else []
        commands.add_parser(
            each.name, aliases=former, help=each.help, description=each.help, module=each.module
        )
    return parser


if __name__ == "__main__":
    sys.exit(main())
