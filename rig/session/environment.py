# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run was made with and under what conditions, as JSON texts for the run file."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict

import h5py
import numpy as np
import serial

from rig import __version__
from rig.bench.open import Bench


def environment_of(
    bench: Bench,
    load: Mapping[str, object] | None = None,
    frequency: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """One text for each party: host, analyzer, stimulus, target with the `load` on it.

    `frequency`: the agent's account of a processor's that is held.
    """
    host = {
        "latency-rig": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "numpy": np.__version__,
        "h5py": h5py.__version__,
        "pyserial": serial.__version__,
    }
    target = {**asdict(bench.target.identity), "environment": bench.target.environment()}
    if load:
        target["scenario"] = dict(load)
    if frequency:
        target["frequency"] = dict(frequency)
    return {
        "environment/host": _text(host),
        "environment/analyzer": _text(asdict(bench.analyzer.identity)),
        "environment/stimulus": _text(asdict(bench.stimulus.identity)),
        "environment/target": _text(target),
    }


def _text(values: Mapping[str, object]) -> str:
    return json.dumps(values, sort_keys=True, indent=1)
