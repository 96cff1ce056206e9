# SPDX-License-Identifier: GPL-3.0-or-later
"""The host's end of the serial line, against a script."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from rig.errors import BenchError
from rig.instruments import StimulusState
from rig.stimulus.chip import described
from rig.stimulus.device import GREETING, SerialStimulus
from rig.stimulus.link import ScpiLink
from rig.stimulus.train import Pattern, Polarity, Train
from tests.chip import CHIP

from .fake_firmware import DESCRIPTION, IDENTITY, FakeFirmware, block, fake_firmware, framed

TRAIN = Train(
    Pattern.UNIFORM,
    count=1000,
    seed=5,
    delay_ticks=16_000,
    width_ticks=160,
    polarity=Polarity.NEGATIVE,
    interval_min_ticks=3_200,
    interval_max_ticks=28_800,
)


@pytest.fixture
def firmware() -> Iterator[FakeFirmware]:
    with fake_firmware() as fake:
        yield fake


@pytest.fixture
def stimulus(firmware: FakeFirmware) -> Iterator[SerialStimulus]:
    with SerialStimulus(
        ScpiLink(firmware.port, GREETING, reply_timeout_s=0.3), CHIP, 5.0
    ) as device:
        yield device


def test_identity_is_read(stimulus: SerialStimulus) -> None:
    identity = stimulus.identity
    assert (identity.maker, identity.model) == ("Latency Rig", "Stimulus ATmega328P")
    assert (identity.serial, identity.firmware) == ("7", "0.1.0")
    assert (identity.interface_level, identity.clock_hz) == (2, 16_000_000)


def test_train_is_sent_as_ticks(firmware: FakeFirmware, stimulus: SerialStimulus) -> None:
    firmware.lines.clear()
    stimulus.configure(TRAIN)
    stimulus.start()
    assert [line for line in firmware.lines if not line.endswith("?")] == [
        "SOUR:PATT UNIF",
        "SOUR:COUN 1000",
        "SOUR:SEED 5",
        "SOUR:DEL 16000",
        "SOUR:PULS:WIDT 160",
        "SOUR:POL NEG",
        "SOUR:INT:MIN 3200",
        "SOUR:INT:MAX 28800",
        "INIT",
    ]


def test_refusal_names_line_and_error(firmware: FakeFirmware, stimulus: SerialStimulus) -> None:
    firmware.replies["SYST:ERR?"] = b'-222,"Data out of range"\n'
    with pytest.raises(BenchError) as refused:
        stimulus.configure(TRAIN)
    assert str(refused.value) == (
        f"{firmware.port}: the stimulus refused 'SOUR:PATT UNIF': -222,\"Data out of range\""
    )


def test_status_is_taken_apart(firmware: FakeFirmware, stimulus: SerialStimulus) -> None:
    firmware.replies["STAT?"] = b"RUN,1000,17,2,99,16,1,18446744073709551615\n"
    status = stimulus.status()
    assert status.state is StimulusState.RUNNING
    assert (status.planned, status.sent, status.late, status.late_max_ticks) == (1000, 17, 2, 99)
    assert (status.captured, status.capture_overruns) == (16, 1)
    assert status.now_ticks == 2**64 - 1


@pytest.mark.parametrize("reply", [b"RUN,1,2\n", b"WALK,1,2,3,4,5,6,7\n", b"RUN,1,2,3,4,5,6,x\n"])
def test_status_that_is_none(
    firmware: FakeFirmware, stimulus: SerialStimulus, reply: bytes
) -> None:
    firmware.replies["STAT?"] = reply
    with pytest.raises(BenchError, match=r"STAT\? was answered by"):
        stimulus.status()


def test_ticks_are_extended_to_64_bits(firmware: FakeFirmware, stimulus: SerialStimulus) -> None:
    now = 5 * 2**32 + 100
    ticks = [now - 2**32 + 1, now - 101, now - 100, now - 1, now]
    firmware.replies["FETC? 1,20"] = block(now, ticks, first=77, flags=1)
    fetched = stimulus.fetch(1, 20)
    assert fetched.first == 77
    assert fetched.running
    assert list(fetched.ticks) == ticks


def test_empty_block(firmware: FakeFirmware, stimulus: SerialStimulus) -> None:
    firmware.replies["FETC? 0,0"] = block(5, [])
    fetched = stimulus.fetch(0, 0)
    assert len(fetched.ticks) == 0
    assert not fetched.running


def damaged(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :]


GOOD = block(1000, [10, 20, 30])
READY = b"READY Latency Rig,Stimulus ATmega328P,7,0.1.0\n"
DAMAGED = [
    damaged(GOOD, 20),
    damaged(GOOD, len(GOOD) - 2),
    GOOD[:-1] + b"X",
    GOOD[:-5],
    GOOD[1:],
    damaged(GOOD, 2),  # a length that is too long
    b"#9999999999",
    b"#49999",
    b"#11",
    b"#2xx",
    b"hello\n",
    b"",
]


@pytest.mark.parametrize("reply", DAMAGED)
def test_a_damaged_block_is_asked_for_again(
    firmware: FakeFirmware, stimulus: SerialStimulus, reply: bytes
) -> None:
    firmware.replies |= {"FETC? 3,0": reply, "FETC? AGAIN": GOOD}
    fetched = stimulus.fetch(3, 0)
    assert list(fetched.ticks) == [10, 20, 30]
    assert (fetched.first, fetched.lost, fetched.damaged) == (0, 0, 1)
    firmware.replies["FETC? 3,0"] = block(2000, [40], first=3)
    assert list(stimulus.fetch(3, 0).ticks) == [40]  # nothing of what was damaged is left


def test_many_damaged_blocks_in_a_row_are_given_up(
    firmware: FakeFirmware, stimulus: SerialStimulus
) -> None:
    bad = damaged(GOOD, 20)
    firmware.replies |= {"FETC? 3,0": bad, "FETC? AGAIN": [*([bad] * 8), GOOD]}
    assert stimulus.fetch(3, 0).damaged == 9
    firmware.replies["FETC? AGAIN"] = bad
    with pytest.raises(BenchError) as given_up:
        stimulus.fetch(3, 0)
    text = str(given_up.value)
    assert text.startswith(f"{firmware.port}: the reply to 'FETC? 3,0' was damaged on the serial")
    assert text.endswith("check cable and ground; 10 replies in a row were damaged")
    assert "\n" not in text


def test_edges_that_are_not_there_any_more_are_counted(
    firmware: FakeFirmware, stimulus: SerialStimulus
) -> None:
    firmware.replies["FETC? 0,0"] = [GOOD, damaged(GOOD, 20)]
    firmware.replies["FETC? AGAIN"] = block(2000, [70, 80], first=6)
    assert stimulus.fetch(0, 0).lost == 0
    fetched = stimulus.fetch(0, 0)
    assert (fetched.first, fetched.lost, list(fetched.ticks)) == (6, 3, [70, 80])


def test_edges_that_come_again_are_not_new(
    firmware: FakeFirmware, stimulus: SerialStimulus
) -> None:
    """The query was lost: the last block is the one that was read before."""
    firmware.replies["FETC? 0,0"] = [GOOD, b""]
    firmware.replies["FETC? AGAIN"] = block(2000, [10, 20, 30, 40], first=0)
    stimulus.fetch(0, 0)
    fetched = stimulus.fetch(0, 0)
    assert (fetched.first, fetched.lost, list(fetched.ticks)) == (3, 0, [40])


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (framed(b"\x02" + bytes(15)), "block of another format"),
        (framed(b"\x01" + bytes(3)), "block of another format"),
        (framed(b"\x01\x00\x05\x00" + bytes(16)), "announced 5 edges in a block of 20 bytes"),
        (framed(b"\x01\x00\x00\x00" + bytes(13)), "announced 0 edges in a block of 17 bytes"),
        (READY, "was reset before it answered"),
    ],
)
def test_blocks_that_are_wrong(
    firmware: FakeFirmware, stimulus: SerialStimulus, reply: bytes, text: str
) -> None:
    firmware.replies["FETC? 3,0"] = reply
    with pytest.raises(BenchError) as wrong:
        stimulus.fetch(3, 0)
    assert text in str(wrong.value)
    assert str(wrong.value).startswith(firmware.port)
    assert "\n" not in str(wrong.value)


def test_a_reset_during_a_damaged_block_is_noticed(
    firmware: FakeFirmware, stimulus: SerialStimulus
) -> None:
    firmware.replies["FETC? 3,0"] = GOOD[:-9] + READY
    with pytest.raises(BenchError, match="was reset before it answered"):
        stimulus.fetch(3, 0)


def test_a_damaged_setting_is_sent_again(firmware: FakeFirmware, stimulus: SerialStimulus) -> None:
    undefined = b'-113,"Undefined header"\n'
    firmware.replies["SYST:ERR?"] = [undefined, *([b'0,"No error"\n'] * 99)]
    stimulus.configure(TRAIN)
    assert firmware.lines.count("SOUR:PATT UNIF") == 2


def test_a_status_is_believed_once_it_was_said_twice(
    firmware: FakeFirmware, stimulus: SerialStimulus
) -> None:
    said = b"DONE,1000,1000,0,0,2000,0,500\n"
    firmware.replies["STAT?"] = [b"DONE,1000,1040,0,0,2000,0,490\n", b"DOXE,\n", *([said] * 2)]
    assert stimulus.status().sent == 1000


@pytest.mark.parametrize(("state", "again"), [(b"RUN", 1), (b"IDLE", 2)])
def test_a_start_that_was_not_understood(
    firmware: FakeFirmware, stimulus: SerialStimulus, state: bytes, again: int
) -> None:
    """Its answer is damaged: what the status says decides."""
    firmware.replies["SYST:ERR?"] = [b"", b'0,"No error"\n']
    firmware.replies["STAT?"] = state + b",1000,0,0,0,0,0,500\n"
    stimulus.start()
    assert firmware.lines.count("INIT") == again


def test_reset_is_noticed(firmware: FakeFirmware, stimulus: SerialStimulus) -> None:
    firmware.say(b"READY Latency Rig,Stimulus ATmega328P,7,0.1.0\n")
    with pytest.raises(BenchError, match="was reset before it answered 'INIT'"):
        stimulus.start()


def test_endless_line_is_refused(firmware: FakeFirmware, stimulus: SerialStimulus) -> None:
    firmware.replies["STAT?"] = b"A" * 2000
    with pytest.raises(BenchError, match="which is no reply"):
        stimulus.status()


def test_unplugged_port_is_noticed_at_once(
    firmware: FakeFirmware, stimulus: SerialStimulus
) -> None:
    firmware.end()
    with pytest.raises(BenchError, match="the serial line to the stimulus is gone"):
        stimulus.fetch(1, 60_000)
    stimulus.close()
    stimulus.close()


def test_port_unplugged_during_a_wait(firmware: FakeFirmware, stimulus: SerialStimulus) -> None:
    unplug = threading.Timer(0.1, firmware.end)
    unplug.start()
    with pytest.raises(BenchError, match="the serial line to the stimulus is gone"):
        stimulus.fetch(1, 60_000)
    unplug.join()


def test_firmware_that_is_just_starting(firmware: FakeFirmware) -> None:
    """It is deaf until it says so, as behind a boot loader."""
    replies, firmware.replies = firmware.replies, {}

    def come_up() -> None:
        firmware.replies = replies
        firmware.say(b"READY " + IDENTITY)

    timer = threading.Timer(0.2, come_up)
    timer.start()
    with SerialStimulus.open(firmware.port, CHIP) as device:
        assert device.identity.serial == "7"
    timer.join()


def test_firmware_in_the_middle_of_something(firmware: FakeFirmware) -> None:
    firmware.say(block(1, [1, 2, 3]) + b"RUN,1,2,3\nhalf a li")
    with SerialStimulus.open(firmware.port, CHIP) as device:
        assert device.identity.serial == "7"


def test_nobody_answers(firmware: FakeFirmware) -> None:
    firmware.replies = {}
    with pytest.raises(BenchError) as silent:
        SerialStimulus.open(firmware.port, CHIP, ready_timeout_s=0.2)
    assert str(silent.value) == (
        f"{firmware.port}: no stimulus answered within 0.2 s; check that the fixture names the "
        "right port, or flash the firmware: `rig stimulus flash`"
    )


def test_something_else_answers(firmware: FakeFirmware) -> None:
    firmware.replies["*IDN?"] = b"ACME,Multimeter,1,2\n"
    with pytest.raises(BenchError, match="it said b'ACME,Multimeter,1,2"):
        SerialStimulus.open(firmware.port, CHIP, ready_timeout_s=0.2)
    firmware.end()
    assert set(firmware.lines) == {"", "*IDN?"}  # *RST would switch the outputs of a power supply


def test_a_running_train_is_ended_once_the_firmware_has_greeted(firmware: FakeFirmware) -> None:
    with SerialStimulus.open(firmware.port, CHIP):
        lines = [line for line in firmware.lines if line]
        assert lines[: lines.index("*OPC?") + 1] == ["*IDN?", "ABOR", "*RST", "*CLS", "*OPC?"]


def test_other_interface_level(firmware: FakeFirmware) -> None:
    firmware.replies["SYST:INT?"] = b"3\n"
    with pytest.raises(BenchError) as other:
        SerialStimulus.open(firmware.port, CHIP)
    assert str(other.value) == (
        f"{firmware.port}: firmware 0.1.0 speaks interface level 3, this host level 2; flash the "
        "one that comes with it: `rig stimulus flash`"
    )


def test_firmware_that_does_not_describe_its_chip(firmware: FakeFirmware) -> None:
    """As all did before version 0.2.0."""
    del firmware.replies["SYST:CHIP?"]
    firmware.replies["SYST:ERR?"] = b'-113,"Undefined header"\n'
    with pytest.raises(BenchError) as old:
        SerialStimulus.open(firmware.port, CHIP)
    assert str(old.value) == (
        f"{firmware.port}: firmware 0.1.0 does not say what its chip can do; flash the "
        "one that comes with it: `rig stimulus flash`"
    )


@pytest.mark.parametrize(
    ("there", "instead", "difference"),
    [
        (b"clock_hz=16000000", b"clock_hz=8000000", "clock_hz is 8000000, not 16000000"),
        (b"rest=160", b"rest=161", "rest_ticks is 161, not 160"),
        (b"chip=atmega328p", b"chip=rp2040", "name is rp2040, not atmega328p"),
    ],
)
def test_chip_that_is_not_the_fixture_s(
    firmware: FakeFirmware, there: bytes, instead: bytes, difference: str
) -> None:
    firmware.replies["SYST:CHIP?"] = DESCRIPTION.replace(there, instead)
    with pytest.raises(BenchError) as other:
        SerialStimulus.open(firmware.port, CHIP)
    assert str(other.value) == (
        f"{firmware.port}: firmware 0.1.0 is not the one that this rig has for chip atmega328p: "
        f"{difference}; flash the one that comes with it: `rig stimulus flash`, "
        "or correct the fixture's [stimulus] chip"
    )


@pytest.mark.parametrize("said", [b"chip=x\n", b"clock_hz=fast\n", b"0\n", b"pattern=PER:9:3\n"])
def test_what_is_no_description(firmware: FakeFirmware, said: bytes) -> None:
    firmware.replies["SYST:CHIP?"] = said
    with pytest.raises(BenchError, match=r"SYST:CHIP\? was answered by"):
        SerialStimulus.open(firmware.port, CHIP)


def test_a_description_may_say_more() -> None:
    text = DESCRIPTION.decode().strip() + ",dma=4,pattern=SINE:1:2"
    assert described(text) == CHIP


@pytest.mark.parametrize(
    ("port", "obstacle"),
    [
        ("/dev/rig-none", "there is no such port: plug the board in; `rig doctor` lists ports"),
        ("/dev/null", "this is no serial port"),
        ("/dev", "Is a directory"),
    ],
)
def test_port_that_cannot_be_opened(port: str, obstacle: str) -> None:
    with pytest.raises(BenchError, match=f"{port}: the stimulus's .* cannot be opened: {obstacle}"):
        SerialStimulus.open(port, CHIP)


def test_port_in_use(firmware: FakeFirmware, stimulus: SerialStimulus) -> None:
    with pytest.raises(BenchError, match="another program uses it: end that one"):
        SerialStimulus.open(firmware.port, CHIP)


def test_exchanges_of_two_threads_do_not_mix(
    firmware: FakeFirmware, stimulus: SerialStimulus
) -> None:
    firmware.replies["FETC? 0,0"] = block(500, [400])
    firmware.replies["STAT?"] = b"RUN,1,1,0,0,1,0,500\n"
    wrong: list[object] = []

    def fetch() -> None:
        for _ in range(200):
            fetched = stimulus.fetch(0, 0)
            if list(fetched.ticks) != [400]:
                wrong.append(fetched)

    threads = [threading.Thread(target=fetch) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        assert stimulus.status().now_ticks == 500
    for thread in threads:
        thread.join()
    assert not wrong


def test_close_stops_the_train(firmware: FakeFirmware) -> None:
    device = SerialStimulus.open(firmware.port, CHIP)
    firmware.lines.clear()
    device.close()
    assert firmware.await_line("ABOR")
