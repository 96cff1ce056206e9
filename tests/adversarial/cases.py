# SPDX-License-Identifier: GPL-3.0-or-later
"""A random case from a seed: a plan, the bench as its fixture describes it, the bench as it is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tests.adversarial.texts import PLAN, tables
from tests.virtual_bench import virtual_fixture

FAULTS = ("miss", "duplicate", "late", "glitch", "merge")
FALSEHOODS = (
    "analyzer rate",
    "counter rate",
    "stimulus rate",
    "stimulus delay",
    "response delay",
    "repeated samples",
    "dropped samples",
    "swapped channels",
)
"""What the bench does and its fixture does not say."""
STIMULUS_PPB, CRYSTAL_PPB = 3_000_000, 50_000
"""Errors of a ceramic resonator and a crystal, well within what their makers allow."""
_RATES_MHZ = (12, 16, 24, 48, 100)
_CLOCKS_HZ = (500_000_000, 1_000_000_000, 2_400_000_000)


@dataclass(frozen=True)
class Bench:
    """What [virtual] of a fixture holds."""

    model: dict[str, Any]
    clocks: dict[str, int]
    misbehave: dict[str, Any] = field(default_factory=dict)
    delays: dict[int, int] = field(default_factory=dict)
    """Picoseconds by channel."""
    sampling: dict[str, Any] = field(default_factory=dict)
    wiring: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """What one run is made of."""

    number: int
    plan: str
    declared: str
    """The fixture that the rig reads."""
    actual: str
    """The fixture that the virtual bench is built from."""
    rate_mhz: int
    bench: Bench
    """As the fixture says."""
    counter_ppb: int
    """How much faster than nominal the target's counter really runs."""
    false_delays_ps: dict[int, int]
    """By channel: what the fixture says nothing of."""
    faults: tuple[str, ...]
    """Of FAULTS and FALSEHOODS, those that the case has."""


def case_of(seed: int, number: int, *, healthy: bool) -> Case:
    """The case `number` of a seed; a healthy one has neither faults nor falsehoods."""
    rng = np.random.default_rng([seed, number, healthy])
    draw = _Draw(rng)
    rate_mhz = draw.choice(_RATES_MHZ)
    plan, shortest_us = draw.plan()
    honest = draw.bench(shortest_us)
    faults: tuple[str, ...] = ()
    actual = honest
    if not healthy:
        honest, faults = draw.misbehaving(honest, shortest_us)
        actual = honest
        if not faults or rng.random() < 0.4:
            falsehood = draw.choice(FALSEHOODS)
            actual = draw.false(honest, falsehood)
            faults = (*faults, falsehood)
    wires = draw.wires()
    return Case(
        number=number,
        plan=plan,
        declared=_fixture(wires, rate_mhz, honest),
        actual=_fixture(wires, rate_mhz, actual),
        rate_mhz=rate_mhz,
        bench=honest,
        counter_ppb=actual.model["clock_error_ppb"],
        false_delays_ps=actual.delays,
        faults=faults,
    )


def _fixture(wires: dict[str, Any], rate_mhz: int, bench: Bench) -> str:
    delays = "".join(
        f'[[virtual.delay]]\nchannel = "D{channel}"\n'
        f'line_rising = "{ps / 1000:.3f} ns"\nline_falling = "{ps / 1000:.3f} ns"\n'
        for channel, ps in bench.delays.items()
    )
    virtual = {
        "target": bench.model,
        "clocks": bench.clocks,
        "misbehave": bench.misbehave,
        "sampling": bench.sampling,
        "wiring": bench.wiring,
    }
    return virtual_fixture("adversarial", tables(virtual) + delays, rate_mhz=rate_mhz, **wires)


class _Draw:
    """Draws one case, key by key."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def choice(self, values: tuple[Any, ...]) -> Any:
        return values[int(self._rng.integers(len(values)))]

    def between(self, low: float, high: float) -> float:
        """Logarithmically uniform: small sizes are as likely as large ones."""
        return float(np.exp(self._rng.uniform(np.log(low), np.log(high))))

    def _us(self, low: float, high: float) -> str:
        return f"{self.between(low, high):.3f} us"

    def plan(self) -> tuple[str, float]:
        """Its text, and its shortest interval in microseconds."""
        shortest = self.between(100, 600)
        longest = shortest * self.between(1.5, 8)
        pattern = self.choice(("periodic", "uniform", "poisson", "burst", "ramp"))
        keys = {
            "periodic": {"period": f"{shortest:.1f} us"},
            "uniform": {
                "interval_min": f"{shortest:.1f} us",
                "interval_max": f"{longest:.1f} us",
            },
            "poisson": {
                "interval_min": f"{shortest:.1f} us",
                "interval_mean": f"{longest:.1f} us",
            },
            "burst": {
                "burst_count": int(self._rng.integers(2, 8)),
                "burst_spacing": f"{shortest:.1f} us",
                "period": f"{shortest * 12:.1f} us",
            },
            "ramp": {
                "interval_start": f"{longest:.1f} us",
                "interval_stop": f"{shortest:.1f} us",
            },
        }[pattern]
        stimulus = {
            "pattern": pattern,
            **keys,
            "count": int(self._rng.integers(60, 300)),
            "seed": int(self._rng.integers(1, 2**31)),
            "pulse_width": f"{int(self._rng.integers(10, 30))} us",
            "polarity": self.choice(("positive", "negative")),
            "delay": "1 ms",
        }
        return PLAN + tables({"stimulus": stimulus}, ""), shortest

    def bench(self, shortest_us: float) -> Bench:
        """A healthy one: the target answers before the next interrupt, the clocks are honest."""
        mean = self.between(3, min(60, shortest_us / 4))
        deviation = mean * self.between(0.005, 0.15)
        normal = {
            "mean": f"{mean:.3f} us",
            "deviation": f"{deviation:.3f} us",
            "minimum": f"{mean * 0.6:.3f} us",
        }
        model = self.choice(("constant", "normal", "gamma", "mixture"))
        keys = {
            "constant": {"latency": f"{mean:.3f} us"},
            "normal": normal,
            "gamma": {
                "minimum": f"{mean * 0.6:.3f} us",
                "scale": f"{mean * 0.1:.3f} us",
                "shape": round(self.between(0.5, 5), 2),
            },
            "mixture": normal
            | {"outlier_probability": 0.03, "outlier_latency": f"{shortest_us * 0.6:.3f} us"},
        }[model]
        target = {
            "model": model,
            **keys,
            "seed": int(self._rng.integers(1, 2**31)),
            "toggle_time": f"{int(self._rng.integers(10, 200))} ns",
            "clock": f"{self.choice(_CLOCKS_HZ)} Hz",
            "clock_error_ppb": self._error_ppb(CRYSTAL_PPB),
        }
        clocks = {
            "stimulus_error_ppb": self._error_ppb(STIMULUS_PPB),
            "analyzer_error_ppb": self._error_ppb(CRYSTAL_PPB),
        }
        return Bench(target, clocks)

    def _error_ppb(self, most: int) -> int:
        return int(self._rng.integers(-most, most + 1))

    def misbehaving(self, bench: Bench, shortest_us: float) -> tuple[Bench, tuple[str, ...]]:
        """The target makes faults of none to three kinds."""
        n = int(self._rng.integers(0, 4))
        names = tuple(self._rng.choice(FAULTS, n, replace=False).tolist())
        keys: dict[str, Any] = {name: round(self.between(0.01, 0.15), 3) for name in names}
        times = {
            "duplicate": ("duplicate_after", self._us(25, 60)),
            "late": ("late_by", f"{shortest_us * self.between(0.5, 4):.3f} us"),
            "glitch": ("glitch_width", "120 ns"),
            "merge": ("merge_mask", f"{shortest_us * self.between(0.7, 4):.3f} us"),
        }
        keys |= dict(times[name] for name in names if name in times)
        return replace(bench, misbehave=keys), names

    def false(self, bench: Bench, falsehood: str) -> Bench:
        """The bench that does what its fixture does not say."""
        sign = self.choice((-1, 1))
        ppb = sign * int(self.between(1e4, 9e7))
        if falsehood in ("analyzer rate", "stimulus rate"):
            return _other_clock(bench, falsehood, ppb)
        if falsehood == "counter rate":
            changed = bench.model["clock_error_ppb"] + ppb
            return replace(bench, model=bench.model | {"clock_error_ppb": changed})
        if falsehood in ("stimulus delay", "response delay"):
            channel = ("stimulus delay", "response delay").index(falsehood)
            return replace(bench, delays={channel: int(self.between(5e3, 2e7))})
        if falsehood == "dropped samples":
            drops = {"drop": 0.02, "drop_length": self._us(1, 2000)}
            return replace(bench, misbehave=bench.misbehave | drops)
        if falsehood == "repeated samples":
            return replace(bench, sampling={"repeat": int(self._rng.integers(2, 9))})
        return replace(bench, wiring={"swap": "D0 D1"})

    def wires(self) -> dict[str, Any]:
        """How many channels and sequence pins there are."""
        return {"sequence_bits": int(self._rng.integers(0, 4)), "channels": self.choice((8, 14))}


def _other_clock(bench: Bench, falsehood: str, ppb: int) -> Bench:
    key = f"{falsehood.split()[0]}_error_ppb"
    return replace(bench, clocks=bench.clocks | {key: bench.clocks[key] + ppb})
