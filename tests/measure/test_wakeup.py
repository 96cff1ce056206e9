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
from rig.tools.hwlat import hwlat_figures
from rig.tools.tool_runs import TOOLS, ToolRun, from_json, lacking, to_json
from rig.tools.wakeup import wakeup_figures
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
15000         0        11
over:         0         0
count:    10000     10000
min:       2324     15696
avg:       2904     17898
max:      10867     28499
"""
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
    (found,) = wakeup_figures(told("cyclictest", CYCLICTEST))
    figures = (found.n, found.min_ns, found.average_ns, found.max_ns)
    assert figures == (10000, 13512, 15492, 24384)
    assert found.what.startswith("from the time that a sleep should end")


def test_timerlat_has_an_interrupt_and_a_thread():
    interrupt, thread = wakeup_figures(told("timerlat", TIMERLAT))
    assert (interrupt.n, interrupt.min_ns, interrupt.average_ns, interrupt.max_ns) == (
        10000, 2324, 2904, 10867
    )  # fmt: skip
    assert (thread.min_ns, thread.average_ns, thread.max_ns) == (15696, 17898, 28499)


def test_a_column_that_counted_nothing_is_left_out():
    text = TIMERLAT.replace("count:    10000     10000", "count:        0     10000")
    text = text.replace("2324  ", "-     ").replace("2904  ", "-     ").replace("10867 ", "-     ")
    (thread,) = wakeup_figures(told("timerlat", text))
    assert thread.title == "rtla timerlat, thread"


def test_hwlat():
    found = hwlat_figures(told("hwlat", HWLAT))
    assert (found.samples, found.gaps) == (2, 4)
    assert (found.inner_max_us, found.outer_max_us, found.longest_us) == (29, 130, 130)


def test_hwlat_without_a_gap():
    head = HWLAT[: HWLAT.index("           <...>")]
    found = hwlat_figures(told("hwlat", head))
    assert (found.samples, found.gaps, found.longest_us) == (0, 0, 0)


@pytest.mark.parametrize(
    ("tool", "output", "part"),
    [
        ("cyclictest", "", "it printed nothing"),
        ("cyclictest", "FATAL: Unable to change scheduling policy!", "Unable to change"),
        ("cyclictest", CYCLICTEST * 2, "no summary of one thread"),
        ("cyclictest", CYCLICTEST.replace("T: 0", "T: 1"), "no summary"),
        ("cyclictest", CYCLICTEST.replace("15492", "1e5"), "no summary"),
        ("cyclictest", CYCLICTEST.replace("15492", "-5"), "no summary"),
        ("cyclictest", CYCLICTEST.replace("15492", "99999"), "contradict"),
        ("cyclictest", CYCLICTEST.replace(" 10000", "     0"), "measured nothing"),
        ("cyclictest", CYCLICTEST.replace("13512", "9" * 40), "no summary"),
        ("cyclictest", "x\n" * 30_000, "30,000 lines"),
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
        wakeup_figures(told(tool, output))


@pytest.mark.parametrize(
    "output", ["", "mkdir: Permission denied", HWLAT.replace("29/11", "29"), HWLAT + "more\n"]
)
def test_what_is_not_of_the_tracer_is_said_in_words(output):
    with pytest.raises(ValueError, match=r"printed|no sample"):
        hwlat_figures(told("hwlat", output))


@given(
    st.sampled_from([("cyclictest", CYCLICTEST), ("timerlat", TIMERLAT), ("hwlat", HWLAT)]),
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
        for each in wakeup_figures(told(tool, text)):
            assert each.n > 0
            assert 0 <= each.min_ns <= each.average_ns <= each.max_ns
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
        ("interrupt", "[capture]", '[tools]\nrun = ["hwlat"]\n[capture]', "has no tools beside"),
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
        assert run.reason or wakeup_figures(run)
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
