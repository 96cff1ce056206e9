# SPDX-License-Identifier: GPL-3.0-or-later
"""What a target decides ahead, and the samples of many edges, against one by one."""

from __future__ import annotations

import socket
import threading
from contextlib import ExitStack

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.config.virtual.bench import (
    ConstantModel,
    FaultSettings,
    GammaModel,
    LoadModel,
    VirtualTarget,
)
from rig.virtual.analyzer import VirtualAnalyzer
from rig.virtual.answer_pins import AnswerWires
from rig.virtual.models import BLOCK
from rig.virtual.target import ModelledTarget
from rig.virtual.truth import TruthLog, load_truth
from rig.virtual.wired_target import WireEdges

US = 10**6
WIRES = AnswerWires(1, (2, 3, 4))
MODEL = GammaModel(3 * US, 4 * US, 2.5)


def settings_of(model=MODEL, **others):
    return VirtualTarget(model, 7, 50_000, 10**9, -12_000, **others)


def played(folder, times, play, model=MODEL):
    """Log, truth, edges on the wires and what is drawn next, of a target that was played to."""
    path = folder / "truth.bin"
    with ExitStack() as stack:
        truth = stack.enter_context(TruthLog(path))
        target = stack.enter_context(
            ModelledTarget(settings_of(model), FaultSettings(), WIRES, truth)
        )
        target.arm(len(times), 3, rising=True)
        edges = play(target, times)
        end_ps = int(times[-1]) + 10**12
        edges += target.take_edges(end_ps) + target.take_many(end_ps).listed()
        target.on_stimulus(end_ps, 1)
        edges += target.take_edges(2 * end_ps)
        summary = target.stop()
        log = target.log(0, summary.records).copy()
        truth.finish({})
    return log, load_truth(path)[0], sorted(edges), summary


def one_by_one(target, times):
    for time_ps in times.tolist():
        target.on_stimulus(time_ps, 1)
    return []


def in_pieces(rng):
    """As the emulator does it, some interrupts at a time."""

    def play(target, times):
        edges = []
        while len(times):
            ahead = target.answers_ahead()
            count = min(len(times), int(rng.integers(0, 600)), len(ahead.latency_ps))
            answers_ps, free_ps = [], ahead.free_ps
            for time_ps, latency_ps in zip(
                times[:count].tolist(), ahead.latency_ps.tolist(), strict=False
            ):
                answers_ps.append(max(time_ps + latency_ps, free_ps))
                free_ps = answers_ps[-1] + ahead.apart_ps
            target.answered(times[:count], np.array(answers_ps, np.int64))
            times = times[count:]
            if len(times) and rng.random() < 0.3:
                target.on_stimulus(int(times[0]), 1)
                times = times[1:]
            now_ps = int(times[0]) if len(times) else 0
            edges += target.take_edges(now_ps) + target.take_many(now_ps).listed()
        return edges

    return play


def test_answers_ahead_are_those_that_come_one_by_one(tmp_path):
    rng = np.random.default_rng(1)
    times = np.cumsum(rng.integers(15 * US, 300 * US, 2 * BLOCK + 100))
    alone = played(tmp_path, times, one_by_one)
    ahead = played(tmp_path, times, in_pieces(rng))
    for single, many in zip(alone[:2], ahead[:2], strict=True):
        assert np.array_equal(single, many)
    assert alone[2:] == ahead[2:]
    latencies = alone[1]["response_ps"] - alone[1]["stimulus_ps"]
    assert len(alone[0]) == len(times)
    assert (np.diff(alone[1]["response_ps"]) == 20 * US).any(), "none of them was held back"
    assert latencies.min() >= 3 * US


def test_a_full_log_drops_the_same_records(tmp_path):
    def filled(play):
        with ModelledTarget(settings_of(), FaultSettings(), WIRES, TruthLog(None)) as target:
            target.arm(30, 3, rising=True)
            play(target, np.arange(1, 101) * 100 * US)
            summary = target.stop()
            return summary, target.log(0, 100).tobytes()

    assert filled(one_by_one) == filled(in_pieces(np.random.default_rng(2)))


@pytest.mark.parametrize(
    ("settings", "misbehavior"),
    [
        (settings_of(LoadModel(5 * US, US, US, 0.5, 10**9)), FaultSettings()),
        (settings_of(service_time_ps=10 * US), FaultSettings()),
        (settings_of(), FaultSettings(miss=0.1)),
        (settings_of(), FaultSettings(merge=0.1, merge_mask_ps=US)),
    ],
)
def test_what_depends_on_the_interrupts_or_on_chance_is_not_decided_ahead(settings, misbehavior):
    with ModelledTarget(settings, misbehavior, WIRES, TruthLog(None)) as target:
        target.arm(10, 0, rising=True)
        assert target.answers_ahead() is None


def test_nothing_is_decided_ahead_by_a_target_that_is_not_armed_or_measures_by_itself():
    model = settings_of(ConstantModel(US))
    with ModelledTarget(model, FaultSettings(), WIRES, TruthLog(None)) as target:
        assert target.answers_ahead() is None
        target.arm_periods(10, 0, period_ns=10**6, count=5)
        assert target.answers_ahead() is None
        target.arm(10, 0, rising=True)
        assert target.answers_ahead() is not None


def test_who_stops_the_target_waits_for_what_was_decided_ahead():
    with ModelledTarget(settings_of(), FaultSettings(), WIRES, TruthLog(None)) as target:
        target.arm(10, 0, rising=True)
        assert target.answers_ahead() is not None
        summaries = []
        host = threading.Thread(target=lambda: summaries.append(target.stop()))
        host.start()
        while target._ahead.waiting == 0:
            pass
        assert target.armed
        target.answered(np.array([US]), np.array([5 * US]))
        host.join(60)
        assert [summary.handled for summary in summaries] == [1]
        assert target.answers_ahead() is None


def samples_of(emit, wide):
    """What a host receives while `emit` is called with the analyzer, which streams at 24 MHz."""
    with VirtualAnalyzer(14 if wide else 8, 1_000) as analyzer:
        host = socket.create_connection(("127.0.0.1", analyzer.port))
        with host, host.makefile("rb") as replies:
            host.sendall(b"samplerate 24000000\n")
            assert replies.readline() == b"ok\n"
            host.sendall(b"get\n")
            while not analyzer.streaming:
                pass
            emit(analyzer)
            analyzer.flush()
            lost = sum(drop.samples for drop in analyzer.drops)
            count = analyzer.capture.sample_at(END_PS) - lost
            return replies.read(count * (2 if wide else 1)), analyzer.drops


END_PS = 10 * 10**9


@st.composite
def toggles(draw):
    """Edges in order of time; each changes its channel's level."""
    times = sorted(draw(st.lists(st.integers(0, END_PS - 1), max_size=40)))
    levels, edges = [0] * 8, []
    for time_ps in times:
        channel = draw(st.integers(0, 7))
        levels[channel] ^= 1
        edges.append((time_ps, channel, levels[channel]))
    return sorted(edges, key=lambda edge: edge[0])


@settings(max_examples=40)
@given(toggles(), st.lists(st.integers(1, END_PS), max_size=5), st.booleans(), st.booleans())
def test_samples_of_many_edges_are_those_of_each(edges, borders, wide, holes):
    borders = sorted({*borders, END_PS})

    def emit(analyzer, how):
        if holes:
            analyzer.drop(END_PS // 3, END_PS // 100)
        begin = 0
        for border in borders:
            piece = [edge for edge in edges if begin <= edge[0] < border]
            how(analyzer, piece, border)
            begin = border

    one = samples_of(lambda a: emit(a, lambda a, e, t: a.emit(e, t)), wide)
    many = samples_of(lambda a: emit(a, lambda a, e, t: a.emit_many(WireEdges.of(e), t)), wide)
    assert one == many


def test_many_edges_outside_their_stretch_of_time_are_refused():
    with VirtualAnalyzer(8) as analyzer:
        analyzer.emit([], 100)
        for time_ps in (99, 200):
            with pytest.raises(ValueError, match="are not within 100 to 200 ps"):
                analyzer.emit_many(WireEdges.of([(time_ps, 0, 1)]), 200)
