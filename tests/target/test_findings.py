# SPDX-License-Identifier: GPL-3.0-or-later
"""What is made of an agent's environment: known systems, and words of any kind."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.instruments import TargetIdentity
from rig.measurements.registry import MEASUREMENTS
from rig.target.findings import (
    STATE_MAX,
    ProbeFinding,
    agent_findings,
    cpu_list,
    environment_findings,
)
from rig.target.permissions import DeviceFile, UnixAccount, account_findings

IDENTITY = TargetIdentity("rig-agent", "0.1.0", 2, 2_600_000_000)
GOOD = {
    "system": "Linux",
    "release": "6.1.0-rt",
    "machine": "x86_64",
    "preemption": "PREEMPT_RT",
    "realtime": "1",
    "clocksource": "tsc",
    "clocksources": "tsc hpet",
    "cpus_online": "0-3",
    "cpus_isolated": "3",
    "rt_runtime_us": "-1",
    "rt_period_us": "1000000",
    "memory_locked": True,
    "cpu_dma_latency_us": 0,
    "cpus": [{"cpu": 3, "governor": "performance", "idle_states": ["C6 133 us"], "smi_count": 17}],
    "smt": "off",
    "no_turbo": "1",
    "kernel_options": {"HZ": "250"},
    "sys_vendor": "Supermicro",
    "product_name": "X11",
    "bios_version": "2.4",
    "bios_date": "01/02/2024",
    "microcode": "0xf0",
    "irqbalance": False,
    "pcie_aspm": "default [performance] powersave powersupersave",
    "irqs": [
        {"irq": 7, "actions": "parport0", "affinity": "3", "effective_affinity": "3"},
        {"irq": 8, "actions": "rtc0", "affinity": "0-3", "effective_affinity": "0"},
    ],
    "irq_threads": [{"thread": "irq/7-parport0", "policy": "fifo", "priority": 50}],
}


def by_name(findings) -> dict[str, ProbeFinding]:
    return {finding.what: finding for finding in findings}


def test_a_system_as_it_should_be() -> None:
    found = by_name(environment_findings(GOOD))
    assert [name for name, finding in found.items() if finding.mend] == []
    assert found["kernel"].state == "Linux 6.1.0-rt x86_64"
    assert found["isolated CPUs"].state == "3 of 0-3"
    assert found["hyper-threading"].state == "off"
    assert found["turbo"].state == "off"
    assert found["kernel debugging"].state == "none that is known"
    assert found["IRQ affinity"].state == "2 in use; 7 parport0 on CPU 3"
    assert found["IRQ thread"].state == "irq/7-parport0: fifo 50"
    assert found["SMIs since reset"].state == "17"
    assert found["board"].state == ("Supermicro X11, firmware 2.4 of 01/02/2024, microcode 0xf0")
    assert found["irqbalance"].state == "does not run"
    pi = {**GOOD, "board_model": "Raspberry Pi 5", "bios_version": None, "bios_date": None}
    assert by_name(environment_findings(pi))["board"].state == "Raspberry Pi 5, microcode 0xf0"


@pytest.mark.parametrize(
    ("change", "what", "state", "mend"),
    [
        (
            {"preemption": "PREEMPT_DYNAMIC", "realtime": "0", "preemption_mode": "full"},
            "preemption",
            "PREEMPT_DYNAMIC (full)",
            "linux-image-rt-amd64",
        ),
        ({"clocksource": "hpet"}, "clock source", "hpet (of tsc hpet)", "dmesg"),
        ({"cpus": [{"governor": "powersave"}, {"governor": "performance"}]}, "governor",
         "performance, powersave", "cpupower frequency-set -g performance"),
        (
            {"cpu_dma_latency_us": None, "cpu_dma_latency_refused": "Permission denied"},
            "C-states",
            "C6 133 us; /dev/cpu_dma_latency: Permission denied",
            "chgrp /dev/cpu_dma_latency",
        ),
        ({"cpus_isolated": ""}, "isolated CPUs", "none of 0-3", "isolcpus="),
        (
            {"irqs": [{"irq": 8, "actions": "rtc0", "affinity": "2-3"}]},
            "IRQ affinity",
            "on isolated CPUs: 8 rtc0",
            "smp_affinity_list",
        ),
        ({"smt": "on"}, "hyper-threading", "on: two logical processors share the units of a core",
         "echo off > /sys"),
        ({"irqbalance": True}, "irqbalance", "runs: it moves interrupts while you measure",
         "systemctl stop irqbalance"),
        ({"cpus": [{"core_throttles": "0", "package_throttles": "12"}, {"core_throttles": "x"}]},
         "slowed by heat", "12 times since boot", "cool it"),
        ({"no_turbo": "0"}, "turbo", "on: the frequency varies with heat and load", "echo 1 > "),
        ({"no_turbo": None, "boost": "1"}, "turbo",
         "on: the frequency varies with heat and load", "echo 0 > "),
        ({"kernel_options": {"KASAN": "y", "PROVE_LOCKING": "y", "HZ": "250"}}, "kernel debugging",
         "PROVE_LOCKING, KASAN", "without them"),
        ({"rt_runtime_us": "950000"}, "real-time throttling", "950000 of 1000000 us", "sysctl"),
        ({"pcie_aspm": "[default] performance"}, "PCI Express links", "policy default",
         "boot with pcie_aspm.policy=performance"),
        ({"memory_locked": False}, "memory", "not locked", "memlock unlimited"),
    ],
)  # fmt: skip
def test_each_thing_amiss_and_its_mending(change, what: str, state: str, mend: str) -> None:
    found = by_name(environment_findings({**GOOD, **change}))
    assert found[what].state == state
    assert mend in found[what].mend
    assert [name for name, finding in found.items() if finding.mend] == [what]


@pytest.mark.parametrize(
    ("states", "deep"),
    [(["POLL 0 us", "C1 2 us"], False), (["C6 133 us disabled"], False), (["C6 133 us"], True)],
)
def test_idle_states_that_matter(states: list[str], deep: bool) -> None:
    env = {**GOOD, "cpu_dma_latency_us": None, "cpus": [{"idle_states": states}]}
    assert bool(by_name(environment_findings(env))["C-states"].mend) is deep


@pytest.mark.parametrize(
    ("words", "state", "mend", "commands"),
    [
        ({"load_program": "stress-ng", "commands": "1"}, "cpu, io", "", "those of a fixture are"),
        ({"load_program": "rig-agent", "commands": "0"}, "cpu, io", "install stress-ng", "none of"),
        ({}, "cpu, io", "", "none of a fixture is run"),
    ],
)
def test_loads_and_what_makes_them(words, state: str, mend: str, commands: str) -> None:
    found = by_name(agent_findings(IDENTITY, {"port": "kmod", "loads": "cpu,io", **words}))
    assert found["loads"].state == state
    assert mend in found["loads"].mend
    assert bool(found["loads"].mend) == bool(mend)
    assert found["commands"].state.startswith(commands)
    assert "loads" not in by_name(agent_findings(IDENTITY, {"port": "kmod"}))


def test_a_counter_whose_rate_may_change_is_noted() -> None:
    measurements = {"port": "ppdev", "measurements": "interrupt_to_task,period"}
    words = {"counter": "tsc", "rate": "kernel", **measurements}
    good = by_name(agent_findings(IDENTITY, {**words, "invariant": "1"}))
    assert good["counter"].state == "tsc, 2600.000000 MHz (kernel), invariant"
    assert good["port"].state == "ppdev: interrupt_to_task, period"
    bad = by_name(agent_findings(IDENTITY, {**words, "invariant": "0"}))["counter"]
    assert not bad.needed, "the agent was told to use it, and runs are made with it"
    assert bad.state.endswith("not invariant: its rate may change")
    assert "--counter monotonic_raw" in bad.mend
    emulated = agent_findings(IDENTITY, {**words, "invariant": "0"}, virtual_time=True)
    assert by_name(emulated)["counter"].mend == ""


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(), below, max_size=3),
    max_leaves=4,
)
VALUES = st.text(st.characters(), max_size=200) | JSON
BELOW = {key for value in GOOD.values() if isinstance(value, list) for key in value[0]}


@st.composite
def environments(draw):
    """One that is right but for some values, at the top and in the objects below it."""
    environment = {**GOOD, "cpu_dma_latency_refused": "no", "preemption_mode": "full"}
    for key in draw(st.sets(st.sampled_from(sorted(environment)), max_size=4)):
        environment[key] = draw(VALUES)
    for key in ("cpus", "irqs", "irq_threads"):
        bad = draw(st.dictionaries(st.sampled_from(sorted(BELOW)), VALUES, max_size=2))
        if isinstance(environment[key], list):
            environment[key] = [*environment[key], {**GOOD[key][0], **bad}]
    return environment


@given(environments())
def test_an_environment_of_any_kind_gives_plain_lines(environment) -> None:
    for finding in environment_findings(environment):
        assert finding.state.isprintable()
        assert finding.mend.isprintable()
        assert len(finding.state) <= STATE_MAX


def test_what_an_agent_calls_itself_moves_no_cursor() -> None:
    identity = TargetIdentity("\x1b[2Jagent", "1", 2, 10**9)
    for finding in agent_findings(identity, {"port": "a\x1bb" * 999, "rate": "\r"}):
        assert finding.state.isprintable()
        assert len(finding.state) <= STATE_MAX


def test_all_measurements_of_an_agent_are_told() -> None:
    greeting = {"port": "kmod", "measurements": ",".join(MEASUREMENTS)}
    (told,) = (
        each.state
        for each in agent_findings(TargetIdentity("agent", "1", 2, 10**9), greeting)
        if each.what == "port"
    )
    assert told == f"kmod: {', '.join(MEASUREMENTS)}"


@given(st.sets(st.integers(0, 9999), min_size=1), st.data())
def test_lists_of_processors(cpus: set[int], data) -> None:
    text = ",".join(str(cpu) for cpu in sorted(cpus))
    assert cpu_list(text) == cpus
    first = data.draw(st.integers(0, 9999))
    last = data.draw(st.integers(first, 9999))
    assert cpu_list(f"{text},{first}-{last}\n") == cpus | set(range(first, last + 1))


@pytest.mark.parametrize("text", ["", "x", "1-", "-1", "1,,2", "99999", "1-2-3", "٣"])
def test_what_is_no_list_of_processors(text: str) -> None:
    assert cpu_list(text) == set()


# --- permissions ---------------------------------------------------------------------------------


def account(*devices: DeviceFile, is_root: bool = False, priority_max: int = 99) -> UnixAccount:
    return UnixAccount("x86_64", "6.1", "ann", is_root, devices, priority_max, frozenset())


def test_a_device_that_may_not_be_used() -> None:
    group = DeviceFile("/dev/parport0", usable=False, group="lp")
    found = by_name(account_findings(account(group), "ppdev"))["device /dev/parport0"]
    assert found.needed
    assert found.mend == "as root: usermod -aG lp ann, then log in again"
    assert not by_name(account_findings(account(group), "gpio"))["device /dev/parport0"].needed
    roots = DeviceFile("/dev/latency-rig", usable=False, group="root")
    found = by_name(account_findings(account(roots), "kmod"))["device /dev/latency-rig"]
    assert 'KERNEL=="latency-rig"' in found.mend


def test_what_secure_boot_and_lockdown_forbid() -> None:
    locked = replace(account(), lockdown="integrity", secure_boot=True)
    found = by_name(account_findings(locked, "kmod"))
    assert "DKMS" in found["Secure Boot"].mend
    assert not found["lockdown"].needed
    assert by_name(account_findings(locked, "ioport"))["lockdown"].needed
    free = by_name(account_findings(replace(locked, lockdown="none", secure_boot=False), "ioport"))
    assert not {"Secure Boot", "lockdown"} & free.keys()


@pytest.mark.parametrize(
    ("port", "prefix"),
    [("ppdev", "/dev/parport*"), ("gpio", "/dev/gpiochip*"), ("kmod", "/dev/latency-rig*")],
)
def test_a_port_without_its_device(port: str, prefix: str) -> None:
    found = by_name(account_findings(account(), port))[f"port {port}"]
    assert (found.state, found.needed) == (f"no {prefix}", True)


def test_what_needs_root() -> None:
    usable = DeviceFile("/dev/parport0", usable=True, group="lp")
    found = by_name(account_findings(account(usable, priority_max=0), "ioport"))
    assert found["I/O ports"].needed
    assert "'ann - rtprio 99' >> /etc/security/limits.d" in found["real-time priority"].mend
    found = by_name(account_findings(account(usable, is_root=True, priority_max=0), "ioport"))
    assert [finding.what for finding in found.values() if finding.mend] == []
