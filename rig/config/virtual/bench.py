# SPDX-License-Identifier: GPL-3.0-or-later
"""The [virtual] table of a fixture: what lies behind the cable ends of the virtual bench."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from rig.config.virtual.delays import ChannelDelay, clipped, parse_delays
from rig.config.virtual.jumpers import Jumpers, parse_jumpers
from rig.config.virtual.processor import CpuFrequency, parse_cores, parse_frequency
from rig.config.virtual.sampling import Sampling, parse_sampling
from rig.config.virtual.serial_line import SerialFaults, parse_serial_line
from rig.config.virtual.usb import UsbSettings, parse_usb
from rig.config.virtual.wiring import WiringFaults, parse_wiring
from rig.toml.reader import TomlTable
from rig.toml.units import RATE

TIME_MAX_PS = 10 * 10**12
ERROR_MAX_PPB = 100_000_000
"""A tenth: far beyond any ceramic resonator."""
DRIFT_MAX_PPB_PER_S = 20_000
"""Twice what a ceramic resonator does while it warms up; at that rate no clock stops for hours."""


@dataclass(frozen=True)
class ConstantModel:
    """Every latency the same."""

    latency_ps: int


@dataclass(frozen=True)
class NormalModel:
    """Normal distribution, cut off below `minimum_ps`."""

    mean_ps: int
    deviation_ps: int
    minimum_ps: int


@dataclass(frozen=True)
class GammaModel:
    """`minimum_ps` plus a gamma distribution of mean `shape * scale_ps`."""

    minimum_ps: int
    scale_ps: int
    shape: float


@dataclass(frozen=True)
class MixtureModel:
    """Normal, cut off below `minimum_ps`, with rare outliers of up to `outlier_latency_ps`."""

    mean_ps: int
    deviation_ps: int
    minimum_ps: int
    outlier_probability: float
    outlier_latency_ps: int


@dataclass(frozen=True)
class LoadModel:
    """Normal, cut off below `minimum_ps`, with a tail that grows with the interrupt rate.

    Mean and deviation are multiplied by 1 + load_gain * (stimuli in the last load_window_ps).
    """

    mean_ps: int
    deviation_ps: int
    minimum_ps: int
    load_gain: float
    load_window_ps: int


@dataclass(frozen=True)
class ReferenceModel:
    """Average, minimum, maximum and deviation of a row of the published tables."""

    row: str
    """table/system/test/variant/scenario, as in the CSV file."""


LatencyModel = ConstantModel | NormalModel | GammaModel | MixtureModel | LoadModel | ReferenceModel

_NORMAL_KEYS = ("mean", "deviation", "minimum")
MODEL_KEYS = {
    "constant": ("latency",),
    "normal": _NORMAL_KEYS,
    "gamma": ("minimum", "scale", "shape"),
    "mixture": (*_NORMAL_KEYS, "outlier_probability", "outlier_latency"),
    "load": (*_NORMAL_KEYS, "load_gain", "load_window"),
    "reference": ("row",),
}
"""The keys that each model needs, and that no other may have."""


LOG_RECORDS, LOG_RECORDS_MAX = 1 << 20, 10**8
"""Room for records in a modelled target's log, usually and at most: 40 MiB, as of a small board."""


@dataclass(frozen=True)
class VirtualTarget:
    """The modelled target."""

    model: LatencyModel
    seed: int
    toggle_time_ps: int
    """The time of the write to the answering pin; the log's before and after enclose it."""
    clock_hz: int
    """Nominal rate of the target's cycle counter."""
    clock_error_ppb: int
    """The rate error of that counter at first, positive if too fast."""
    clock_drift_ppb_per_s: int = 0
    """The drift of that rate in a second."""
    service_time_ps: int = 0
    """The time from a taken interrupt until the next can be; 0: they do not wait for each other."""
    logs_entry: bool = True
    """Its log says when the handler was entered, as not every agent's does."""
    log_records: int = LOG_RECORDS
    """The records that its log has room for."""


@dataclass(frozen=True)
class VirtualGuest:
    """A real kernel in QEMU as the target."""

    kernel: str
    """One of GUEST_KERNELS: Debian's, plain or with PREEMPT_RT."""
    port: str
    """One of its architecture's GUEST_PORTS: how the agent reaches the pins."""
    load: str
    """One of GUEST_LOADS: what the guest does beside."""
    self_trigger: bool = False
    """Its trigger pin is wired to its interrupt line."""
    stall_every_ps: int = 0
    """Time is taken from the guest each so often; 0: never."""
    stall_ps: int = 0
    """The length of a stall: the guest's clock goes on, and it executes nothing."""
    processors: int = 1
    """They take turns on the one time line."""
    kernel_options: str = ""
    """Words on the kernel's command line beside the rig's own, such as `threadirqs`."""
    driver_irq: bool = True
    """The parallel port's driver holds the interrupt; else it is free for a handler of the kernel
    module's own. No key: it follows from the plan."""

    @property
    def architecture(self) -> str:
        """Debian's name of it."""
        return GUEST_KERNELS[self.kernel]


GUEST_KERNELS = {
    "debian": "amd64",
    "debian-rt": "amd64",
    "debian-arm64": "arm64",
    "debian-arm64-rt": "arm64",
}
"""Architecture of each."""
GUEST_PORTS = {
    "amd64": ("kmod", "ppdev", "ioport", "serial", "kmod-serial"),
    "arm64": ("gpio", "kmod"),
}
"""The ports of each architecture, the usual one first."""
GUEST_LOADS = ("idle", "cpu", "system", "memory")
GUEST_PROCESSORS_MAX = 8
_KERNEL_OPTION = r"(?!rig\.|console=)[a-z][A-Za-z0-9_.,=:-]*"


@dataclass(frozen=True)
class FaultSettings:
    """What goes wrong on purpose: probability of each.

    No stimulus meets more than one of the target's faults; the analyzer's come on top.
    """

    miss: float = 0.0
    """No answer."""
    duplicate: float = 0.0
    """A second answer, `duplicate_after_ps` after the first."""
    duplicate_after_ps: int = 0
    late: float = 0.0
    """The answer comes `late_by_ps` later than the model says."""
    late_by_ps: int = 0
    glitch: float = 0.0
    """A pulse of `glitch_width_ps` on the response wire that is no answer."""
    glitch_width_ps: int = 0
    merge: float = 0.0
    """Interrupts stay masked for `merge_mask_ps`; those that come meanwhile become one."""
    merge_mask_ps: int = 0
    drop: float = 0.0
    """The analyzer silently loses `drop_length_ps` of samples at some time after the stimulus."""
    drop_length_ps: int = 0


_MISBEHAVIOR_TIMES = {
    "duplicate": "duplicate_after",
    "late": "late_by",
    "glitch": "glitch_width",
    "merge": "merge_mask",
    "drop": "drop_length",
}
_TARGET_FAULTS = ("miss", "duplicate", "late", "glitch", "merge")
"""The faults of the target that exclude each other."""


@dataclass(frozen=True)
class VirtualSettings:
    """The virtual bench."""

    target: VirtualTarget | VirtualGuest
    misbehavior: FaultSettings
    stimulus_error_ppb: int
    """The rate error of the stimulus clock at first, positive if too fast."""
    analyzer_error_ppb: int
    """The error of the analyzer's sample rate at sample 0, positive if too fast."""
    truth_file: str
    """The file to which every true value is written, or "" for none."""
    stimulus_drift_ppb_per_s: int = 0
    """The drift of the stimulus clock's rate in a second."""
    analyzer_drift_ppb_per_s: int = 0
    """The drift of the analyzer's sample rate in a second."""
    wiring: WiringFaults = field(default_factory=WiringFaults)
    delays: tuple[ChannelDelay, ...] = ()
    """The delays of channels whose edges reach the analyzer late."""
    jumpers: Jumpers = field(default_factory=Jumpers)
    """The jumpers for a step of the calibration."""
    sampling: Sampling = field(default_factory=Sampling)
    """The faults of the analyzer's samples."""
    serial: SerialFaults = field(default_factory=SerialFaults)
    """The faults of the serial line to the stimulus."""
    cores_ahead_ps: tuple[int, ...] = (0,)
    """The time by which each core's counter is ahead of the first one's clock."""
    frequency: CpuFrequency = field(default_factory=CpuFrequency)
    """The frequency of a modelled target's processor."""
    usb: UsbSettings = field(default_factory=UsbSettings)
    """The analyzer on USB, for a driver that reads such a one."""


_CLOCK_KEYS = ("error_ppb", "drift_ppb_per_s")
"""The errors that each clock may have."""


def parse_virtual(table: TomlTable) -> VirtualSettings:
    """The [virtual] table. Raises InputError."""
    table.allow_only(
        (
            "target", "guest", "misbehave", "clocks", "wiring", "delay", "truth_file",
            "jumpers", "core", "sampling", "frequency", "usb", "serial",
        )
    )  # fmt: skip
    if "guest" in table:
        _refuse_beside_guest(table)
    clocks = table.table("clocks", optional=True)
    clocks.allow_only(
        tuple(f"{who}_{what}" for who in ("stimulus", "analyzer") for what in _CLOCK_KEYS)
    )
    jumpers = parse_jumpers(table.table("jumpers", optional=True))
    return VirtualSettings(
        target=_guest(table.table("guest")) if "guest" in table else _target(table.table("target")),
        misbehavior=_misbehavior(table.table("misbehave", optional=True)),
        stimulus_error_ppb=_error_ppb(clocks, "stimulus_error_ppb"),
        analyzer_error_ppb=_error_ppb(clocks, "analyzer_error_ppb"),
        truth_file=table.text("truth_file", "", valid="the path of a file to write"),
        stimulus_drift_ppb_per_s=_drift_ppb_per_s(clocks, "stimulus_drift_ppb_per_s"),
        analyzer_drift_ppb_per_s=_drift_ppb_per_s(clocks, "analyzer_drift_ppb_per_s"),
        wiring=parse_wiring(table.table("wiring", optional=True)),
        delays=clipped(parse_delays(table), jumpers.fan_out if jumpers.direct else ()),
        jumpers=jumpers,
        sampling=parse_sampling(table.table("sampling", optional=True)),
        serial=parse_serial_line(table.table("serial", optional=True)),
        cores_ahead_ps=parse_cores(table),
        frequency=parse_frequency(table.table("frequency", optional=True)),
        usb=parse_usb(table.table("usb", optional=True)),
    )


def _target(table: TomlTable) -> VirtualTarget:
    common = (
        "seed",
        "toggle_time",
        "service_time",
        "logs_entry",
        "log_records",
        "clock",
        *(f"clock_{key}" for key in _CLOCK_KEYS),
    )
    name = table.allow_only_for("model", MODEL_KEYS, common)
    return VirtualTarget(
        model=_model(name, table),
        seed=table.integer("seed", 0, 2**63 - 1),
        toggle_time_ps=table.time_ps("toggle_time", 0, TIME_MAX_PS),
        service_time_ps=table.time_ps("service_time", 0, TIME_MAX_PS, 0),
        logs_entry=table.flag("logs_entry", default=True),
        log_records=table.integer("log_records", 1, LOG_RECORDS_MAX, LOG_RECORDS),
        clock_hz=table.quantity(RATE, "clock", 10**6, 10**10),
        clock_error_ppb=_error_ppb(table, "clock_error_ppb"),
        clock_drift_ppb_per_s=_drift_ppb_per_s(table, "clock_drift_ppb_per_s"),
    )


def _guest(table: TomlTable) -> VirtualGuest:
    table.allow_only(("kernel", "port", "load", "self_trigger", "stall_every", "stall",
                      "processors", "kernel_options"))  # fmt: skip
    kernel = table.choice("kernel", tuple(GUEST_KERNELS))
    stall_every_ps, stall_ps = _stall(table)
    ports = GUEST_PORTS[GUEST_KERNELS[kernel]]
    return VirtualGuest(
        kernel=kernel,
        port=table.choice("port", ports, ports[0]),
        load=table.choice("load", GUEST_LOADS, "idle"),
        self_trigger=table.flag("self_trigger"),
        stall_every_ps=stall_every_ps,
        stall_ps=stall_ps,
        processors=table.integer("processors", 1, GUEST_PROCESSORS_MAX, 1),
        kernel_options=table.text(
            "kernel_options",
            "",
            pattern=f"(|{_KERNEL_OPTION}( {_KERNEL_OPTION})*)",
            valid='options of the kernel with blanks between, such as "threadirqs isolcpus=1", '
            "but neither console= nor rig.",
        ),
    )


def _stall(table: TomlTable) -> tuple[int, int]:
    """Both keys or none. A stall lies within one slice of the bench's time."""
    if "stall_every" not in table and "stall" not in table:
        return 0, 0
    every_ps = table.time_ps("stall_every", 2 * 10**9, TIME_MAX_PS)
    stall_ps = table.time_ps("stall", 10**6, 400 * 10**6)
    for key, time_ps in (("stall_every", every_ps), ("stall", stall_ps)):
        if time_ps % 10**6:
            raise table.error(key, "not whole microseconds", "whole microseconds")
    return every_ps, stall_ps


def _refuse_beside_guest(table: TomlTable) -> None:
    """A real kernel is no model: nothing of it is drawn, and nobody knows the truth beforehand."""
    for key in ("target", "truth_file", "frequency"):
        if key in table:
            raise table.error(key, "not with a [virtual.guest]", "one of the two")
    misbehave = table.table("misbehave", optional=True)
    for fault in _TARGET_FAULTS:
        for key in (fault, _MISBEHAVIOR_TIMES.get(fault, fault)):
            if key in misbehave:
                raise misbehave.error(key, "a fault of a modelled target", "drop, drop_length")


def _model(name: str, table: TomlTable) -> LatencyModel:
    def time_ps(key: str, low_ps: int = 0) -> int:
        return table.time_ps(key, low_ps, TIME_MAX_PS)

    match name:
        case "constant":
            return ConstantModel(time_ps("latency"))
        case "gamma":
            shape = table.number("shape", 0.01, 1000)
            return GammaModel(time_ps("minimum"), time_ps("scale", 1), shape)
        case "reference":
            return ReferenceModel(_row(table))
    mean_ps, deviation_ps, minimum_ps = (time_ps(key) for key in _NORMAL_KEYS)
    if minimum_ps > mean_ps:
        raise table.error("minimum", "longer than the mean", "the mean or shorter")
    if name == "normal":
        return NormalModel(mean_ps, deviation_ps, minimum_ps)
    if name == "mixture":
        probability = table.number("outlier_probability", 0, 1)
        outlier_ps = table.time_ps("outlier_latency", mean_ps, TIME_MAX_PS)
        return MixtureModel(mean_ps, deviation_ps, minimum_ps, probability, outlier_ps)
    gain = table.number("load_gain", 0, 1000)
    return LoadModel(mean_ps, deviation_ps, minimum_ps, gain, time_ps("load_window", 1))


def _row(table: TomlTable) -> str:
    valid = 'table/system/test/variant/scenario, such as "6.22/Linux 3.4.104/interrupt/ISR/io"'
    return table.text("row", pattern="[^/]+/[^/]+/[^/]+/[^/]*/[^/]+", valid=valid)


def _misbehavior(table: TomlTable) -> FaultSettings:
    table.allow_only(("miss", *_MISBEHAVIOR_TIMES, *_MISBEHAVIOR_TIMES.values()))

    def probability(key: str) -> float:
        return table.number(key, 0, 1, 0)

    total = math.fsum(probability(key) for key in _TARGET_FAULTS)
    if total > 1:
        last = next(key for key in reversed(_TARGET_FAULTS) if key in table)
        raise table.error(last, f"with the others it makes {total:g}", "1 or less in all")

    def time_ps(key: str) -> int:
        """Needed where its probability is above 0, and then above 0 itself."""
        needed = probability(key) > 0
        default_ps = None if needed else 0
        return table.time_ps(_MISBEHAVIOR_TIMES[key], 1, TIME_MAX_PS, default_ps)

    return FaultSettings(
        miss=probability("miss"),
        duplicate=probability("duplicate"),
        duplicate_after_ps=time_ps("duplicate"),
        late=probability("late"),
        late_by_ps=time_ps("late"),
        glitch=probability("glitch"),
        glitch_width_ps=time_ps("glitch"),
        merge=probability("merge"),
        merge_mask_ps=time_ps("merge"),
        drop=probability("drop"),
        drop_length_ps=time_ps("drop"),
    )


def _error_ppb(table: TomlTable, key: str) -> int:
    return table.integer(key, -ERROR_MAX_PPB, ERROR_MAX_PPB, 0)


def _drift_ppb_per_s(table: TomlTable, key: str) -> int:
    return table.integer(key, -DRIFT_MAX_PPB_PER_S, DRIFT_MAX_PPB_PER_S, 0)
