# SPDX-License-Identifier: GPL-3.0-or-later
"""An environment as lines that can be compared from run to run."""

from __future__ import annotations

from rig.report.environment import flat


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
