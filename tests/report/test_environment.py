# SPDX-License-Identifier: GPL-3.0-or-later
"""An environment as lines that can be compared from run to run."""

from __future__ import annotations

from rig.report.environment import flat, readings_of, without_readings


def test_each_thread_has_its_line():
    threads = [
        {"thread": "irq/7-parport0", "policy": "fifo", "priority": 50},
        {"thread": "irq/9-acpi", "policy": "fifo", "priority": 49},
        {"policy": "other"},
    ]
    found = dict(flat({"system": "Linux", "irq_threads": threads, "isolated": [2, 3], "idle": []}))
    assert found == {
        "system": "Linux",
        "irq_threads irq/7-parport0": "policy fifo, priority 50",
        "irq_threads irq/9-acpi": "policy fifo, priority 49",
        "irq_threads 3": "policy other",
        "isolated": "2, 3",
    }


def test_threads_of_one_name_have_a_line_each():
    threads = [{"thread": "motion", "priority": 80}, {"thread": "motion", "priority": 70}]
    found = dict(flat({"realtime_threads": threads, "cpus": [{"cpu": 0}, {"cpu": 1}]}))
    assert found == {
        "realtime_threads motion": "priority 80",
        "realtime_threads motion 2": "priority 70",
        "cpus": "0, 1",
    }


def test_readings_are_apart_from_what_tells_systems_apart():
    inside = {
        "uptime": "7.1 6.0",
        "microcode": "0xf0",
        "mitigations": {"meltdown": "Mitigation: PTI"},
        "cpus": [{"cpu": 3, "governor": "performance", "core_throttles": "17"}, {"cpu": 4}],
        "thermal_zones": [{"name": "x86_pkg_temp", "temperature_mdegc": "61000"}],
    }
    known = {"tick_hz": 5, "agent": "rig-agent", "load": "the plan's", "environment": inside}
    assert dict(flat(readings_of(known))) == {
        "tick_hz": "5",
        "uptime": "7.1 6.0",
        "cpus 3": "core_throttles 17",
        "thermal_zones x86_pkg_temp": "temperature_mdegc 61000",
    }
    assert dict(flat(without_readings(known))) == {
        "agent": "rig-agent",
        "load": "the plan's",
        "microcode": "0xf0",
        "mitigations meltdown": "Mitigation: PTI",
        "cpus 3": "governor performance",
        "cpus": "4",
        "thermal_zones": "x86_pkg_temp",
    }
    for hostile in ("text", [1, {"uptime": {}}], None):
        assert dict(flat(readings_of({"environment": hostile}))) == {}
