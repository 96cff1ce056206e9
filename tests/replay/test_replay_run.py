# SPDX-License-Identifier: GPL-3.0-or-later
"""`--fixture replay:RUN.h5`: a run again, the same to the byte."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rig.bench.replay import open_replay, replay_fixture
from rig.capture.replay.analyzer import ReplayAnalyzer
from rig.errors import InputError
from rig.instruments import Backlog, CaptureEnd, CaptureItem, EdgeBlock, Loss, LossKind
from rig.record.reader import RunFile
from rig.record.writer import RunWriter
from rig.session.results import store, stored_text
from tests.replay.captures import block, rig, sr_of, toggles

PARTIES = ("analyzer", "stimulus", "target")


def raw_of(path: Path) -> tuple[object, ...]:
    """All that was measured, in a form that can be compared."""
    with RunFile(path) as file:
        blocks = list(file.edge_blocks())
        edges = [
            np.concatenate([getattr(block, name) for block in blocks]).tolist()
            for name in ("index", "channel", "level")
        ]
        log = file.log(0, file.log_count).tobytes()
        captures = file.captures(0, file.capture_count).tolist()
        return edges, file.covered_samples, log, captures, file.losses(), file.report, file.settings


def remade(
    original: Path,
    out: Path,
    *,
    losses: Sequence[Loss] = (),
    state: str = "complete",
    report: dict[str, object] | None = None,
    texts: dict[str, str] | None = None,
) -> Path:
    """The same run once more, with something changed."""
    with RunFile(original) as file:
        stored = file.texts() | (texts or {})
        with RunWriter(out, stored, file.settings) as writer:
            for block in file.edge_blocks():
                writer.edges(block)
            for loss in losses:
                writer.loss(loss)
            writer.captures(file.captures(0, file.capture_count))
            writer.log(file.log(0, file.log_count))
            writer.finish(state, file.report if report is None else report)
    return out


@pytest.fixture(scope="module", params=["virtual", "virtual-misbehaving"])
def original(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of 300 stimuli."""
    out = tmp_path_factory.mktemp("run") / "run.h5"
    ended = rig("run", "interrupt", "--fixture", request.param, "--count", 300, "--out", out)
    assert out.exists(), ended.stderr
    return out


def replay(file: Path, out: Path, *words: object, plan: object = "interrupt") -> tuple[int, str]:
    ended = rig("run", plan, "--fixture", f"replay:{file}", "--out", out, *words)
    return ended.returncode, ended.stderr


def test_a_replay_is_the_same_to_the_byte(original: Path, tmp_path: Path) -> None:
    out = tmp_path / "again.h5"
    code, errors = replay(original, out, "--count", 300)
    verdict = json.loads(stored_text(original))["verdict"]
    assert code == (0 if verdict == "pass" else 1), errors
    assert stored_text(out) == stored_text(original)
    assert raw_of(out) == raw_of(original)
    with RunFile(original) as one, RunFile(out) as other:
        assert one.text("fixture") == other.text("fixture")
        assert json.loads(other.text("environment/analyzer"))["driver"] == "replay"


def test_a_replay_can_be_replayed(original: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "1.h5", tmp_path / "2.h5"
    replay(original, first, "--count", 300)
    replay(first, second, "--count", 300)
    assert stored_text(second) == stored_text(original)


def test_other_limits_judge_the_same_run(original: Path, tmp_path: Path) -> None:
    with RunFile(original) as file:
        plan = file.text("plan").replace("[limits]", '[limits]\nmax_latency = "1 us"')
    path = tmp_path / "strict.toml"
    path.write_text(plan)
    code, _ = replay(original, tmp_path / "again.h5", "--count", 300, plan=path)
    assert code == 1
    assert any("exceeds 1.000 us" in r for r in store(tmp_path / "again.h5").evaluation.reasons)


def test_losses_are_replayed_where_they_were(original: Path, tmp_path: Path) -> None:
    losses = [
        Loss(LossKind.LOG_WARNING, 5_000, "usb: hiccup"),
        Loss(LossKind.STALL, 2**40, "long after"),
    ]
    lossy = remade(original, tmp_path / "lossy.h5", losses=losses)
    store(lossy)
    code, errors = replay(lossy, tmp_path / "again.h5", "--count", 300)
    assert code == 4, errors
    assert stored_text(tmp_path / "again.h5") == stored_text(lossy)
    assert "driver warning at sample 5,000: usb: hiccup" in stored_text(lossy)


def test_another_train_is_refused(original: Path, tmp_path: Path) -> None:
    for words, field in (((), "count"), (("--count", 300, "--seed", 9), "seed")):
        code, errors = replay(original, tmp_path / "again.h5", *words)
        assert code == 2
        assert f"was made with another train ({field} differ)" in errors
        assert not (tmp_path / "again.h5").exists()


def test_a_longer_timeout_than_was_captured_ends(original: Path, tmp_path: Path) -> None:
    with RunFile(original) as file:
        plan = file.text("plan").replace('timeout = "100 ms"', 'timeout = "30 s"')
    path = tmp_path / "patient.toml"
    path.write_text(plan)
    code, errors = replay(original, tmp_path / "again.h5", "--count", 300, plan=path)
    assert code == 3
    assert "stopped after" in errors


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"state": "failed"}, "that is failed cannot be replayed"),
        ({"state": "running"}, "that is running cannot be replayed"),
        ({"report": {}}, "its report has no handled"),
        ({"report": {"sent": -1}}, "report: sent: -1 found"),
    ],
)
def test_runs_that_cannot_be_replayed(
    original: Path, tmp_path: Path, changed: dict[str, Any], told: str
) -> None:
    path = remade(original, tmp_path / "run.h5", **changed)
    code, errors = replay(path, tmp_path / "again.h5", "--count", 300)
    assert code == 2
    assert told in errors
    assert errors.rstrip().splitlines()[-1].startswith("rig: ")
    assert not (tmp_path / "again.h5").exists()


@pytest.mark.parametrize("party", PARTIES)
@pytest.mark.parametrize("text", ["", "[]", "{}", "{"])
def test_damaged_identities(original: Path, tmp_path: Path, party: str, text: str) -> None:
    texts = {f"environment/{party}": text}
    path = remade(original, tmp_path / "run.h5", texts=texts)
    with (
        pytest.raises(InputError, match=f"damaged run file, .*{party}"),
        open_replay(path, replay_fixture(path)),
    ):
        pass


def test_a_capture_is_no_bench(tmp_path: Path) -> None:
    session = sr_of(tmp_path / "a.sr", toggles())
    code, errors = replay(session, tmp_path / "again.h5")
    assert code == 2
    assert "not a readable run file" in errors


# --- the analyzer by itself ----------------------------------------------------------------------


class Stored:
    """A source of three items."""

    identity = SimpleNamespace()
    block = block([(3, 0, 1)], 10)
    loss = Loss(LossKind.STALL, 10, "")

    def items(self) -> Iterator[CaptureItem]:
        yield self.block
        yield self.loss
        yield CaptureEnd(10, asked=True)


def items_until_none(analyzer: ReplayAnalyzer) -> list[object]:
    return list(iter(lambda: analyzer.read(0), None))


def test_the_end_comes_when_it_is_asked_for() -> None:
    analyzer = ReplayAnalyzer(Stored(), threading.Event(), Backlog())
    assert analyzer.read(0) is None
    for _ in range(2):
        analyzer.start()
        assert items_until_none(analyzer) == [Stored.block, Stored.loss]
        analyzer.stop()
        assert items_until_none(analyzer) == [CaptureEnd(10, asked=True)]
        assert analyzer.read(0) is None


def test_what_is_left_comes_after_stop() -> None:
    analyzer = ReplayAnalyzer(Stored(), threading.Event(), Backlog())
    analyzer.start()
    analyzer.stop()
    kinds = [type(item) for item in items_until_none(analyzer)]
    assert kinds == [EdgeBlock, Loss, CaptureEnd]


class BrokenOff(Stored):
    """A source of one item, behind which nothing can be read."""

    def items(self) -> Iterator[CaptureItem]:
        yield self.block
        raise InputError("damaged")


@pytest.mark.timeout(20)
def test_a_capture_that_cannot_be_read_further_ends_there() -> None:
    """A run that failed at it reads on until the capture's end."""
    analyzer = ReplayAnalyzer(BrokenOff(), threading.Event(), Backlog())
    analyzer.start()
    assert analyzer.read(0) == Stored.block
    with pytest.raises(InputError, match="damaged"):
        analyzer.read(0)
    analyzer.stop()
    assert analyzer.read(0) == CaptureEnd(10, asked=True)


def test_a_stored_run_without_edges_is_played(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with RunWriter(path, {"plan": "", "fixture": "", "calibration": ""}, {}) as writer:
        writer.finish("complete", {})
    with pytest.raises(InputError, match="its fixture"):
        replay_fixture(path)
