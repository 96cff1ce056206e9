# SPDX-License-Identifier: GPL-3.0-or-later
"""What an agent says of its system, judged: what is there, what is missing, how to mend it.

The agent's words are untrusted: any key may be absent or of another type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rig.instruments import TargetIdentity
from rig.target.scenario import runs_commands
from rig.tools.tool_runs import TOOLS, lacking

DEBUG_OPTIONS = (
    "LOCKDEP", "PROVE_LOCKING", "LOCK_STAT", "DEBUG_PREEMPT", "DEBUG_LOCK_ALLOC", "DEBUG_SPINLOCK",
    "DEBUG_MUTEXES", "DEBUG_PAGEALLOC", "DEBUG_OBJECTS", "KASAN", "KCSAN", "KMEMLEAK",
    "IRQSOFF_TRACER", "PREEMPT_TRACER",
)  # fmt: skip
"""Options of the kernel for debugging, with which it is slow."""
IDLE_LATENCY_MAX_US = 10
"""A processor that takes longer to wake shows in every latency."""
_SHOWN_MAX = 100
_CPUS_SHOWN = 16
_DEBIAN_NAMES = {"x86_64": "amd64", "aarch64": "arm64", "armv7l": "armmp", "i686": "686-pae"}
_OWN = re.compile("parport|gpio|latency")
"""Names of interrupts that are measured."""


STATE_MAX: Final = 600
"""Characters of a finding: all measurements that an agent can do fit."""


@dataclass(frozen=True)
class ProbeFinding:
    """One thing looked at."""

    what: str
    state: str
    mend: str = ""
    """The remedy; empty if nothing needs doing."""
    needed: bool = False
    """Whether nothing can be measured without it."""

    def __post_init__(self) -> None:
        """Much of it is the target's own words: each field becomes a plain line of some length."""
        for name, length_max in (("what", 60), ("state", STATE_MAX), ("mend", 1000)):
            object.__setattr__(self, name, plain(getattr(self, name), length_max))


def agent_findings(
    identity: TargetIdentity, greeting: Mapping[str, str], *, virtual_time: bool = False
) -> Iterator[ProbeFinding]:
    """Yield what the greeting tells of the agent itself and of its cycle counter.

    `virtual_time`: the counter counts an emulator's time, at one rate whatever its flags say.
    """
    yield ProbeFinding(
        "agent", f"{identity.agent} {identity.version}, log format {identity.log_format}"
    )
    if "port" in greeting:
        measurements = greeting.get("measurements", "").replace(",", ", ")
        yield ProbeFinding("port", f"{greeting['port']}: {measurements or 'no measurement'}")
    if "loads" in greeting:
        yield from _loads(greeting)
    name, source = greeting.get("counter", "cycle counter"), greeting.get("rate", "")
    rate = f"{name}, {identity.tick_hz / 1e6:.6f} MHz{f' ({source})' if source else ''}"
    if greeting.get("invariant") == "0" and virtual_time:
        yield ProbeFinding("counter", f"{rate}, constant: it counts the emulator's virtual time")
    elif greeting.get("invariant") == "0":
        # The agent was told to use it all the same, with --allow-variant.
        mend = (
            "hold the processor's frequency, or start rig-agent with --counter monotonic_raw; "
            "where pins are seen, the bracket test of each run tells if the rate has changed"
        )
        yield ProbeFinding("counter", f"{rate}, not invariant: its rate may change", mend)
    else:
        yield ProbeFinding("counter", rate + (", invariant" if "invariant" in greeting else ""))


def _loads(greeting: Mapping[str, str]) -> Iterator[ProbeFinding]:
    names = greeting["loads"].replace(",", ", ")
    own = greeting.get("load_program", "") == "rig-agent"
    mend = "its own programs make cpu and io; install stress-ng there to load as others do"
    yield ProbeFinding("loads", names or "none", mend if own else "")
    runs = runs_commands(greeting)
    yield ProbeFinding(
        "commands", "those of a fixture are run" if runs else "none of a fixture is run"
    )


def tool_findings(there: Mapping[str, str]) -> Iterator[ProbeFinding]:
    """The tools of the target's own system that a plan can have run, and what each lacks."""
    for name, tool in TOOLS.items():
        if name in there:
            reason = lacking(tool, there[name])
            yield ProbeFinding(tool.title, "not there" if reason else "there", reason)


def environment_findings(environment: Mapping[str, object]) -> Iterator[ProbeFinding]:
    """Kernel and settings that decide latencies, from the agent's environment."""
    env = _Words(environment)
    if "release" not in environment:
        system = env.text("system") or "no word of it"
        yield ProbeFinding("kernel", system)
        return
    yield ProbeFinding(
        "kernel", f"{env.text('system')} {env.text('release')} {env.text('machine')}"
    )
    yield from _board(env)
    yield _preemption(env)
    yield _clock_source(env)
    yield _governor(env)
    yield from _turbo(env)
    yield from _smt(env)
    yield from _debugging(environment.get("kernel_options"))
    yield _idle_states(env)
    yield from _link_power(env)
    yield _isolated(env)
    yield _interrupts(env)
    yield from _irqbalance(env)
    yield from _interrupt_threads(env)
    yield _throttling(env)
    yield _memory(env)
    yield from _system_management(env)
    yield from _heat(env)


class _Words:
    """A JSON object of unknown make, read as text that is fit for a terminal's line."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values

    def text(self, key: str) -> str:
        """A string, number or boolean as text, cut; "" for anything else."""
        value = self._values.get(key)
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, float) or (isinstance(value, int) and abs(value) < 1 << 64):
            return str(value)
        return plain(value) if isinstance(value, str) else ""

    def texts(self, key: str) -> list[str]:
        """The strings of an array."""
        value = self._values.get(key)
        if not isinstance(value, list):
            return []
        return [plain(item) for item in value if isinstance(item, str)]

    def objects(self, key: str) -> list[_Words]:
        """The objects of an array."""
        value = self._values.get(key)
        if not isinstance(value, list):
            return []
        return [_Words(item) for item in value if isinstance(item, dict)]


def plain(text: str, length_max: int = _SHOWN_MAX) -> str:
    """One line that moves no terminal's cursor, cut to fit."""
    line = "".join(c if c.isprintable() else " " for c in text).strip()
    return line if len(line) <= length_max else line[: length_max - 3] + "..."


def cpu_list(text: str) -> set[int]:
    """The processors of a kernel's list such as `0-2,7`; what is no list is empty."""
    cpus: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"([0-9]{1,4})(?:-([0-9]{1,4}))?", part.strip())
        if match is None:
            return set()
        cpus.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return cpus


# --- one by one ----------------------------------------------------------------------------------


def _board(env: _Words) -> Iterator[ProbeFinding]:
    """Yield what the machine is, by its device tree or its firmware."""
    dmi = " ".join(filter(None, map(env.text, ("sys_vendor", "product_name"))))
    versions = {
        "firmware": " of ".join(filter(None, map(env.text, ("bios_version", "bios_date")))),
        "microcode": env.text("microcode"),
    }
    told = [env.text("board_model") or dmi, *(f"{k} {v}" for k, v in versions.items() if v)]
    if any(told):
        yield ProbeFinding("board", ", ".join(filter(None, told)))


def _preemption(env: _Words) -> ProbeFinding:
    model = env.text("preemption") or "unknown"
    mode = env.text("preemption_mode")
    state = f"{model}{f' ({mode})' if mode else ''}"
    if env.text("realtime") == "1" or model == "PREEMPT_RT":
        return ProbeFinding("preemption", state)
    package = f"linux-image-rt-{_DEBIAN_NAMES.get(env.text('machine'), 'ARCHITECTURE')}"
    mend = f"a PREEMPT_RT kernel bounds latencies; on Debian, as root: apt-get install {package}"
    return ProbeFinding("preemption", state, mend)


def _clock_source(env: _Words) -> ProbeFinding:
    source, others = env.text("clocksource"), env.text("clocksources")
    state = f"{source or 'unknown'}{f' (of {others})' if others else ''}"
    if source == "tsc" or env.text("machine") not in ("x86_64", "i686"):
        return ProbeFinding("clock source", state)
    mend = "the kernel does not trust its TSC: look for `clocksource` in dmesg"
    return ProbeFinding("clock source", state, mend)


def _governor(env: _Words) -> ProbeFinding:
    governors = sorted({cpu.text("governor") for cpu in env.objects("cpus")} - {""})
    if not governors:
        return ProbeFinding("governor", "no frequency scaling")
    state = ", ".join(governors)
    if governors == ["performance"]:
        return ProbeFinding("governor", state)
    return ProbeFinding("governor", state, "as root: cpupower frequency-set -g performance")


def _turbo(env: _Words) -> Iterator[ProbeFinding]:
    """A frequency above the nominal one depends on heat and on the other processors."""
    off = env.text("no_turbo") == "1" or env.text("boost") == "0"
    if off:
        yield ProbeFinding("turbo", "off")
    elif env.text("no_turbo") == "0":
        mend = "as root: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"
        yield ProbeFinding("turbo", "on: the frequency varies with heat and load", mend)
    elif env.text("boost") == "1":
        mend = "as root: echo 0 > /sys/devices/system/cpu/cpufreq/boost"
        yield ProbeFinding("turbo", "on: the frequency varies with heat and load", mend)


def _smt(env: _Words) -> Iterator[ProbeFinding]:
    control = env.text("smt")
    if control == "on":
        mend = "as root: echo off > /sys/devices/system/cpu/smt/control"
        state = "on: two logical processors share the units of a core"
        yield ProbeFinding("hyper-threading", state, mend)
    elif control:
        yield ProbeFinding("hyper-threading", control)


def _debugging(options: object) -> Iterator[ProbeFinding]:
    """Yield a finding on options that make a kernel slow, such as those for debugging."""
    if not isinstance(options, Mapping) or not options:
        return
    slow = [name for name in DEBUG_OPTIONS if options.get(name)]
    mend = "measure with a kernel that is built without them" if slow else ""
    yield ProbeFinding("kernel debugging", ", ".join(slow) or "none that is known", mend)


def _idle_states(env: _Words) -> ProbeFinding:
    """Each state is `NAME LATENCY us`, and `disabled` if it is."""
    states = sorted({state for cpu in env.objects("cpus") for state in cpu.texts("idle_states")})
    held = env.text("cpu_dma_latency_us")
    if held:
        return ProbeFinding("C-states", f"latency held at {held} us while the agent runs")
    deep = [state for state in states if _is_deep(state)]
    if not deep:
        return ProbeFinding("C-states", ", ".join(states) or "none")
    refused = env.text("cpu_dma_latency_refused")
    state = f"{', '.join(deep)}; /dev/cpu_dma_latency: {refused or 'not held'}"
    mend = "as root: chgrp /dev/cpu_dma_latency to a group of yours and chmod g+w it"
    return ProbeFinding("C-states", state, mend)


def _link_power(env: _Words) -> Iterator[ProbeFinding]:
    """A link that sleeps delays pins behind it. The kernel's list has the policy in brackets."""
    policy = re.search(r"\[([a-z]+)\]", env.text("pcie_aspm"))
    if policy is None:
        return
    mend = (
        "for pins behind PCI Express, as those of a card or a Raspberry Pi 5: boot with "
        "pcie_aspm.policy=performance"
    )
    asleep = policy[1] != "performance"
    yield ProbeFinding("PCI Express links", f"policy {policy[1]}", mend if asleep else "")


def _is_deep(state: str) -> bool:
    match = re.fullmatch(r".* ([0-9]{1,9}) us", state)  # a disabled one goes on after that
    return match is not None and int(match[1]) > IDLE_LATENCY_MAX_US


def _isolated(env: _Words) -> ProbeFinding:
    isolated, online = env.text("cpus_isolated"), env.text("cpus_online")
    if isolated or len(cpu_list(online)) <= 1:
        return ProbeFinding("isolated CPUs", f"{isolated or 'none'} of {online or 'unknown'}")
    mend = "boot with isolcpus=N nohz_full=N rcu_nocbs=N and arm with cpu=N"
    return ProbeFinding("isolated CPUs", f"none of {online or 'unknown'}", mend)


def _interrupts(env: _Words) -> ProbeFinding:
    irqs = env.objects("irqs")
    isolated = cpu_list(env.text("cpus_isolated"))
    there = [
        f"{irq.text('irq')} {irq.text('actions')}"
        for irq in irqs
        if cpu_list(irq.text("effective_affinity") or irq.text("affinity")) & isolated
    ]
    ports = [
        f"{irq.text('irq')} {irq.text('actions')} on CPU {irq.text('affinity')}"
        for irq in irqs
        if _OWN.search(irq.text("actions"))
    ]
    state = f"{len(irqs)} in use{'; ' if ports else ''}{', '.join(ports)}"
    others = [irq for irq in there if not _OWN.search(irq)]
    if not others:
        return ProbeFinding("IRQ affinity", state)
    mend = "as root, for each N: echo a CPU that is not isolated > /proc/irq/N/smp_affinity_list"
    return ProbeFinding("IRQ affinity", f"on isolated CPUs: {', '.join(others)}", mend)


def _irqbalance(env: _Words) -> Iterator[ProbeFinding]:
    running = env.text("irqbalance")
    if running == "true":
        mend = "as root: systemctl stop irqbalance"
        yield ProbeFinding("irqbalance", "runs: it moves interrupts while you measure", mend)
    elif running:
        yield ProbeFinding("irqbalance", "does not run")


def _interrupt_threads(env: _Words) -> Iterator[ProbeFinding]:
    for thread in env.objects("irq_threads"):
        name = thread.text("thread")
        if _OWN.search(name):
            state = f"{name}: {thread.text('policy')} {thread.text('priority')}"
            yield ProbeFinding("IRQ thread", state)


def _throttling(env: _Words) -> ProbeFinding:
    runtime, period = env.text("rt_runtime_us"), env.text("rt_period_us")
    if runtime == "-1":
        return ProbeFinding("real-time throttling", "off")
    state = f"{runtime or 'unknown'} of {period or 'unknown'} us"
    mend = "for tasks that use a whole CPU, as root: sysctl kernel.sched_rt_runtime_us=-1"
    return ProbeFinding("real-time throttling", state, mend)


def _memory(env: _Words) -> ProbeFinding:
    if env.text("memory_locked") == "false":
        mend = (
            'as root: echo "@GROUP - memlock unlimited" > /etc/security/limits.d/latency-rig.conf'
        )
        return ProbeFinding("memory", "not locked", mend)
    return ProbeFinding("memory", "locked" if env.text("memory_locked") else "unknown")


def _system_management(env: _Words) -> Iterator[ProbeFinding]:
    counts = [cpu.text("smi_count") for cpu in env.objects("cpus") if cpu.text("smi_count")]
    if counts:
        yield ProbeFinding("SMIs since reset", ", ".join(counts[:_CPUS_SHOWN]))


def _heat(env: _Words) -> Iterator[ProbeFinding]:
    """Processors that slow down when they are hot say so by a count since boot."""
    names = ("core_throttles", "package_throttles")
    counts = [cpu.text(name) for cpu in env.objects("cpus") for name in names]
    numbers = [int(count) for count in counts if re.fullmatch("[0-9]{1,18}", count)]
    if not numbers:
        return
    slowed = max(numbers)
    mend = "cool it, or hold a lower frequency: key frequency of a plan's [agent]" if slowed else ""
    yield ProbeFinding("slowed by heat", f"{slowed} times since boot", mend)
