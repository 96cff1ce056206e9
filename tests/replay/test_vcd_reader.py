# SPDX-License-Identifier: GPL-3.0-or-later
"""Value change dumps: sigrok's own, other programs' ways of writing them, and garbage."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.capture.replay import vcd_reader
from rig.capture.replay.capture_file import open_capture
from rig.errors import InputError
from rig.instruments import LossKind
from tests.replay.captures import (
    LATENCIES,
    NAMES,
    PERIOD,
    RATE_HZ,
    edges_of,
    outcome_of,
    pulses,
    read,
    sr_of,
    vcd_of,
)

HEADER = """\
$date today $end
$version a simulator
  with two lines $end
$timescale 10ns $end
$scope module top $end
$var wire 1 ! stimulus $end
$scope module inner $end
$var reg 1 " response $end
$var reg 8 # bus [7:0] $end
$var real 64 $ level $end
$var wire 1 % other $end
$upscope $end
$var wire 1 & other $end
$upscope $end
$enddefinitions $end
"""


def dump(path: Path, body: str, header: str = HEADER) -> Path:
    path.write_text(header + body)
    return path


def test_a_header_may_have_as_many_words_as_the_bound_and_no_more(tmp_path, monkeypatch) -> None:
    path = dump(tmp_path / "a.vcd", '#0\n0!\n0"\n#5\n1!\n#9\n')
    words = len(HEADER.split())
    monkeypatch.setattr(vcd_reader, "_HEADER_MAX_WORDS", words)
    assert open_capture(path, NAMES, None)
    monkeypatch.setattr(vcd_reader, "_HEADER_MAX_WORDS", words - 1)
    with pytest.raises(InputError, match="the header has no end"):
        open_capture(path, NAMES, None)


def test_what_sigrok_writes_gives_the_samples_it_was_made_of(tmp_path: Path) -> None:
    session = sr_of(tmp_path / "a.sr", pulses())
    path = vcd_of(tmp_path / "a.vcd", session)
    edges, losses, samples = read(path, rate_hz=RATE_HZ)
    assert (edges, losses, samples) == (edges_of(pulses()), [], len(LATENCIES) * PERIOD)


def test_without_a_rate_every_tick_is_a_sample(tmp_path: Path) -> None:
    path = dump(tmp_path / "a.vcd", '#0\n0! 0"\n#70 1!\n#75 1"\n#80\n')
    assert open_capture(path, NAMES, None).source.identity.sample_rate_hz == 100_000_000
    assert read(path) == ([(70, 0, 1), (75, 1, 1)], [], 80)


def test_all_that_a_simulator_writes(tmp_path: Path) -> None:
    body = """\
$comment #5 1! is not a change $end
#100
$dumpvars
0! b1 " bxx01 # r1.5e3 $ 0% x&
$end
#110 1! b1010 #
#120
r2 $ b0 "
sHELLO $
#120 0!
#130
"""
    path = dump(tmp_path / "a.vcd", body)
    assert read(path) == ([(10, 0, 1), (20, 0, 0), (20, 1, 0)], [], 30)


def test_the_last_level_within_a_sample_counts(tmp_path: Path) -> None:
    body = '#0 0! 0"\n#10 1!\n#10 0!\n#20 1! 0! 1!\n#43 0!\n#44 1!\n#100\n'
    assert read(dump(tmp_path / "a.vcd", body))[0] == [(20, 0, 1), (43, 0, 0), (44, 0, 1)]
    # At 10 MHz ten ticks are a sample, and 43 and 44 the same one.
    assert read(tmp_path / "a.vcd", rate_hz=10_000_000)[0] == [(2, 0, 1)]


def test_a_level_that_is_not_yet_known_is_no_edge(tmp_path: Path) -> None:
    edges, losses, _ = read(dump(tmp_path / "a.vcd", '#0 x! z"\n#5 1!\n#9 0"\n#20 0! 1"\n'))
    assert (edges, losses) == ([(20, 0, 0), (20, 1, 1)], [])


def test_an_unknown_level_later_is_a_loss(tmp_path: Path) -> None:
    body = '#0 0! 0"\n#5 1!\n#9 x!\n#12 z!\n#14 1! 1"\n#20 x"\n#30 0"\n'
    edges, (loss,), _ = read(dump(tmp_path / "a.vcd", body))
    assert edges == [(5, 0, 1), (14, 1, 1), (30, 1, 0)]
    assert (loss.kind, loss.sample) == (LossKind.UNKNOWN_LEVEL, 9)
    assert loss.text.startswith("x or z 2 on stimulus, 1 on response")


def test_all_in_one_line(tmp_path: Path) -> None:
    body = '#0 0! 0" #7 1! #9 1" #12'
    path = dump(tmp_path / "a.vcd", body, HEADER.replace("\n", " "))
    assert read(path) == ([(7, 0, 1), (9, 1, 1)], [], 12)


def test_names(tmp_path: Path) -> None:
    path = dump(tmp_path / "a.vcd", '#0 0! 0" 0% 0&\n#3 1%\n#5 1&\n#9\n')
    assert read(path, ["top.other", "top.inner.other"])[0] == [(3, 1, 1), (5, 0, 1)]
    assert read(path, ["D3", "D2"])[0] == [(3, 1, 1), (5, 0, 1)]
    assert read(path, ["D0", "response"])[0] == []
    for name in ("other", "bus", "level", "D4", "nothing"):  # "other" could be two signals
        with pytest.raises(InputError, match=f"no channel '{name}'.*valid: .*top.inner.other"):
            open_capture(path, ["stimulus", name], None)


def test_two_names_of_one_net_are_one_channel(tmp_path: Path) -> None:
    path = dump(tmp_path / "a.vcd", "#0\n", HEADER.replace("$var wire 1 %", "$var wire 1 !"))
    with pytest.raises(InputError, match="the same channel"):
        open_capture(path, ["stimulus", "top.inner.other"], None)


@pytest.mark.parametrize(
    ("scale", "rate_hz"), [("1 s", 1), ("100 us", 10_000), ("1ps", 10**12), ("1 fs", 10**15)]
)
def test_time_scales(scale: str, rate_hz: int, tmp_path: Path) -> None:
    path = dump(tmp_path / "a.vcd", "#0\n", HEADER.replace("10ns", scale))
    assert open_capture(path, NAMES, None).source.identity.sample_rate_hz == rate_hz


def test_many_edges_come_in_many_blocks(tmp_path: Path) -> None:
    n = 80_000
    body = "".join(f"#{10 * k} {k % 2}!\n" for k in range(n))
    path = dump(tmp_path / "a.vcd", body)
    expected = [(10 * k, 0, k % 2) for k in range(1, n)]
    assert read(path)[0] == expected


def test_memory_does_not_grow_with_the_dump(tmp_path: Path) -> None:
    def peak_bytes(n: int) -> int:
        path = tmp_path / f"{n}.vcd"
        with path.open("w") as file:
            file.write(HEADER)
            file.writelines(f"#{10 * k} {k % 2}!\n" for k in range(n))
        tracemalloc.start()
        try:
            for _ in open_capture(path, NAMES, None).source.items():
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak_bytes(100_000) < peak_bytes(35_000) + (1 << 20)


@pytest.mark.parametrize(
    ("body", "line", "told"),
    [
        ("#0\n#10\n#9\n", 18, "'#9': the time runs backward"),
        ("#1x\n", 16, "'#1x' is no time"),
        (f"#{10**30}\n", 16, "is no time"),
        ("#0\n#9999999999999999999\n", 17, "too large"),
        ("#0\n?!\n", 17, "'?!' is no value change"),
        ("#0\n$boom $end\n", 17, "'$boom' is no command"),
        ("#0\n1 !\n", 17, "a level without a signal"),
        ("#0\nbq !\n", 17, "'bq' is no vector"),
        ("#0\n\x1b[31m\n", 17, "is no value change"),
    ],
)
def test_garbage_behind_the_header(body: str, line: int, told: str, tmp_path: Path) -> None:
    error = outcome_of(dump(tmp_path / "a.vcd", body))
    assert error.startswith(f"{tmp_path / 'a.vcd'}:{line}: ")
    assert told in error
    assert error.isprintable()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("$enddefinitions $end", "", "no command of a header"),
        ("10ns", "3 ns", "timescale '3ns'"),
        ("10ns", "1 parsec", "timescale"),
        ("$timescale 10ns $end", "", "no $timescale"),
        ("$var wire 1 ! stimulus $end", "$var wire 1 $end", "less than four words"),
        ("10ns", "10 s", "longer than 1 s; give a rate"),
        ("stimulus $end", "\x07 $end", "no printable name"),
    ],
)
def test_garbage_in_the_header(old: str, new: str, told: str, tmp_path: Path) -> None:
    error = outcome_of(dump(tmp_path / "a.vcd", "#0\n", HEADER.replace(old, new)))
    assert told in error
    assert error.isprintable()


def test_a_header_without_an_end(tmp_path: Path) -> None:
    assert "no $enddefinitions" in outcome_of(dump(tmp_path / "a.vcd", "", HEADER[:100]))
    wide = HEADER.replace(" 1 ", " 2 ")
    assert "no signal of one bit" in outcome_of(dump(tmp_path / "b.vcd", "", wide))
    assert "line does not end" in outcome_of(dump(tmp_path / "c.vcd", "x" * 2_000_000, "$"))


def test_names_do_not_swell(tmp_path: Path) -> None:
    """A file of 200 kB whose signals would have 60 MB of names, and one with a long name."""
    deep = "".join(f"$scope module m{n} $end\n" for n in range(3000))
    signals = "".join(f"$var wire 1 {n:x}. s{n} $end\n" for n in range(5000))
    header = HEADER.replace("$enddefinitions", f"{deep}{signals}$enddefinitions")
    assert "up to 1000 characters" in outcome_of(dump(tmp_path / "a.vcd", "#0\n", header))
    long = HEADER.replace("other", "o" * 900).replace("stimulus", "s")
    told = outcome_of(dump(tmp_path / "b.vcd", "#0\n", long))
    assert "no channel 'stimulus'" in told
    assert len(told) < 500 + len(str(tmp_path))


def test_a_rate_finer_than_the_time_scale_is_refused(tmp_path: Path) -> None:
    path = dump(tmp_path / "a.vcd", "#0\n")
    with pytest.raises(InputError, match="too coarse for 200000000 samples"):
        open_capture(path, NAMES, 200_000_000)


WORDS = st.sampled_from(
    ["#", "#1", "#25", "#7", "1!", "0!", 'x"', '1"', "b1", "b01", "!", "r1", "$comment", "$end"]
)


@settings(max_examples=300)
@given(words=st.lists(st.one_of(WORDS, st.text(max_size=4)), max_size=12), cut=st.integers(0, 420))
def test_any_text_is_one_line_or_a_capture(
    words: list[str], cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.vcd"
    header = HEADER if cut > len(HEADER) else HEADER[:cut]
    path.write_text(header + " ".join(words), encoding="utf-8")
    assert "\n" not in outcome_of(path)
