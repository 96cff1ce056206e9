# SPDX-License-Identifier: GPL-3.0-or-later
"""The wizard's stages, one file each, in their order."""

from __future__ import annotations

from calibration.wizard.stages import (
    access,
    board,
    calibrate,
    connect,
    deploy,
    measure,
    save,
    special_wiring,
    wires,
    wires_back,
)
from calibration.wizard.stages.stage import Stage, StageContext

STAGES: dict[str, Stage] = {
    stage.name: stage
    for stage in (
        board.STAGE,
        wires.STAGE,
        access.STAGE,
        deploy.STAGE,
        connect.STAGE,
        calibrate.STAGE,
        *special_wiring.STAGES,
        wires_back.STAGE,
        measure.STAGE,
        save.STAGE,
    )
}
KEYS = (
    "bench", "board", "lines", "stimulus", "port", "analyzer", "connection", "sample-rate",
    "channels", "target", "agent-arguments", "ssh-config", "deploy", "wires", "steps",
    "seconds", "pps", "frequency-counter", "channel-skew", "loopback", "far-channel", "line",
    "plan", "count", "runs", "file",
)  # fmt: skip
"""Every question there can be."""

__all__ = ["KEYS", "STAGES", "Stage", "StageContext"]
