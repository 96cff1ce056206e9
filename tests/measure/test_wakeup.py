# SPDX-License-Identifier: GPL-3.0-or-later
"""What the target's own tools print is read strictly, stored whole, and set beside the pin."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.config.plan import load_plan, parse_plan
from rig.errors import InputError
from rig.report.tables.record import Word
from rig.report.tables.tools import tool_records
from rig.resources import find_plan
from rig.target.link import AgentLink
from rig.target.tools import run_tools, tools_of
from rig.tools.figures import ToolHistogram
from rig.tools.hwlat import hwlat_figures
from rig.tools.readers import tool_figures
from rig.tools.tool_runs import TOOLS, ToolRun, from_json, lacking, to_json
from tests.target.real_agent import agent_program

CYCLICTEST = """\
# /dev/cpu_dma_latency set to 0us
T: 0 (  107) P:80 I:1000 C:  10000 Min:  13512 Act:   17663 Avg:   15492 Max:   24384

"""
TIMERLAT = """\
# RTLA timerlat histogram
# Time unit is nanoseconds (ns)
# Duration:   0 00:00:10
Index   IRQ-000   Thr-000
2000       9754         0
10000       246         0
15000         0        11
17000         0      9989
over:         0         0
count:    10000     10000
min:       2324     15696
avg:       2904     17898
max:      10867     28499
"""
CYCLICTEST_HISTOGRAM = """\
# /dev/cpu_dma_latency set to 0us
# Histogram
000000 000000\t000000
000001 000845\t000988
000002 000035\t000004
000003 000119\t000007
# Total: 000000999 000000999
# Min Latencies: 00001 00001
# Avg Latencies: 00001 00001
# Max Latencies: 00037 00003
# Histogram Overflows: 00001 00000
# Histogram Overflow at cycle number:
# Thread 0: 417
# Thread 1:

"""
TIMERLAT_OF_TWO = """\
# RTLA timerlat histogram
# Time unit is nanoseconds (ns)
# Duration:   0 00:00:01
Index   IRQ-000   Thr-000   IRQ-001   Thr-001
3000          1         0         1         0\x20
4000        921         0       994         0\x20
5000         78         0         4         0\x20
7000          0         0         1         0\x20
12000         0         0         1         0\x20
17000         0         0         0         1\x20
18000         0       170         0       267\x20
19000         0       809         0       723\x20
20000         0        21         0         7\x20
31000         0         0         0         1\x20
34000         0         0         0         1\x20
37000         0         0         0         1\x20
over:         0         0         0         0\x20
count:     1000      1000      1001      1001\x20
min:       3590     18380      3910     17950\x20
avg:       4163     19094      4100     19171\x20
max:       5110     20750     12460     37770\x20
"""
SIGNALTEST = """\
T: 0 (   88) P:80 C:   2881 Min:     59 Act:   59 Avg:   59 Max:      74
T: 1 (   89) P:80 C:   2881 Min:     59 Act:10086 Avg:  689 Max:   10094
"""
PTSEMATEST = """\
#0: ID122, P80, CPU0, I1000; #1: ID123, P80, CPU0, Cycles 817
#2: ID124, P79, CPU1, I1500; #3: ID125, P79, CPU1, Cycles 476
#1 -> #0, Min   21, Cur   43, Avg   26, Max   70
#3 -> #2, Min   21, Cur   43, Avg   24, Max   65
"""
PI_STRESS = """\
Total inversion performed: 21019
Test Duration: 0 days, 0 hours, 0 minutes, 4 seconds
"""
WAKEUP_RT = """\
# tracer: wakeup_rt
#
# wakeup_rt latency trace v1.1.5 on 6.1.0-56-rt-amd64
# --------------------------------------------------------------------
# latency: 96 us, #6/6, CPU#0 | (M:preempt_rt VP:0, KP:0, SP:0 HP:0 #P:1)
#    -----------------
#    | task: ktimers/0-15 (uid:0 nice:0 policy:1 rt_prio:1)
#    -----------------
#
#                    _--------=> CPU#
cyclicte-103       0dn.h411    1us+:      103:120:R   + [000]      15: 98:R ktimers/0
"""
IRQSOFF = """\
# tracer: irqsoff
#
# irqsoff latency trace v1.1.5 on 6.1.0
# --------------------------------------------------------------------
# latency: 16 us, #4/4, CPU#1 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:4)
#    -----------------
#    | task: swapper/0-0 (uid:0 nice:0 policy:0 rt_prio:0)
#    -----------------
#  => started at: run_timer_softirq
#  => ended at:   run_timer_softirq
#
"""
"""As the kernel's Documentation/trace/ftrace.rst has it; the others were printed by guests."""
HWLAT = """\
# tracer: hwlat
#
# entries-in-buffer/entries-written: 2/2   #P:4
#
#                                _-----=> irqs-off/BH-disabled
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
           <...>-1638    [000] d....   432.143021: #1     inner/outer(us):   29/11    \
ts:1584711.123456789 count:3
 hwlatd-1638    [001] d....   433.143021: #2     inner/outer(us):   11/130   \
ts:1584712.123456789 nmi-total:4 nmi-count:1
"""


def told(tool: str, output: str) -> ToolRun:
    return ToolRun(tool, exit_code=0, output=output)


# --- what they print ----------------------------------------------------------------------------


def test_cyclictest():
    (found,) = tool_figures(told("cyclictest", CYCLICTEST))
    figures = (found.n, found.min_ns, found.average_ns, found.max_ns)
    assert figures == (10000, 13512, 15492, 24384)
    assert found.what.startswith("from the time that a sleep should end")


def test_timerlat_has_an_interrupt_and_a_thread():
    interrupt, thread = tool_figures(told("timerlat", TIMERLAT))
    assert (interrupt.n, interrupt.min_ns, interrupt.average_ns, interrupt.max_ns) == (
        10000, 2324, 2904, 10867
    )  # fmt: skip
    assert (thread.min_ns, thread.average_ns, thread.max_ns) == (15696, 17898, 28499)


def test_cyclictest_has_a_histogram_for_each_processor():
    """Its average is that of all values, those beyond the histogram among them."""
    first, second = tool_figures(told("cyclictest", CYCLICTEST_HISTOGRAM))
    assert (first.name, first.n) == ("cyclictest, processor 0", 1000)
    assert (first.min_ns, first.average_ns, first.max_ns) == (1000, 1000, 37000)
    assert first.histogram == ToolHistogram(1000, (1000, 2000, 3000), (845, 35, 119), 1)
    assert (second.cpu, second.n, second.max_ns) == (1, 999, 3000)
    assert second.histogram == ToolHistogram(1000, (1000, 2000, 3000), (988, 4, 7), 0)


def test_timerlat_has_two_histograms_for_each_processor():
    found = tool_figures(told("timerlat", TIMERLAT_OF_TWO))
    assert [each.name.removeprefix("rtla timerlat, ") for each in found] == [
        "interrupt, processor 0", "thread, processor 0",
        "interrupt, processor 1", "thread, processor 1",
    ]  # fmt: skip
    assert found[0].histogram == ToolHistogram(1000, (3000, 4000, 5000), (1, 921, 78), 0)
    assert found[3].histogram.first_ns[-1] == 37000
    newer = TIMERLAT_OF_TWO + "ALL:        IRQ       Thr       Usr\ncount:     1000    1000   0\n"
    assert tool_figures(told("timerlat", newer)) == found


def test_signals_make_a_round_trip_by_the_first_thread():
    """In the second's times are the pauses of the first."""
    (found,) = tool_figures(told("signaltest", SIGNALTEST))
    assert (found.n, found.min_ns, found.average_ns, found.max_ns) == (2881, 59000, 59000, 74000)


def test_ptsematest_has_a_pair_for_each_processor():
    first, second = tool_figures(told("ptsematest", PTSEMATEST))
    assert (first.n, first.min_ns, first.average_ns, first.max_ns) == (817, 21000, 26000, 70000)
    assert (second.cpu, second.n, second.max_ns) == (1, 476, 65000)


def test_pi_stress_counts_inversions():
    (found,) = tool_figures(told("pi_stress", PI_STRESS))
    assert (found.n, found.max_ns) == (21019, None)


def test_a_tracer_has_the_longest_and_where_it_was():
    (found,) = tool_figures(told("wakeup_rt", WAKEUP_RT))
    assert (found.n, found.max_ns) == (None, 96000)
    assert found.what.endswith("to the processor: processor 0, task: ktimers/0-15")
    (found,) = tool_figures(told("irqsoff", IRQSOFF))
    assert found.what == (
        "longest time with interrupts off: processor 1, task: swapper/0-0, run_timer_softirq, "
        "run_timer_softirq"
    )
    (nothing,) = tool_figures(told("wakeup_rt", "# tracer: wakeup_rt\n#\n"))
    assert (nothing.n, nothing.max_ns) == (0, None)


def test_a_column_that_counted_nothing_is_left_out():
    text = TIMERLAT.replace("count:    10000     10000", "count:        0     10000")
    text = text.replace("2324  ", "-     ").replace("2904  ", "-     ").replace("10867 ", "-     ")
    (thread,) = tool_figures(told("timerlat", text))
    assert thread.title == "rtla timerlat, thread"


def test_hwlat():
    found = hwlat_figures(told("hwlat", HWLAT))
    assert (found.samples, found.gaps) == (2, 4)
    assert (found.inner_max_us, found.outer_max_us, found.longest_us) == (29, 130, 130)
    assert (found.least_us, found.average_us, found.deviation_us) == (29, 79.5, 50.5)
    assert found.average_interval_s == pytest.approx(1.0)


def test_hwlat_without_a_gap():
    head = HWLAT[: HWLAT.index("           <...>")]
    found = hwlat_figures(told("hwlat", head))
    assert (found.samples, found.gaps, found.longest_us) == (0, 0, 0)
    assert (found.least_us, found.average_us, found.average_interval_s) == (None, None, None)


@pytest.mark.parametrize(
    ("tool", "output", "part"),
    [
        ("cyclictest", "", "it printed nothing"),
        ("cyclictest", "FATAL: Unable to change scheduling policy!", "Unable to change"),
        ("cyclictest", CYCLICTEST * 2, "no summary of its threads"),
        ("cyclictest", CYCLICTEST.replace("T: 0", "T: 1"), "no summary"),
        ("cyclictest", CYCLICTEST.replace("15492", "1e5"), "no summary"),
        ("cyclictest", CYCLICTEST.replace("15492", "-5"), "no summary"),
        ("cyclictest", CYCLICTEST.replace("15492", "99999"), "contradict"),
        ("cyclictest", CYCLICTEST.replace(" 10000", "     0"), "measured nothing"),
        ("cyclictest", CYCLICTEST.replace("13512", "9" * 40), "no summary"),
        ("cyclictest", "x\n" * 30_000, "30,000 lines"),
        ("cyclictest", CYCLICTEST_HISTOGRAM.replace("000003 ", "000009 "), "out of order"),
        ("cyclictest", CYCLICTEST_HISTOGRAM.replace("\t000988", ""), "different lengths"),
        ("cyclictest", CYCLICTEST_HISTOGRAM.replace("000845", "000844"), "has 998 values, and its"),
        ("cyclictest", CYCLICTEST_HISTOGRAM.replace("# Max", "# Mix"), "no line # Max"),
        ("cyclictest", CYCLICTEST_HISTOGRAM.replace("00037", "0003e"), "is no number"),
        ("timerlat", TIMERLAT.replace("9989", "9988"), "9999 values, and its summary 10000"),
        ("signaltest", "", "it printed nothing"),
        ("signaltest", SIGNALTEST.replace("T: 1", "T: 2"), "no summary of two"),
        ("signaltest", SIGNALTEST.replace("2881", "0"), "measured nothing"),
        ("ptsematest", PTSEMATEST.replace("#3 ->", "#5 ->"), "no summary of its pairs"),
        ("ptsematest", PTSEMATEST.replace("Max   70", "Max    7"), "contradict"),
        ("ptsematest", PTSEMATEST + PTSEMATEST, "no summary of its pairs"),
        ("pi_stress", "ERROR: group 0 deadlocked", "group 0 deadlocked"),
        ("wakeup_rt", IRQSOFF, "is no trace of it"),
        ("wakeup_rt", WAKEUP_RT * 2, "has 2 latencies"),
        ("timerlat", "", "it printed nothing"),
        ("timerlat", TIMERLAT.replace("min:", "mine:"), "no summary"),
        ("timerlat", TIMERLAT.replace("Thr-000", "Thr-"), "no histogram"),
        ("timerlat", TIMERLAT.replace(" 28499", ""), "summary max: has 1 values"),
        ("timerlat", TIMERLAT.replace("28499", "28.5"), "is no number"),
        ("timerlat", TIMERLAT.replace("28499", "-"), "has holes"),
        ("timerlat", TIMERLAT.replace("28499", "1"), "contradict"),
        ("timerlat", TIMERLAT + TIMERLAT, "no histogram"),
    ],
)
def test_what_is_not_their_output_is_said_in_words(tool, output, part):
    with pytest.raises(ValueError, match=part):
        tool_figures(told(tool, output))


@pytest.mark.parametrize(
    "output", ["", "mkdir: Permission denied", HWLAT.replace("29/11", "29"), HWLAT + "more\n"]
)
def test_what_is_not_of_the_tracer_is_said_in_words(output):
    with pytest.raises(ValueError, match=r"printed|no sample"):
        hwlat_figures(told("hwlat", output))


@given(
    st.sampled_from(
        [
            ("cyclictest", CYCLICTEST),
            ("cyclictest", CYCLICTEST_HISTOGRAM),
            ("timerlat", TIMERLAT),
            ("timerlat", TIMERLAT_OF_TWO),
            ("hwlat", HWLAT),
            ("signaltest", SIGNALTEST),
            ("ptsematest", PTSEMATEST),
            ("pi_stress", PI_STRESS),
            ("wakeup_rt", WAKEUP_RT),
            ("irqsoff", IRQSOFF),
        ]
    ),
    st.data(),
)
def test_mutilated_output_gives_figures_in_order_or_an_error(chosen, data):
    tool, text = chosen
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 40)))
    text = text[:start] + data.draw(st.text(max_size=20)) + text[stop:]
    try:
        if tool == "hwlat":
            assert hwlat_figures(told(tool, text)).samples <= 10_000
            return
        for each in tool_figures(told(tool, text)):
            known = [each.min_ns, each.average_ns, each.max_ns]
            known = [time_ns for time_ns in known if time_ns is not None]
            assert known == sorted(known)
            assert each.n is None or each.n >= 0
            if each.histogram is not None:
                assert sum(each.histogram.counts) + each.histogram.beyond == each.n
    except ValueError:
        pass


# --- in the run file ----------------------------------------------------------------------------


def test_they_are_stored_as_they_came():
    runs = (told("cyclictest", CYCLICTEST), ToolRun("hwlat", "duration_s=1", "not there"))
    assert from_json(to_json(runs)) == runs
    assert from_json("") == ()


@pytest.mark.parametrize(
    "text",
    [
        "[]", "{}", "null", '{"runs": 5}', '{"runs": [5]}', '{"runs": [{}]}',
        '{"runs": [{"tool": "sh"}]}', '{"runs": [{"tool": 5}]}',
        '{"runs": [{"tool": "hwlat", "output": 5}]}',
        '{"runs": [{"tool": "hwlat", "exit_code": "0"}]}',
        '{"runs": [{"tool": "hwlat", "more": 1}]}',
        json.dumps({"runs": [{"tool": "hwlat", "output": "x" * 300_000}]}),
        json.dumps({"runs": [{"tool": "hwlat"}] * 17}),
        "{",
    ],
)  # fmt: skip
def test_what_was_not_stored_so_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011 - the file's name is told elsewhere
        from_json(text)


# --- the plan -----------------------------------------------------------------------------------


def test_the_tools_have_the_tasks_own_period_priority_and_processor():
    plan = load_plan("wakeup")
    words = plan.tools.wire_arguments("cyclictest", plan.agent)
    assert words == {"duration_s": 10, "period_us": 1000, "priority": 80, "cpu": 0}
    fewer = plan.with_overrides(count=2500, period="500 us")
    words = fewer.tools.wire_arguments("timerlat", fewer.agent)
    assert (words["duration_s"], words["period_us"]) == (2, 500)


def test_a_period_that_they_do_not_know_is_told():
    plan = load_plan("wakeup")
    odd = plan.with_overrides(period="100500 ns")
    with pytest.raises(ValueError, match="whole microseconds only"):
        odd.tools.wire_arguments("cyclictest", odd.agent)


@pytest.mark.parametrize(
    ("plan", "old", "new", "part"),
    [
        ("wakeup", '["cyclictest", "timerlat"]', '["oslat"]', "cyclictest, timerlat"),
        ("wakeup", '["cyclictest", "timerlat"]', "[]", "run"),
        ("wakeup", '["cyclictest", "timerlat"]', '["cyclictest", "cyclictest"]', "each once"),
        ("wakeup", '["cyclictest", "timerlat"]', '"cyclictest"', "a list of"),
        ("wakeup", '# duration = "10 s" ', 'duration = "1500 ms" ', "whole seconds"),
        ("wakeup", '# duration = "10 s" ', 'window = "1 s" ', "window"),
        ("smi", 'width = "500 ms"', 'width = "1 s"', "below window"),
        ("smi", 'width = "500 ms"', "", "width"),
        ("smi", 'duration = "10 s"', "", "duration"),
        ("smi", 'threshold = "50 us" ', 'threshold = "10 us" ', "above pause"),
        ("smi", 'pause = "10 us" ', 'pause = "1.0005 us" ', "whole nanoseconds"),
        ("interrupt", "[capture]", '[tools]\nrun = ["hwlat"]\n[capture]', "duration"),
        (
            "interrupt",
            "[capture]",
            '[tools]\nrun = ["cyclictest"]\nduration="1 s"\n[capture]',
            "period",
        ),
        ("wakeup", '# duration = "10 s" ', 'cpus = "0" ', "all"),
        ("wakeup", '# duration = "10 s" ', 'histogram = "1.5 us" ', "whole microseconds"),
    ],
)
def test_a_wrong_plan_is_one_clear_line(plan, old, new, part):
    text = find_plan(plan).read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(InputError, match=part) as error:
        parse_plan(text.replace(old, new), "plan.toml")
    assert "\n" not in str(error.value)


# --- a real agent -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def agent(tmp_path_factory) -> Iterator[AgentLink]:
    path = tmp_path_factory.mktemp("agent") / "line"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(1)
        words = [agent_program(), "--port", "posix", "--device", path, "--tcp", "0",
                 "--allow-unlocked", "--cpu-dma-latency", "off"]  # fmt: skip
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
            try:
                assert process.stderr is not None
                port = int(process.stderr.readline().rsplit(":", 1)[1])
                pins, _ = listener.accept()
                with pins, AgentLink.open("127.0.0.1", port) as link:
                    yield link
            finally:
                process.terminate()
                process.communicate(timeout=20)


def test_an_agent_knows_all_tools_and_says_what_each_lacks(agent):
    found = tools_of(agent)
    assert set(found) == set(TOOLS)
    for name, word in found.items():
        assert word == "ready" or "cannot start it" not in lacking(TOOLS[name], word)


def test_what_a_target_lacks_is_a_reason_and_no_error(agent):
    """Whatever this machine has: a tool ran, or it is said why not and nothing was begun."""
    words = {"duration_s": 1, "period_us": 1000, "priority": 0}
    wanted = dict.fromkeys(("cyclictest", "timerlat"), words) | {"hwlat": "no such thing"}
    begun: list[str] = []
    runs = run_tools(agent, wanted, threading.Event(), begun.append)
    there = tools_of(agent)
    assert [run.tool for run in runs] == [*wanted]
    assert begun == [name for name in ("cyclictest", "timerlat") if there[name] == "ready"]
    for run in runs[:2]:
        assert (run.exit_code is None) == (there[run.tool] != "ready")
        assert run.reason or tool_figures(run)
    assert runs[2] == ToolRun("hwlat", reason="no such thing")


def test_after_an_interrupt_none_is_begun(agent):
    stop = threading.Event()
    stop.set()
    begun: list[str] = []
    (run,) = run_tools(agent, {"cyclictest": {"duration_s": 60}}, stop, begun.append)
    assert not begun
    assert run.reason
    assert run.exit_code is None


def test_an_agent_of_before_starts_none(agent):
    older = AgentLink.__new__(AgentLink)
    older.greeting = {name: word for name, word in agent.greeting.items() if name != "tools"}
    assert tools_of(older) == {}
    (run,) = run_tools(older, {"hwlat": {"duration_s": 1}}, threading.Event(), lambda _name: None)
    assert run == replace(run, reason="the target's agent starts no tools", output="")


# --- in tables ----------------------------------------------------------------------------------


def test_each_figure_is_a_record_of_its_own_and_a_reason_a_remark():
    runs = (
        told("cyclictest", CYCLICTEST),
        told("timerlat", TIMERLAT),
        ToolRun("hwlat", reason="not there"),
        told("cyclictest", "nonsense"),
    )
    found = tool_records(runs, "board", "1ms", "idle")
    assert [each.subject_name for each in found] == [
        "wakeup by cyclictest",
        "wakeup by rtla timerlat, interrupt",
        "wakeup by rtla timerlat, thread",
        "smi by hwlat",
        "wakeup by cyclictest",
    ]
    assert found[0].figures["gap_ns"] == 24384 - 13512
    assert found[0].witness is Word.NONE
    assert (found[3].n, found[3].remark) == (None, "not there")
    assert found[4].remark.startswith("not understood: ")
    assert {(each.system, each.variant, each.scenario) for each in found} == {
        ("board", "1ms", "idle")
    }
