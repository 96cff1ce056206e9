# SPDX-License-Identifier: GPL-3.0-or-later
"""How a forger changes a run file, one function for each fact."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from rig.config.calibration.file import calibration_text
from rig.config.calibration.names import LINE_DELAY, LINE_STEP
from rig.config.calibration.record import CalibratedQuantity, Calibration, CalibrationRecord
from rig.config.fixture import parse_fixture
from tests.forgeries.forged import RATES, Forged

AT = 100
"""The event that is changed where one is."""


# --- settings and texts --------------------------------------------------------------------------


def leaves(value: Any, path: str = "") -> Iterator[str]:
    """Names of all values in a JSON object, as a.b.c; a list is a value."""
    if isinstance(value, dict) and value:
        for name, below in value.items():
            yield from leaves(below, f"{path}.{name}" if path else name)
    else:
        yield path


def other(value: Any) -> Any:
    """A value of the same type that is not this one, as small a change as can be."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return {"UNIF": "PER", "POS": "NEG"}.get(value, value + "x")
    return [*value, 7] if isinstance(value, list) else 5


def change(document: dict[str, Any], key: str) -> None:
    *path, last = key.split(".")
    for name in path:
        document = document[name]
    document[last] = other(document[last])


def setting(run: Forged, key: str) -> None:
    change(run.settings, key)


def reported(run: Forged, key: str) -> None:
    change(run.report, key)


def told_keys(run: Forged) -> list[str]:
    return [
        f"{party}.{key}"
        for party in ("host", "analyzer", "stimulus", "target")
        for key in leaves(run.told(party))
    ]


def told(run: Forged, key: str) -> None:
    party, _, rest = key.partition(".")
    document = run.told(party)
    change(document, rest)
    run.put_told(party, document)
    run.derive()


def attribute(run: Forged, key: str) -> None:
    run.file.attrs[key] = {"created": "2020-01-01T00:00:00+00:00"}.get(key, "9.9.9")


def rate(parties: tuple[str, ...], run: Forged, ppm: int) -> None:
    for party in parties:
        document = run.told(party)
        document[RATES[party]] += round(document[RATES[party]] * ppm / 1e6)
        run.put_told(party, document)
        if party == "analyzer":  # whose rate the fixture tells as well
            run.put_text("fixture", '"24 MHz"', f'"{document[RATES[party]]} Hz"')
    run.derive()


def rates(run: Forged, ppm: int) -> None:
    """All clocks by the same factor, and the plan's times so that the train stays as it is."""
    for time, unit_ns in (("10 us", 1e3), ("0.2 ms", 1e6), ("1.8 ms", 1e6), ("10 ms", 1e6)):
        scaled_ns = float(time.split()[0]) * unit_ns / (1 + ppm / 1e6)
        run.put_text("plan", f'"{time}"', f'"{scaled_ns:.3f} ns"')
    rate(tuple(RATES), run, ppm)


def text(name: str, old: str, new: str, run: Forged, _: int) -> None:
    run.put_text(name, old, new)
    run.derive()


def calibration(run: Forged, ns: int) -> None:
    """One that takes a delay of the answer's wire off all figures, made the day before."""
    created = dt.datetime.fromisoformat(str(run.file.attrs["created"]))
    delays = (CalibratedQuantity(LINE_DELAY, value, "ns", 1.0, 100, subject)
              for subject, value in (("stimulus", 0.0), ("response", float(ns))))  # fmt: skip
    record = CalibrationRecord(LINE_STEP, created - dt.timedelta(days=1), tuple(delays))
    name = parse_fixture(run.text("fixture"), "fixture").name
    run.file["calibration"][()] = calibration_text(Calibration(name, (record,)))


def swapped(run: Forged, _: int) -> None:
    for old, new in (("D0", "Dx"), ("D1", "D0"), ("Dx", "D1")):
        run.put_text("fixture", f'channel = "{old}"', f'channel = "{new}"')
    run.derive()


def fewer_planned(run: Forged, count: int) -> None:
    planned = json.loads(run.text("overrides"))["count"]
    run.file["overrides"][()] = json.dumps({"count": planned - count})
    run.derive()


def state(run: Forged, _: int) -> None:
    run.file["state"][0] = b"interrupted"


# --- edges ---------------------------------------------------------------------------------------


def edge_moved(signal: str, sign: int, run: Forged, samples: int) -> None:
    run.index[run.edges_of(signal)[AT]] += sign * samples


def edges_moved(signals: tuple[str, ...], sign: int, run: Forged, samples: int) -> None:
    run.index[run.edges_of(*signals)] += sign * samples


def pulses_longer(run: Forged, samples: int) -> None:
    run.index[run.edges_of("stimulus")[1::2]] += samples


def sequence_late(run: Forged, samples: int) -> None:
    lowest = run.settings["wiring"]["sequence"][0]
    run.index[np.flatnonzero(run.channel == lowest)[AT]] += samples


def without_edge(signal: str, run: Forged, _: int) -> None:
    number = run.edges_of(signal)[AT]
    run.index, run.channel = np.delete(run.index, number), np.delete(run.channel, number)


def pulse_added(signal: str, run: Forged, samples: int) -> None:
    begin = run.index[run.edges_of(signal)[AT]] + 2_000
    run.index = np.append(run.index, (begin, begin + samples))
    run.channel = np.append(run.channel, np.full(2, run.settings["wiring"][signal], np.uint8))


def level(run: Forged, _: int) -> None:
    run.false_level = AT


def unused_level(run: Forged, _: int) -> None:
    run.levels_before ^= 1 << 7


def cut(run: Forged, samples: int) -> None:
    run.covered -= samples
    run.report["samples"] = run.covered


def samples_removed(run: Forged, samples: int) -> None:
    run.index[run.index > run.index[run.edges_of("response")[AT]]] -= samples
    cut(run, samples)


def loss_added(run: Forged, _: int) -> None:
    run.losses.append((b"stall", 1000, b"no samples for 5 s"))


# --- log and input capture -----------------------------------------------------------------------


def stamps(rows: Any, run: Forged, ticks: int) -> None:
    run.log["before_ticks"][rows] += np.uint64(ticks)
    run.log["after_ticks"][rows] += np.uint64(ticks)


def wide(run: Forged, ticks: int) -> None:
    run.log["after_ticks"][AT] += np.uint64(ticks)


def stamps_scaled(run: Forged, ppm: int) -> None:
    first = run.log["before_ticks"][0]
    for name in ("before_ticks", "after_ticks"):
        since = (run.log[name] - first).astype(np.float64)
        run.log[name] += np.rint(since * ppm / 1e6).astype(np.uint64)


def entry(sign: int, run: Forged, ticks: int) -> None:
    """`reserved` is the time from the entry to the pin write: less of it is a later entry."""
    run.log["reserved"][AT] = int(run.log["reserved"][AT]) - sign * ticks


def field(name: str, run: Forged, more: int) -> None:
    run.log[name][AT] += run.log[name].dtype.type(more)


def flag(bits: int, run: Forged, _: int) -> None:
    run.log["flags"][AT] ^= np.uint32(bits)


def without_record(run: Forged, _: int) -> None:
    run.log = np.delete(run.log, AT)


def captured(rows: Any, run: Forged, ticks: int) -> None:
    run.captures[rows] += ticks


def captures_scaled(run: Forged, ppm: int) -> None:
    run.captures += np.rint(run.captures * (ppm / 1e6)).astype(np.int64)


def without_capture(run: Forged, _: int) -> None:
    run.captures = np.delete(run.captures, AT)


# --- everything together -------------------------------------------------------------------------


def answers_together(rows: slice, sign: int, run: Forged, steps: int) -> None:
    """Answers moved in the edges, the log and the input capture alike.

    A step of 125 ns is a whole number of units of each.
    """
    samples = 3 * steps
    at = run.index[run.edges_of("response")][rows]
    pins = run.edges_of("response", "sequence")
    # The count's pins change with the answer, to some samples.
    near = np.abs(run.index[pins][:, None] - at[None, :]).min(axis=1) < 12
    run.index[pins[near]] += sign * samples
    settings, rate_hz = run.settings, run.settings["sample_rate_hz"]
    run.captures[rows] += sign * round(samples * settings["stimulus_clock_hz"] / rate_hz)
    ticks = round(samples * settings["tick_hz"] / rate_hz)
    for name in ("before_ticks", "after_ticks", "reserved"):
        stamps = run.log[name][rows].astype(np.int64) + sign * ticks
        run.log[name][rows] = np.maximum(stamps, 0)


def last_removed(run: Forged, count: int) -> None:
    """The last events taken out of every part."""
    stimuli = run.index[run.edges_of("stimulus")[::2]]
    cut = int(stimuli[-count]) - 1
    kept = run.index < cut
    run.index, run.channel, run.covered = run.index[kept], run.channel[kept], cut
    run.log, run.captures = run.log[:-count], run.captures[:-count]
    run.report |= {name: run.report[name] - count for name in ("sent", "handled")}
    run.report["samples"] = cut
    fewer_planned(run, count)
