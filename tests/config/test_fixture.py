# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures: wires, instruments and the virtual bench, and the line that every bad one gets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.capture.drivers import refuse_too_fast
from rig.config.fixture import load_fixture, parse_fixture
from rig.config.virtual.bench import (
    MODEL_KEYS,
    ConstantModel,
    FaultSettings,
    GammaModel,
    LatencyModel,
    LoadModel,
    MixtureModel,
    NormalModel,
    ReferenceModel,
    VirtualGuest,
    VirtualTarget,
)
from rig.errors import InputError
from rig.resources import fixture_names

FIXTURE = """\
[fixture]
name = "bench"

[analyzer]
driver = "beaglelogic"
connection = "virtual"
sample_rate = "24 MHz"
channels = 8

[stimulus]
port = "virtual"
chip = "atmega328p"

[target]
link = "virtual"

[[wire]]
signal = "stimulus"
channel = "D2"
stimulus_pin = "D9"

[[wire]]
signal = "response"
channel = "D0"

[[wire]]
signal = "sequence1"
channel = "D7"

[[wire]]
signal = "sequence0"
channel = "D4"

[virtual.target]
model = "constant"
latency = "5 us"
seed = 1
toggle_time = "50 ns"
clock = "1 GHz"
"""

REAL = (
    FIXTURE[: FIXTURE.index("[virtual.target]")]
    .replace('connection = "virtual"\n', "")
    .replace('port = "virtual"', 'port = "/dev/ttyACM0"')
    .replace('link = "virtual"', 'link = "tcp:bench-3.example:7411"')
    .replace("beaglelogic", "fx2lafw")
)


def message_of(text: str) -> str:
    with pytest.raises(InputError) as error:
        parse_fixture(text, "f.toml")
    return str(error.value)


def test_a_fixture_knows_its_wires() -> None:
    fixture = parse_fixture(FIXTURE, "f.toml")
    assert (fixture.text, fixture.source) == (FIXTURE, "f.toml")
    assert fixture.channel_of("stimulus") == 2
    assert fixture.channel_of("response") == 0
    assert fixture.sequence_channels == (4, 7)
    assert fixture.channel_mask == 0b1001_0101
    assert fixture.is_virtual
    assert not fixture.has_second_witness
    with pytest.raises(KeyError):
        fixture.channel_of("sequence2")


def test_the_second_witness_is_a_response_wire_that_reaches_the_chip() -> None:
    wired = FIXTURE.replace('channel = "D0"', 'channel = "D0"\nstimulus_pin = "D8"')
    assert parse_fixture(wired, "f.toml").has_second_witness


def test_a_real_bench() -> None:
    options = '[analyzer.options]\ncontinuous = true\nbuffersize = 1024\npattern = "x"\n\n'
    fixture = parse_fixture(REAL.replace("[stimulus]", options + "[stimulus]"), "f.toml")
    assert not fixture.is_virtual
    assert fixture.virtual is None
    analyzer = fixture.analyzer
    assert (analyzer.driver, analyzer.connection) == ("fx2lafw", "")
    assert (analyzer.sample_rate_hz, analyzer.channels) == (24_000_000, 8)
    assert analyzer.stall_timeout_ps == 5 * 10**12
    assert analyzer.options == {"continuous": True, "buffersize": 1024, "pattern": "x"}
    assert (fixture.stimulus.port, fixture.stimulus.chip.name) == ("/dev/ttyACM0", "atmega328p")
    assert fixture.target.tcp_address == ("bench-3.example", 7411)
    assert fixture.target.answer == "toggle"


@pytest.mark.parametrize(
    ("link", "address"),
    [("tcp:10.0.0.7:1", ("10.0.0.7", 1)), ("tcp:[fe80::1]:65535", ("fe80::1", 65535))],
)
def test_addresses(link: str, address: tuple[str, int]) -> None:
    text = REAL.replace("tcp:bench-3.example:7411", link)
    assert parse_fixture(text, "f.toml").target.tcp_address == address


@pytest.mark.parametrize(
    "link", ["tcp:host", "tcp::80", "tcp:h:0", "tcp:h:65536", "ssh:h:1", "tcp:a b:1"]
)
def test_what_is_no_address(link: str) -> None:
    assert message_of(REAL.replace("tcp:bench-3.example:7411", link)) == (
        f'f.toml:14: [target] link: "{link}" is no link to an agent; '
        'valid: "tcp:HOST:PORT" with a port from 1 to 65535, "ssh", "serial", "tcp", or "virtual"'
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"24 MHz"',
            '"24 ms"',
            'f.toml:7: [analyzer] sample_rate: "ms" is not a unit of rate; '
            'valid: a number and Hz, kHz, MHz or GHz, such as "24 MHz"',
        ),
        (
            '"24 MHz"',
            '"2 GHz"',
            'f.toml:7: [analyzer] sample_rate: "2 GHz" is out of range; '
            'valid: a rate from 1 kHz to 1 GHz, such as "24 MHz"',
        ),
        (
            "channels = 8",
            "channels = 17",
            "f.toml:8: [analyzer] channels: 17 is out of range; valid: an integer from 1 to 16",
        ),
        (
            "channels = 8",
            "channels = 16",
            "f.toml:8: [analyzer] channels: not a size of the virtual analyzer; valid: 8 or 14",
        ),
        (
            '"beaglelogic"',
            '"demo"',
            "f.toml:5: [analyzer] driver: no virtual analyzer speaks the protocol of this driver; "
            "valid: beaglelogic or fx2lafw or dreamsourcelab-dslogic",
        ),
        (
            'port = "virtual"',
            'port = "/dev/ttyACM0"',
            'f.toml:11: [stimulus] port: not "virtual", but another instrument is; '
            'valid: "virtual" for connection, port and link alike, or for none of them',
        ),
        (
            'port = "virtual"',
            'port = "COM3"',
            'f.toml:11: [stimulus] port: "COM3" is not allowed; '
            'valid: a serial port such as "/dev/ttyACM0", or "virtual"',
        ),
        (
            '"atmega328p"',
            '"atmega2560"',
            'f.toml:12: [stimulus] chip: unknown chip "atmega2560" (did you mean atmega328p?); '
            "valid: atmega328p",
        ),
        (
            'signal = "sequence1"',
            'signal = "response"',
            "f.toml:27: [[wire]] signal: response is wired twice, first in line 23; "
            "valid: one wire for each signal",
        ),
        (
            'channel = "D7"',
            'channel = "D0"',
            "f.toml:28: [[wire]] channel: D0 is used twice, first by response in line 24; "
            "valid: another of D0 to D7",
        ),
        (
            'channel = "D7"',
            'channel = "D8"',
            "f.toml:28: [[wire]] channel: the analyzer has no channel D8; "
            "valid: D0 to D7, as [analyzer] channels = 8",
        ),
        (
            'channel = "D7"',
            "channel = 7",
            "f.toml:28: [[wire]] channel: 7 is an integer; "
            "valid: D0 to D7, as [analyzer] channels = 8",
        ),
        (
            'signal = "response"',
            'signal = "respons"',
            'f.toml:23: [[wire]] signal: unknown signal "respons" (did you mean response?); '
            "valid: stimulus, response, sequence0, sequence1, sequence2, sequence3, sequence4, "
            "sequence5, sequence6, sequence7, task",
        ),
        (
            'signal = "sequence0"',
            'signal = "sequence2"',
            "f.toml:27: [[wire]] signal: sequence1 is wired but sequence0 is not; "
            "valid: sequence wires from sequence0 up, without a gap",
        ),
        (
            '"D9"',
            '"D10"',
            'f.toml:20: [[wire]] stimulus_pin: "D10" is not the atmega328p\'s stimulus pin; '
            "valid: D9",
        ),
        (
            'channel = "D7"',
            'channel = "D7"\nstimulus_pin = "D8"',
            "f.toml:29: [[wire]] stimulus_pin: sequence1 is not wired to the stimulus; "
            "valid: no stimulus_pin for this signal",
        ),
        (
            'channel = "D7"',
            'chanel = "D7"',
            "f.toml:28: [[wire]] chanel: unknown key (did you mean channel?); "
            "valid: signal, channel, stimulus_pin, target_line, color",
        ),
        (
            "[virtual.target]",
            "[virtual.targets]",
            "f.toml:34: [virtual] targets: unknown table (did you mean target?); "
            "valid: target, guest, misbehave, clocks, wiring, delay, truth_file, "
            "jumpers, core, sampling, frequency, usb, serial",
        ),
        (
            FIXTURE[FIXTURE.index("[virtual.target]") :],
            "",
            "f.toml: [virtual] target: table missing; valid: a line [virtual.target]",
        ),
        (
            "seed = 1",
            "clock_error_ppb = 0.5\nseed = 1",
            "f.toml:37: [virtual.target] clock_error_ppb: 0.5 is a float; "
            "valid: an integer from -100000000 to 100000000",
        ),
        (
            '"constant"\nlatency = "5 us"',
            '"gamma"\nlatency = "5 us"',
            "f.toml:36: [virtual.target] latency: belongs to model constant, not to gamma; "
            "valid: minimum, scale, shape",
        ),
        (
            '"constant"\nlatency = "5 us"',
            '"reference"\nrow = "6.22"',
            'f.toml:36: [virtual.target] row: "6.22" is not allowed; '
            "valid: table/system/test/variant/scenario, "
            'such as "6.22/Linux 3.4.104/interrupt/ISR/io"',
        ),
        (
            '"constant"\nlatency = "5 us"',
            '"normal"\nmean = "5 us"\ndeviation = "1 us"\nminimum = "6 us"',
            "f.toml:38: [virtual.target] minimum: longer than the mean; valid: the mean or shorter",
        ),
        (
            "[virtual.target]",
            "[virtual.misbehave]\nlate = 0.1\n[virtual.target]",
            "f.toml:34: [virtual.misbehave] late_by: missing; "
            'valid: a time from 1 ps to 10 s, such as "100 us"',
        ),
        (
            "[virtual.target]",
            "[virtual.misbehave]\nmiss = 0.75\nmerge = 0.5\n[virtual.target]",
            "f.toml:36: [virtual.misbehave] merge: with the others it makes 1.25; "
            "valid: 1 or less in all",
        ),
        (
            "[virtual.target]",
            "[virtual.misbehave]\nmiss = 2\n[virtual.target]",
            "f.toml:35: [virtual.misbehave] miss: 2 is out of range; valid: a number from 0 to 1",
        ),
        (
            "[virtual.target]",
            "[virtual.misbehave]\ndrop = 0.1\n[virtual.target]",
            "f.toml:34: [virtual.misbehave] drop_length: missing; "
            'valid: a time from 1 ps to 10 s, such as "100 us"',
        ),
    ],
)
def test_one_line_says_where_what_and_what_is_valid(old: str, new: str, message: str) -> None:
    assert old in FIXTURE
    assert message_of(FIXTURE.replace(old, new, 1)) == message


@pytest.mark.parametrize("signal", ["connection", "port", "link"])
def test_a_partly_virtual_bench_is_refused(signal: str) -> None:
    valid = '; valid: "virtual" for connection, port and link alike, or for none of them'
    real = {"connection": "", "port": 'port = "/dev/ttyACM0"', "link": 'link = "tcp:h:1"'}
    assert message_of(FIXTURE.replace(f'{signal} = "virtual"', real[signal])).endswith(valid)


def test_a_virtual_table_beside_real_instruments_is_refused() -> None:
    assert message_of(REAL + "[virtual]\n") == (
        "f.toml:33: virtual: no instrument of this fixture is virtual; valid: no [virtual] table"
    )


# --- virtual bench -------------------------------------------------------------------------------

_NORMAL = 'mean = "5 us"\ndeviation = "1 us"\nminimum = "2 us"\n'


@pytest.mark.parametrize(
    ("name", "keys", "model"),
    [
        ("constant", 'latency = "5 us"\n', ConstantModel(5_000_000)),
        ("normal", _NORMAL, NormalModel(5_000_000, 1_000_000, 2_000_000)),
        (
            "gamma",
            'minimum = "2 us"\nscale = "500 ns"\nshape = 2.5\n',
            GammaModel(2_000_000, 500_000, 2.5),
        ),
        (
            "mixture",
            _NORMAL + 'outlier_probability = 0.01\noutlier_latency = "1 ms"\n',
            MixtureModel(5_000_000, 1_000_000, 2_000_000, 0.01, 10**9),
        ),
        (
            "load",
            _NORMAL + 'load_gain = 2\nload_window = "10 ms"\n',
            LoadModel(5_000_000, 1_000_000, 2_000_000, 2.0, 10**10),
        ),
        (
            "reference",
            'row = "6.22/Linux 3.4.104/interrupt/ISR/io"\n',
            ReferenceModel("6.22/Linux 3.4.104/interrupt/ISR/io"),
        ),
    ],
)
def test_models_take_their_own_keys_and_need_each(
    name: str, keys: str, model: LatencyModel
) -> None:
    text = FIXTURE.replace('"constant"\nlatency = "5 us"\n', f'"{name}"\n{keys}')
    fixture = parse_fixture(text, "f.toml")
    assert fixture.virtual is not None
    assert isinstance(fixture.virtual.target, VirtualTarget)
    assert fixture.virtual.target.model == model
    for key in MODEL_KEYS[name]:
        assert f"[virtual.target] {key}: missing" in message_of(re.sub(f"\n{key} = .*", "", text))


def test_virtual_settings() -> None:
    more = (
        "clock_error_ppb = -12_000\nclock_drift_ppb_per_s = 100\n"
        "[virtual.misbehave]\nmiss = 0.5\nglitch = 0.25\nglitch_width = '100 ns'\nlate = 0\n"
        "drop = 0.5\ndrop_length = '2 us'\n"  # not the target's: on top of its faults
        "[virtual.clocks]\nstimulus_error_ppb = 38_000\nanalyzer_drift_ppb_per_s = -20_000\n"
    )
    text = FIXTURE.replace(
        "[virtual.target]", "[virtual]\ntruth_file = 'truth.csv'\n[virtual.target]"
    )
    virtual = parse_fixture(text + more, "f.toml").virtual
    assert virtual is not None
    assert isinstance(virtual.target, VirtualTarget)
    assert virtual.truth_file == "truth.csv"
    assert (virtual.stimulus_error_ppb, virtual.analyzer_error_ppb) == (38_000, 0)
    assert (virtual.stimulus_drift_ppb_per_s, virtual.analyzer_drift_ppb_per_s) == (0, -20_000)
    assert virtual.target.clock_drift_ppb_per_s == 100
    assert (virtual.target.clock_hz, virtual.target.clock_error_ppb) == (10**9, -12_000)
    assert (virtual.target.toggle_time_ps, virtual.target.seed) == (50_000, 1)
    assert virtual.misbehavior == FaultSettings(
        miss=0.5, glitch=0.25, glitch_width_ps=100_000, drop=0.5, drop_length_ps=2_000_000
    )


GUEST = FIXTURE[: FIXTURE.index("[virtual.target]")] + '[virtual.guest]\nkernel = "debian-rt"\n'


def test_a_guest_takes_the_place_of_the_modelled_target() -> None:
    virtual = parse_fixture(GUEST + 'port = "kmod"\nload = "cpu"\n', "f.toml").virtual
    assert virtual is not None
    assert virtual.target == VirtualGuest("debian-rt", "kmod", "cpu")
    text = GUEST + 'processors = 2\nkernel_options = "threadirqs isolcpus=1"\n'
    virtual = parse_fixture(text, "f.toml").virtual
    assert virtual is not None
    assert (virtual.target.processors, virtual.target.kernel_options) == (
        2, "threadirqs isolcpus=1"
    )  # fmt: skip
    virtual = parse_fixture(GUEST, "f.toml").virtual
    assert virtual is not None
    assert virtual.target == VirtualGuest("debian-rt", "kmod", "idle")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            "processors = 9\n",
            "[virtual.guest] processors: 9 is out of range; valid: an integer from 1 to 8",
        ),
        (
            'port = "usb"\n',
            '[virtual.guest] port: unknown port "usb"; valid: kmod, ppdev, ioport, serial, '
            "kmod-serial",
        ),
        (
            'load = "idel"\n',
            '[virtual.guest] load: unknown load "idel" (did you mean idle?); '
            "valid: idle, cpu, system, memory",
        ),
        (
            "seed = 1\n",
            "[virtual.guest] seed: unknown key; valid: kernel, port, load, self_trigger, "
            "stall_every, stall, processors, kernel_options",
        ),
        (
            "[virtual.misbehave]\ndrop = 0.1\ndrop_length = '1 ms'\nmiss = 0.1\n",
            "[virtual.misbehave] miss: a fault of a modelled target; valid: drop, drop_length",
        ),
        (
            "[virtual.misbehave]\nlate_by = '1 ms'\n",
            "[virtual.misbehave] late_by: a fault of a modelled target; valid: drop, drop_length",
        ),
        (
            "[virtual.target]\nseed = 1\n",
            "[virtual] target: not with a [virtual.guest]; valid: one of the two",
        ),
    ],
)
def test_a_guest_is_no_model(more: str, message: str) -> None:
    assert re.sub(r"^f.toml:[0-9]+: ", "", message_of(GUEST + more)) == message


@pytest.mark.parametrize("words", ["quiet rig.port=gpio", "console=tty1", "a  b", "a;b"])
def test_options_of_the_kernel_are_not_those_of_the_rig(words: str) -> None:
    told = message_of(f'{GUEST}kernel_options = "{words}"\n')
    assert f'kernel_options: "{words}" is not allowed; valid: options of the kernel' in told


# --- built-in fixtures ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", fixture_names())
def test_built_in_fixtures_are_named_as_their_files(name: str) -> None:
    fixture = load_fixture(name)
    assert (fixture.name, fixture.source) == (name, name)
    assert fixture.title
    assert fixture.has_second_witness
    assert fixture.is_virtual == name.startswith(("virtual", "qemu"))
    assert fixture.sequence_channels == (2, 3, 4)


@pytest.mark.parametrize("name", fixture_names())
def test_all_channels_of_a_built_in_fixture_fit_its_rate(name: str) -> None:
    """`rig calibrate` has all of them in use."""
    analyzer = load_fixture(name).analyzer
    refuse_too_fast(analyzer.driver, analyzer.sample_rate_hz, (1 << analyzer.channels) - 1)


def test_a_fixture_is_found_by_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(FIXTURE)
    assert load_fixture(str(path)) == parse_fixture(FIXTURE, str(path))


# --- hostile text --------------------------------------------------------------------------------


def parse_or_one_line(text: str) -> None:
    """Any error but one printable line gets out and fails the test."""
    message = "f.toml: "
    try:
        parse_fixture(text, "f.toml")
    except InputError as error:
        message = str(error)
    assert re.match(r"f\.toml(:[0-9]+)?: ", message)
    assert message.isprintable()


@given(st.integers(0, len(FIXTURE)), st.integers(0, 20), st.text(max_size=8))
def test_a_cut_or_a_paste_anywhere_is_taken_or_told(at: int, cut: int, paste: str) -> None:
    parse_or_one_line(FIXTURE[:at] + paste + FIXTURE[at + cut :])


@given(st.data())
def test_lines_in_any_order_are_taken_or_told(data: st.DataObject) -> None:
    parse_or_one_line("\n".join(data.draw(st.permutations(FIXTURE.splitlines()))))


@given(
    st.data(),
    st.sampled_from(
        [
            "-1",
            "0",
            "1e400",
            "nan",
            "true",
            "[]",
            "{}",
            "[{}]",
            "'x'",
            "'D1'",
            "'1 ms'",
            "1979-05-27",
        ]
    ),
)
def test_any_value_for_any_key_is_taken_or_told(data: st.DataObject, value: str) -> None:
    lines = FIXTURE.splitlines()
    keys = [number for number, line in enumerate(lines) if "=" in line]
    number = data.draw(st.sampled_from(keys))
    lines[number] = f"{lines[number].partition('=')[0]}= {value}"
    parse_or_one_line("\n".join(lines))
