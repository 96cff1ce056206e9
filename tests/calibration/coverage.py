# SPDX-License-Identifier: GPL-3.0-or-later
"""How often a step's values lie within their uncertainty, on whole virtual benches drawn by seed.

`python -m tests.calibration.coverage [GROUP ...] [--seeds 100] [--first 0]` prints the table that
docs/explanation/calibration.md shows.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

import numpy as np

from calibration.findings import StepOutcome
from calibration.runner import chosen, run_steps
from calibration.settings import CalibrationSettings
from rig.bench.open import open_bench
from rig.config.calibration import CalibratedQuantity, CalibrationRecord
from rig.config.fixture import load_fixture, parse_fixture

RATES_HZ = (1_000_000, 4_000_000, 12_000_000, 24_000_000)
SECONDS = 6
PPS = 7
FAR = 5
CHANNELS = (0, 1, 2, 3, 4)
EDGES = {1: "rising", 0: "falling"}
Values = dict[tuple[str, str], float]
"""What is true, by quantity and subject."""


@dataclass(frozen=True)
class Drawn:
    """One bench, and what is true of it."""

    text: str
    steps: tuple[str, ...]
    truth: Values
    settings: CalibrationSettings = field(default_factory=lambda: CalibrationSettings(SECONDS))


@dataclass(frozen=True)
class Miss:
    """A value that is not within its expanded uncertainty, k = 2."""

    seed: int
    name: str
    error: float
    uncertainty: float
    """Standard."""


@dataclass
class Count:
    """Of one quantity."""

    values: int = 0
    misses: list[Miss] = field(default_factory=list)

    @property
    def of_100(self) -> float:
        return 100 * (1 - len(self.misses) / self.values)


class _Bench:
    """Clocks and rate of a bench, drawn: crystals, or a resonator for the microcontroller."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = np.random.default_rng(20_000 + seed)
        self.rate_hz = int(self.rng.choice(RATES_HZ))
        self.analyzer_ppb = self._ppb(50_000)
        self.stimulus_ppb = self._ppb(int(self.rng.choice((100_000, 5_000_000))))
        self.target_ppb = self._ppb(50_000)
        self.write_ns = 50

    def _ppb(self, most: int) -> int:
        return int(self.rng.integers(-most, most + 1))

    @property
    def sample_ps(self) -> float:
        return 1e12 / self.rate_hz

    def late_ps(self) -> int:
        """Up to 3 samples, often less than one."""
        return int(self.rng.choice((0.3, 1.0, 3.0)) * self.rng.random() * self.sample_ps)

    def text(self, more: str) -> str:
        text = load_fixture("virtual").text
        for old, new in (
            ('"24 MHz"', f'"{self.rate_hz // 10**6} MHz"'),
            ('toggle_time = "50 ns"', f'toggle_time = "{self.write_ns} ns"'),
            ("stimulus_error_ppb = 38_000", f"stimulus_error_ppb = {self.stimulus_ppb}"),
            ("analyzer_error_ppb = 0", f"analyzer_error_ppb = {self.analyzer_ppb}"),
            ("clock_error_ppb = -12_000", f"clock_error_ppb = {self.target_ppb}"),
            ("seed = 1", f"seed = {self.seed}"),
        ):
            assert old in text
            text = text.replace(old, new)
        return f"{text}\n{more}\n"

    def faster_ppm(self, ppb: int) -> float:
        """Of a clock, by the analyzer's."""
        return ((1 + ppb * 1e-9) / (1 + self.analyzer_ppb * 1e-9) - 1) * 1e6


def _delay(channel: int, late_ps: dict[str, int]) -> str:
    keys = "\n".join(f'{key} = "{ps / 1000:.3f} ns"' for key, ps in late_ps.items())
    return f'[[virtual.delay]]\nchannel = "D{channel}"\n{keys}\n'


def with_target(seed: int) -> Drawn:
    """Clocks, pin writes of 0.3 to 3 us, and cores up to 2 us apart."""
    bench = _Bench(seed)
    bench.write_ns = int(bench.rng.integers(300, 3001))
    ahead_ns = int(bench.rng.choice((0, 2000, bench.rng.integers(0, 2001))))
    truth: Values = {
        ("stimulus_rate", ""): bench.faster_ppm(bench.stimulus_ppb),
        ("time_base", ""): bench.analyzer_ppb / 1e3,
        ("counter_rate", ""): bench.faster_ppm(bench.target_ppb),
        ("core_ahead", "core 1"): ahead_ns,
    }
    for edge in EDGES.values():
        truth["toggle_overhead", f"response {edge}"] = bench.write_ns / 2
        truth["toggle_spread", f"response {edge}"] = bench.write_ns / 12**0.5
        truth["toggle_time", f"response {edge}"] = bench.write_ns
    more = (
        f'[virtual.jumpers]\npps = "D{PPS}"\npps_jitter = "50 ns"\n'
        f'[[virtual.core]]\n[[virtual.core]]\nahead = "{ahead_ns} ns"'
    )
    settings = CalibrationSettings(SECONDS, pps_channel=PPS)
    return Drawn(bench.text(more), ("time-base", "toggle", "counter"), truth, settings)


def samples(seed: int) -> Drawn:
    """Every other sample up to a fifth of a period early."""
    bench = _Bench(seed)
    early_ps = int(bench.rng.random() * 0.2 * bench.sample_ps)
    early = early_ps / bench.sample_ps * (1 + bench.analyzer_ppb * 1e-9)
    truth = {
        ("differential_nonlinearity", f"sample {code} of 16"): (1 - 2 * (code % 2)) * early
        for code in range(16)
    }
    more = f'[virtual.sampling]\nodd_early = "{early_ps / 1000:.3f} ns"'
    return Drawn(bench.text(more), ("edge-shape",), truth)


def fan_out(seed: int) -> Drawn:
    """Skews of five channels, of both edges of four."""
    bench = _Bench(seed)
    late = {
        (c, level): bench.late_ps() for c in CHANNELS for level in EDGES if (c, level) != (0, 1)
    }
    tables = [
        _delay(c, {f"skew_{EDGES[level]}": late[c, level] for level in EDGES if (c, level) in late})
        for c in CHANNELS
    ]
    truth: Values = {
        ("channel_skew", f"D{c} {EDGES[level]}"): ps / 1000 for (c, level), ps in late.items()
    }
    more = f'[virtual.jumpers]\nfan_out = "D0 D1 D2 D3 D4"\n{"".join(tables)}'
    return Drawn(bench.text(more), ("channel-skew",), truth)


def loopback(seed: int) -> Drawn:
    """A wire that delays, and a channel whose edges are skewed."""
    bench = _Bench(seed)
    wire_ps = int(bench.rng.integers(0, 500_000))
    late = {level: bench.late_ps() for level in EDGES}
    truth: Values = {}
    for level, edge in EDGES.items():
        truth["loopback_delay", f"response {edge}"] = (wire_ps + late[level]) / 1000
        # The capture's synchronizer takes a cycle of 62.5 ns, and its noise canceler four.
        truth["capture_delay", f"response {edge}"] = wire_ps / 1000 + 312.5
    more = (
        f'[virtual.jumpers]\nloopback = true\nloopback_delay = "{wire_ps / 1000:.3f} ns"\n'
        f"{_delay(1, {f'skew_{EDGES[level]}': ps for level, ps in late.items()})}"
    )
    return Drawn(bench.text(more), ("loopback",), truth)


def line(seed: int) -> Drawn:
    """A wire whose ends are on two channels, whose skews are known to 0.1 ns."""
    bench = _Bench(seed)
    late = {(kind, level): bench.late_ps() for kind in ("line", "skew") for level in EDGES}
    table = _delay(1, {f"{kind}_{EDGES[level]}": ps for (kind, level), ps in late.items()})
    known = [
        CalibratedQuantity(
            "channel_skew", at_ps / 1000 + bench.rng.normal(0, 0.1), "ns", 0.1, 1000, subject
        )
        for level, edge in EDGES.items()
        for at_ps, subject in ((late["skew", level], f"D1 {edge}"), (0, f"D{FAR} {edge}"))
    ]
    skew = CalibrationRecord("channel-skew", datetime(2026, 1, 2, tzinfo=UTC), tuple(known))
    truth: Values = {
        ("line_delay", f"response {edge}"): late["line", level] / 1000
        for level, edge in EDGES.items()
    }
    more = f'[virtual.jumpers]\nfan_out = "D0 D1 D{FAR}"\n{table}'
    settings = CalibrationSettings(SECONDS, far_channel=FAR, skew=skew)
    return Drawn(bench.text(more), ("line-delay",), truth, settings)


GROUPS: dict[str, Callable[[int], Drawn]] = {
    "target": with_target,
    "samples": samples,
    "fan-out": fan_out,
    "loopback": loopback,
    "line": line,
}


def outcomes(drawn: Drawn) -> Iterator[StepOutcome]:
    """Of its steps, on a bench of its own."""
    opener = partial(open_bench, every_channel=True)
    fixture = parse_fixture(drawn.text, "drawn")
    return run_steps(fixture, chosen(drawn.steps), opener, settings=drawn.settings)


def count(group: str, seeds: Iterable[int], show: bool = False) -> dict[str, Count]:
    """Values within U by quantity; one that is lacking counts as without."""
    counts: dict[str, Count] = {}
    for seed in seeds:
        drawn = GROUPS[group](seed)
        found = {
            (each.name, each.subject): each
            for outcome in outcomes(drawn)
            for each in outcome.record.quantities
        }
        for (name, subject), truth in drawn.truth.items():
            mine = counts.setdefault(name, Count())
            mine.values += 1
            value = found.get((name, subject))
            error = float("inf") if value is None else value.value - truth
            u = 0.0 if value is None else value.standard_uncertainty
            # A thousandth of a nanosecond: bench and fixture round to picoseconds.
            if not abs(error) <= 2 * u + (0.001 if value and value.unit == "ns" else 0):
                mine.misses.append(Miss(seed, f"{name} {subject}", error, u))
                if show:
                    print(mine.misses[-1], flush=True)
    return counts


def table(counts: dict[str, Count]) -> str:
    """In Markdown."""
    lines = ["| quantity | values | within U, of 100 |", "|---|---|---|"]
    for name, each in counts.items():
        lines.append(f"| `{name}` | {each.values} | {each.of_100:.1f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", choices=[*GROUPS, []])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    for group in asked.groups or GROUPS:
        seeds = range(asked.first, asked.first + asked.seeds)
        print(f"{group}\n{table(count(group, seeds, show=True))}\n", flush=True)


if __name__ == "__main__":
    main()
