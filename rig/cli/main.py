# SPDX-License-Identifier: GPL-3.0-or-later
"""The `rig` command: words in, one of the commands, an exit code out."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from rig import __version__
from rig.cli.streams import (
    LOST_EXIT_CODE,
    fill_standard_descriptors,
    guarded_streams,
    say,
)
from rig.config.plan_agent import TIMERS
from rig.errors import BenchError, InputError, RigError

EXIT_CODES = """\
exit codes:
  0  passed
  1  a limit of the plan exceeded, or the run did not get to its end
  2  bad input: nothing was started, nothing written
  3  the bench failed
  4  witnesses disagree, or data lost
  5  done, but standard output or standard error could not take all of what was said
  130  interrupted by Ctrl-C
"""
INTERRUPTED = 130
_WRONG_FILE = (
    errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EPERM, errno.ELOOP,
    errno.ENAMETOOLONG, errno.EINVAL, errno.EROFS,
)  # fmt: skip
"""What the system says of a file that was named wrongly; all else is trouble of the machine."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    try:
        fill_standard_descriptors()
        with guarded_streams() as (out, errors):
            code = _ended(words)
            out.flush()
            if out.lost:
                say(f"rig: {out.lost}; give it room, or a reader that reads to the end", error=True)
            errors.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    return code or (LOST_EXIT_CODE if out.lost or errors.lost else 0)


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
    except KeyboardInterrupt:
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
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_run(commands)
    _add_show(commands)
    _add_analyze(commands)
    _add_export(commands)
    _add_recover(commands)
    _add_verify(commands)
    _add_length(commands)
    _add_report(commands)
    _add_compare(commands)
    _add_table(commands)
    _add_calibration(commands)
    _add_target(commands)
    _add_boards(commands)
    _add_calibrate(commands)
    _add_gui(commands)
    for name, text in (
        ("plans", "list the built-in plans"),
        ("fixtures", "list the built-in fixtures"),
        (
            "doctor",
            "check libsigrok, firmware, serial ports; say what is missing and how to mend it",
        ),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(command=_later(name))
    return parser


def _add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    run = commands.add_parser(
        "run",
        help="measure, and write a run file",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run.add_argument(
        "plan", metavar="PLAN", help="a built-in plan or campaign (`rig plans`), or a TOML file"
    )
    run.add_argument(
        "--fixture",
        metavar="FIXTURE",
        required=True,
        help="a built-in fixture (`rig fixtures`), a TOML file, or replay:RUN.h5",
    )
    run.add_argument(
        "-o", "--out", metavar="FILE", type=Path,
        help="run file (default: runs/PLAN-TIME.h5); of a campaign its folder, which may hold the "
        "first part of it (default: runs/CAMPAIGN-FIXTURE)",
    )  # fmt: skip
    run.add_argument(
        "--dry-run", action="store_true", help="of a campaign: show what would be measured, no more"
    )
    run.add_argument(
        "--count", metavar="N", type=int, help="stimuli or periods, instead of the plan's"
    )
    run.add_argument("--seed", metavar="N", type=int, help="seed of the train, not the plan's")
    run.add_argument("--period", metavar="TIME", help="period of a plan of periods, as '500 us'")
    run.add_argument("--timer", choices=TIMERS, help="what wakes the task of a plan of periods")
    run.add_argument("--junit", metavar="OUT.xml", type=Path, help="verdict as JUnit XML too")
    run.add_argument(
        "--calibration",
        metavar="FILE|none",
        help="of the bench (default: the fixture's own, `rig calibration show` tells where)",
    )
    _add_output(run)
    run.add_argument("--quiet", action="store_true", help="no progress, only the result")
    run.set_defaults(command=_later("run"))


def _add_show(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    show = commands.add_parser("show", help="show a run file, also one that a crash left behind")
    show.add_argument("file", metavar="FILE", type=Path)
    _add_output(show)
    show.set_defaults(command=_later("show"))


def _add_analyze(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    analyze = commands.add_parser(
        "analyze",
        help="compute everything again from a run file's raw data and store it there; "
        "or analyze a capture made by hand (.sr, .vcd)",
    )
    analyze.add_argument("file", metavar="FILE", type=Path)
    analyze.add_argument(
        "--calibration", metavar="FILE|none", help="instead of the one that the run was made with"
    )
    capture = analyze.add_argument_group("for a capture made by hand")
    capture.add_argument("--stimulus", metavar="CHANNEL", help="channel by name, or D0, D1, ...")
    capture.add_argument("--response", metavar="CHANNEL")
    capture.add_argument(
        "--sequence", metavar="CHANNEL,...", help="sequence bits, least significant first"
    )
    capture.add_argument(
        "--edge", choices=("rising", "falling"), help="stimulus edge that counts (rising)"
    )
    capture.add_argument(
        "--answer",
        choices=("rising", "falling", "both"),
        help="response edges that are answers (both: a pin that toggles)",
    )
    capture.add_argument(
        "--glitch-filter", metavar="TIME", help='shorter pulses are set aside, such as "200 ns"'
    )
    capture.add_argument(
        "--sample-rate", metavar="RATE", help="that the capture was made with, if not in the file"
    )
    capture.add_argument("--out", metavar="RUN.h5", type=Path, help="keep it as a run file")
    _add_output(analyze)
    analyze.set_defaults(command=_later("analyze"))


def _add_export(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    export = commands.add_parser(
        "export", help="write a run's capture as .sr, for PulseView, or its events as .csv"
    )
    export.add_argument("file", metavar="FILE", type=Path)
    export.add_argument("out", metavar="OUT", type=Path, help="a name ending in .sr, .vcd or .csv")
    export.add_argument("--event", metavar="N", type=int, help="only around event N, from 0")
    export.add_argument(
        "--margin", metavar="TIME", help='shown before and after it, as "1 ms" (default: 200 us)'
    )
    export.set_defaults(command=_later("export"))


def _add_recover(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "copy the raw data of a run file that a crash left into one that opens normally"
    recover = commands.add_parser("recover", help=text, description=text)
    recover.add_argument("file", metavar="FILE", type=Path)
    recover.add_argument(
        "out", metavar="OUT", type=Path, nargs="?", help="new file (default: FILE-recovered.h5)"
    )
    recover.set_defaults(command=_later("recover"))


def _add_verify(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "compare every part of run files with the digests stored in them; sign them"
    verify = commands.add_parser("verify", help=text, description=text)
    verify.add_argument("files", metavar="FILE", type=Path, nargs="+")
    verify.add_argument(
        "--sign", metavar="KEY", type=Path, help="sign with this key of OpenSSH, into FILE.sig"
    )
    verify.add_argument(
        "--signers", metavar="FILE", type=Path,
        help="allowed signers, as ssh-keygen(1) has them: FILE.sig must be of one of them",
    )  # fmt: skip
    verify.add_argument("--json", action="store_true", help="one JSON document a file")
    verify.set_defaults(command=_later("verify"))


def _add_length(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "say how long to run so that no answer above a limit means that such answers are rare"
    length = commands.add_parser("length", help=text, description=text)
    length.add_argument("--limit", metavar="TIME", required=True, help='such as "100 us"')
    length.add_argument(
        "--probability", metavar="P", required=True, help="of an answer above it, such as 1e-6"
    )
    length.add_argument("--confidence", metavar="C", default="0.95", help="(0.95)")
    length.add_argument(
        "--rate", metavar="RATE", required=True, help='stimuli per second, such as "1 kHz"'
    )
    _add_output(length)
    length.set_defaults(command=_later("length"))


def _add_report(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "write one page for the browser, or for a PDF, of one or more run files"
    report = commands.add_parser("report", help=text, description=text)
    report.add_argument("files", metavar="FILE", type=Path, nargs="+")
    report.add_argument(
        "-o", "--out", dest="output", metavar="OUT.html", type=Path,
        help="(default: the first FILE's name with .html)",
    )  # fmt: skip
    report.add_argument("--junit", metavar="OUT.xml", type=Path, help="verdicts as JUnit XML too")
    report.set_defaults(command=_later("report"))


def _add_compare(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "show runs of the same measurement side by side, with differences from the first"
    compare = commands.add_parser("compare", help=text, description=text)
    compare.add_argument("files", metavar="FILE", type=Path, nargs="+")
    compare.add_argument(
        "-o", "--out", dest="output", metavar="OUT.html", type=Path, help="write a page as well"
    )
    _add_output(compare)
    compare.set_defaults(command=_later("compare"))


def _add_table(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "tables of campaigns and other folders of run files, beside published figures"
    table = commands.add_parser("table", help=text, description=text)
    table.add_argument("places", metavar="FOLDER", type=Path, nargs="+", help="or run files")
    table.add_argument(
        "--reference", choices=("radder", "slides", "thesis"), help="published figures beside ours"
    )
    table.add_argument(
        "--shape", choices=("scenarios", "comparison", "slides", "thesis", "golem"),
        help="(default: as --reference has it, else by scenario, with a comparison of systems)",
    )  # fmt: skip
    table.add_argument(
        "--format", choices=("terminal", "html", "csv", "latex", "markdown"), default="terminal"
    )
    table.add_argument(
        "--history", action="store_true",
        help="instead: a page with all runs of one measurement in one picture, oldest in front",
    )  # fmt: skip
    table.add_argument("-o", "--out", dest="output", metavar="FILE", type=Path)
    table.set_defaults(command=_later("table"))


def _add_calibration(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    calibration = commands.add_parser("calibration", help="what was found of a bench itself")
    actions = calibration.add_subparsers(required=True, metavar="ACTION", dest="action")
    text = "show what was found of a bench, and whether it still holds; 1 if not all of it does"
    show = actions.add_parser("show", help=text, description=text)
    show.add_argument("file", metavar="FILE", type=Path, nargs="?", help="a calibration file")
    show.add_argument("--fixture", metavar="FIXTURE", help="the one of this fixture")
    show.add_argument("--all", action="store_true", help="older records too")
    _add_output(show)
    show.set_defaults(command=_later("calibration"))


def _add_target(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    target = commands.add_parser("target", help="probe a target, put the agent there, fetch a log")
    actions = target.add_subparsers(required=True, metavar="ACTION", dest="action")
    probe = actions.add_parser(
        "probe", help="what a target has, what is missing, how to mend it; 3 if it cannot measure"
    )
    deploy = actions.add_parser("deploy", help="put the agent on a target, over ssh")
    log = actions.add_parser("log", help="stop a target's agent and write its log as CSV")
    for action in (probe, deploy, log):
        _add_target_place(action)
    deploy.add_argument("--to", metavar="PATH", help="there (default: ~/.local/bin/rig-agent)")
    deploy.add_argument("--cc", metavar="CC", help="cross-compile here, as aarch64-linux-gnu-gcc")
    deploy.add_argument("--build-there", action="store_true", help="compile on the target")
    deploy.add_argument(
        "--module", action="store_true", help="build the kernel module there too, do not load it"
    )
    log.add_argument("--out", metavar="FILE.csv", type=Path, required=True)
    log.add_argument(
        "--arm", metavar="WORDS", help='measure first: "measurement=period period_ns=1000000"'
    )
    log.add_argument("--capacity", metavar="N", type=int, default=1_000_000, help="records")
    log.add_argument("--wait", metavar="TIME", default="10 s", help="how long it measures (10 s)")


def _add_target_place(action: argparse.ArgumentParser) -> None:
    action.add_argument(
        "target",
        metavar="TARGET",
        nargs="?",
        help="ssh:[USER@]HOST, tcp:HOST:PORT or serial:DEVICE[:BAUD]",
    )
    action.add_argument("--fixture", metavar="FIXTURE", help="the target of this fixture")
    ssh = action.add_argument_group("over ssh")
    ssh.add_argument("--ssh-config", metavar="FILE", help="instead of ~/.ssh/config")
    ssh.add_argument("--agent", metavar="PATH", help="there (default: ~/.local/bin/rig-agent)")
    ssh.add_argument(
        "--agent-arguments", metavar="WORDS", help='of rig-agent (default: "--port ppdev")'
    )
    action.set_defaults(command=_later("target"))


def _add_calibrate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "check and measure the bench itself: the wires, the instruments"
    calibrate = commands.add_parser("calibrate", help=text, description=text)
    calibrate.add_argument(
        "steps", metavar="STEP", nargs="*", help="steps by name (--list), or all (the default)"
    )
    calibrate.add_argument(
        "--list", action="store_true", help="the steps, what each does and needs"
    )
    calibrate.add_argument(
        "--fixture", metavar="FIXTURE", help="a built-in fixture (`rig fixtures`) or a TOML file"
    )
    calibrate.add_argument(
        "-o", "--out", dest="output", metavar="FILE", type=Path,
        help="calibration file, to which the records are added",
    )  # fmt: skip
    calibrate.add_argument(
        "--keep", action="store_true",
        help="add the records to the fixture's own calibration, which its runs use",
    )  # fmt: skip
    calibrate.add_argument(
        "--write-fixture", metavar="FILE", type=Path,
        help="after the wiring check: the fixture with the wires as found, as a new file",
    )  # fmt: skip
    calibrate.add_argument(
        "--svg", metavar="FILE", type=Path,
        help="after the wiring check: the wires on --board as a picture, with what was found",
    )  # fmt: skip
    calibrate.add_argument("--board", metavar="BOARD", help="of the target (`rig boards`)")
    _add_calibrate_measuring(calibrate)
    _add_calibrate_new(calibrate)
    calibrate.add_argument("--quiet", action="store_true", help="no progress, only the result")
    calibrate.set_defaults(command=_calibrate)


def _calibrate(options: argparse.Namespace) -> int:
    name = "calibrate" if options.new is None else "calibrate_new"
    return _later(name)(options)


def _add_calibrate_new(calibrate: argparse.ArgumentParser) -> None:
    new = calibrate.add_argument_group("a new bench, question by question")
    new.add_argument(
        "--new", metavar="NAME", nargs="?", const="",
        help="from choosing the board to a calibrated fixture; goes on where it was left",
    )  # fmt: skip
    new.add_argument("--state", metavar="FILE", type=Path, help="keeps how far it has come")
    new.add_argument(
        "--answers", metavar="FILE.toml", type=Path, help="answers by name, nothing is asked"
    )


def _add_calibrate_measuring(calibrate: argparse.ArgumentParser) -> None:
    calibrate.add_argument(
        "--seconds", metavar="N", type=int, default=60,
        help="how long clocks are watched (default: 60)",
    )  # fmt: skip
    calibrate.add_argument(
        "--frequency-counter", metavar="READING",
        help='time base: of the microcontroller\'s clock, such as "16000123.4 Hz +- 0.2 Hz"',
    )  # fmt: skip
    calibrate.add_argument(
        "--pps", metavar="CHANNEL", help="time base: a GPS receiver's pulse a second, such as D7"
    )
    calibrate.add_argument(
        "--far", metavar="CHANNEL", help="line delay: clipped to the target's end of the wire"
    )
    calibrate.add_argument(
        "--signal", metavar="SIGNAL", default="response",
        help="line delay: whose wire that is (default: response)",
    )  # fmt: skip


def _add_gui(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "open the window: choose, press Run, see what comes"
    gui = commands.add_parser("gui", help=text, description=text)
    gui.add_argument(
        "--folder",
        metavar="DIR",
        type=Path,
        help="of run files (default: ./runs if there is one, else that of last time)",
    )
    gui.set_defaults(command=_later("gui"))


def _add_boards(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "list the boards that are described; show one, draw its wiring, write a fixture for it"
    boards = commands.add_parser("boards", help=text, description=text)
    boards.add_argument("name", metavar="NAME", nargs="?", help="a board, or a TOML file")
    boards.add_argument(
        "--stimulus", metavar="NAME", default="arduino-uno", help="(arduino-uno) or arduino-nano"
    )
    boards.add_argument(
        "--lines",
        metavar="SIGNAL=N,...",
        help="GPIO lines other than the described ones, as stimulus=17,response=27",
    )
    boards.add_argument("--svg", metavar="FILE", type=Path, help="draw the wiring into a new file")
    boards.add_argument(
        "--fixture", metavar="FILE.toml", type=Path, help="write a new fixture with these wires"
    )
    boards.set_defaults(command=_later("boards"))


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json", action="store_true", help="one JSON document on standard output, nothing else"
    )


def _later(name: str) -> Callable[[argparse.Namespace], int]:
    """The command's function, imported when it is called: `rig --help` needs no numpy."""

    def call(options: argparse.Namespace) -> int:
        command: int = import_module(f"rig.cli.{name}").command(options)
        return command

    return call


if __name__ == "__main__":
    sys.exit(main())
