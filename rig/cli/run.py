# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig run PLAN --fixture FIXTURE`"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rig.campaign.discovery import find_campaign
from rig.campaign.index import RunState
from rig.cli.cancellation import interruptible
from rig.cli.options import EXIT_CODES, add_json, add_out
from rig.cli.progress import progress_for
from rig.cli.streams import say
from rig.config.plan import Plan, load_plan
from rig.config.plan_agent import TIMERS
from rig.errors import BenchError, RefusedError, input_error
from rig.printable import json_text
from rig.services.measure import (
    check_new_files,
    finish,
    measure,
    new_run_file,
    request_of,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words and options of the command."""
    parser.epilog = EXIT_CODES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "plan", metavar="PLAN", help="a built-in plan or campaign (`rig plans`), or a TOML file"
    )
    parser.add_argument(
        "--fixture",
        metavar="FIXTURE",
        required=True,
        help="a built-in fixture (`rig fixtures`), a TOML file, or replay:RUN.h5",
    )
    add_out(
        parser,
        "FILE",
        "run file (default: runs/PLAN-TIME.h5); of a campaign its folder, which may hold the "
        "first part of it (default: runs/CAMPAIGN-FIXTURE)",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="of a campaign: show what would be measured, no more"
    )
    parser.add_argument(
        "--repeat", metavar="N", type=int, help="make a campaign so often, a dated folder each time"
    )
    parser.add_argument(
        "--every", metavar="TIME", help="begin one each so often, as 12h (default: one by one)"
    )
    parser.add_argument(
        "--count", metavar="N", type=int, help="stimuli or periods, instead of the plan's"
    )
    parser.add_argument("--seed", metavar="N", type=int, help="seed of the train, not the plan's")
    parser.add_argument("--period", metavar="TIME", help="period of a plan of periods, as '500 us'")
    parser.add_argument("--timer", choices=TIMERS, help="what wakes the task of a plan of periods")
    parser.add_argument("--junit", metavar="OUT.xml", type=Path, help="verdict as JUnit XML too")
    parser.add_argument(
        "--calibration",
        metavar="FILE|none",
        help="of the bench (default: the fixture's own, `rig calibration show` tells where)",
    )
    add_json(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress, only the result")


def command(options: argparse.Namespace) -> int:
    """Measure; returns the exit code. Raises RigError if nothing could be begun."""
    campaign = find_campaign(options.plan)
    if campaign is not None:
        from rig.cli import campaign as many

        return many.command(options, campaign)
    _refuse_of_campaigns(options)
    plan = load_plan(options.plan).with_overrides(
        options.count, options.seed, options.period, options.timer
    )
    quiet = options.quiet or options.json
    asked = request_of(plan, options.fixture, options.calibration)
    path = options.out or new_run_file(Path("runs"), plan, "name a run file with --out")
    check_new_files(path)
    if options.junit is not None:
        from rig.report.junit import check_junit, write_junit  # takes long to load

        check_junit(options.junit)
    tell = _silent if quiet else _tell
    try:
        with interruptible() as stop, progress_for(quiet=quiet) as on_progress:
            failure = measure(asked, path, on_progress, stop, tell)
    except RefusedError as refusal:
        return _refused(options, plan, str(refusal))
    if failure is not None:
        say(f"rig: {failure}", error=True)
    measured = finish(path)
    result, windows, unwritten = measured.result, measured.windows, measured.unwritten
    from rig.cli.output import show_result  # loaded by now: its parts have evaluated the run

    show_result(result, as_json=options.json)
    if options.junit is not None:
        write_junit(options.junit, [result])
    if unwritten:
        say(f"rig: {unwritten}", error=True)
        return result.exit_code or BenchError.exit_code
    if not options.json:
        say(f"report:   {measured.page}")
    if windows is not None and not options.json:
        say(f"windows:  {windows}/ (waveforms of the maximum and of outliers, for PulseView)")
    return result.exit_code


def _refuse_of_campaigns(options: argparse.Namespace) -> None:
    """Check that no option is given that means nothing to a single plan."""
    for option in ("--dry-run", "--repeat", "--every"):
        if getattr(options, option.removeprefix("--").replace("-", "_")):
            raise input_error(option, None, "", f"{options.plan} is no campaign", "without it")


def _refused(options: argparse.Namespace, plan: Plan, reason: str) -> int:
    """Tell that the target refused the run, in all that a result is told in."""
    say(f"rig: REFUSED, nothing was measured and no file is left: {reason}", error=True)
    if options.json:
        sys.stdout.write(
            json_text({"verdict": str(RunState.REFUSED), "reasons": [reason]}, indent=2) + "\n"
        )
    if options.junit is not None:
        from rig.report.junit import write_refused

        write_refused(options.junit, plan.name, {"fixture": options.fixture}, reason)
    return RefusedError.exit_code


def _tell(text: str) -> None:
    """Print what takes long before anything is measured; a progress bar moves out of the way."""
    say(text, error=True, flush=True)


def _silent(_text: str) -> None:
    """Print nothing."""
