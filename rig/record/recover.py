# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies the raw data of a file that a crash left into a file that opens normally."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rig.errors import InputError
from rig.instruments import Loss, LossKind
from rig.record.layout import CHUNK
from rig.record.reader import RunFile
from rig.record.writer import RunWriter

RECOVERED = "recovered"
"""State of a run whose end is missing."""


@dataclass(frozen=True)
class Recovered:
    """What was there."""

    edges: int
    samples: int
    captures: int
    log_records: int
    complete: bool
    """The run had come to its end."""
    digest: str
    """The digest of all raw data of the copy, in hexadecimal."""


def recover(source: Path, out: Path) -> Recovered:
    """Copy every whole edge, answer, log record and loss event to the new file `out`.

    `source` is only read. Raises InputError if it needs no recovery or cannot be read, or if `out`
    exists; BenchError if the disk is too full. No part of a file is left behind then.
    """
    with RunFile(source) as run:
        if not run.left_open:
            raise InputError(f"{source}: opens normally, nothing to recover; use it as it is")
        texts, settings, report = run.texts(), run.settings, run.report
        writer = RunWriter(out, texts, settings, attributes=run.attributes)
        try:
            with writer:
                _copy(run, writer)
                state = run.state
                digest = writer.finish(RECOVERED if state == "running" else state, report)
        except (OSError, RuntimeError) as error:  # what h5py raises for a damaged chunk
            out.unlink()
            raise InputError(f"{source}: damaged run file ({error})") from None
        except BaseException:
            out.unlink()
            raise
        return Recovered(
            run.edge_count,
            run.covered_samples,
            run.capture_count,
            run.log_count,
            complete=state != "running",
            digest=digest,
        )


def _copy(run: RunFile, writer: RunWriter) -> None:
    for block in run.edge_blocks():
        writer.edges(block)
    for first in range(0, run.capture_count, CHUNK):
        writer.captures(run.captures(first, CHUNK))
    for first in range(0, run.log_count, CHUNK):
        writer.log(run.log(first, CHUNK))
    for kind, sample, text in run.losses():
        if kind not in set(LossKind):
            raise InputError(f"{run.path}: damaged run file, no loss is called {kind!r}")
        writer.loss(Loss(LossKind(kind), sample, text))
