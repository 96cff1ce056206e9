# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `rig sample-size`, once called `rig length`."""

from __future__ import annotations

import argparse
import sys

from rig.analysis.statistics.exceedance import events_needed, unseen_probability
from rig.cli.options import add_json
from rig.cli.streams import say, say_lines
from rig.errors import InputError
from rig.printable import json_text
from rig.toml.units import RATE, TIME, UnitKind

_UNITS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words and options of the command."""
    parser.add_argument("--limit", metavar="TIME", required=True, help='such as "100 us"')
    parser.add_argument(
        "--probability", metavar="P", required=True, help="of an answer above it, such as 1e-6"
    )
    parser.add_argument("--confidence", metavar="C", default="0.95", help="(0.95)")
    parser.add_argument(
        "--rate", metavar="RATE", required=True, help='stimuli per second, such as "1 kHz"'
    )
    add_json(parser)


def command(options: argparse.Namespace) -> int:
    """Say how many events, and how long, bound the probability of what none of them shows."""
    limit_ps = _quantity("--limit", options.limit, TIME)
    rate_hz = _quantity("--rate", options.rate, RATE)
    probability = _share("--probability", options.probability, "1e-6")
    confidence = _share("--confidence", options.confidence, "0.95")
    try:
        count = events_needed(probability, confidence)
    except ValueError as error:
        raise InputError(f"--probability: {error}; ask for a larger one") from None
    if options.json:
        document = {
            "limit_ps": limit_ps,
            "probability": probability,
            "confidence": confidence,
            "rate_hz": rate_hz,
            "events": count,
            "duration_s": count / rate_hz,
            "bound": unseen_probability(count, confidence),
        }
        sys.stdout.write(json_text(document, indent=2) + "\n")
        return 0
    limit, percent = TIME.format(limit_ps), f"{confidence * 100:.10g} %"
    duration = in_words(-(-count // rate_hz))
    say(f"{count:,} events: {duration} at {RATE.format(rate_hz)}")
    say_lines(
        f"If none of them takes longer than {limit}, then with {percent} confidence an event does "
        f"so\nwith a probability below {probability:g}. If one does, that is not shown: a run "
        "tells its own figure."
    )
    say("Events must be independent and the target's load that of its use.")
    return 0


def in_words(seconds: int) -> str:
    """A duration, such as "49 min 56 s": the two largest units that it fills."""
    parts: list[str] = []
    for unit_s, name in _UNITS:
        whole, seconds = divmod(seconds, unit_s)
        if whole or (name == "s" and not parts):
            parts.append(f"{whole:,} {name}")
    return " ".join(parts[:2])


def _quantity(option: str, text: str, quantity: UnitKind) -> int:
    try:
        value = quantity.parse(text)
    except ValueError as error:
        raise InputError(f'{option}: {error}; valid: such as "{quantity.example}"') from None
    if value == 0:
        raise InputError(f'{option}: "{text}" is zero; valid: such as "{quantity.example}"')
    return value


def _share(option: str, text: str, example: str) -> float:
    """A number between 0 and 1, both excluded."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1:
        shown = text if len(text) <= 40 else text[:37] + "..."
        raise InputError(f'{option}: "{shown}"; valid: above 0 and below 1, such as {example}')
    return value
