# SPDX-License-Identifier: GPL-3.0-or-later
"""The [target] table and the targets of a command line: every link, and every bad one's line."""

from __future__ import annotations

import pytest

from rig.config.fixture import parse_fixture
from rig.config.links import SerialLink, SshLink, TargetLink, TcpLink, VirtualLink, link_of_word
from rig.errors import InputError

FIXTURE = """\
[fixture]
name = "bench"
[analyzer]
driver = "fx2lafw"
sample_rate = "24 MHz"
channels = 8
[stimulus]
port = "/dev/ttyACM0"
chip = "atmega328p"
[target]
"""
WIRES = """
[[wire]]
signal = "stimulus"
channel = "D2"
stimulus_pin = "D9"
[[wire]]
signal = "response"
channel = "D0"
"""


def link_of(keys: str) -> TargetLink:
    return parse_fixture(FIXTURE + keys + WIRES, "f.toml").target.link


@pytest.mark.parametrize(
    ("keys", "link"),
    [
        ('link = "tcp:board:7411"', TcpLink("board", 7411)),
        ('link = "tcp"\naddress = "[fe80::1]:7411"', TcpLink("fe80::1", 7411)),
        (
            'link = "ssh"\nhost = "root@board-7.example"',
            SshLink("root@board-7.example", "~/.local/bin/rig-agent", ("--port", "ppdev"), ""),
        ),
        (
            'link = "ssh"\nhost = "fe80::1%eth0"\nagent = "/opt/rig-agent"\n'
            'agent_arguments = "--port gpio --device=/dev/gpiochip0"\nssh_config = "lab.config"',
            SshLink(
                "fe80::1%eth0",
                "/opt/rig-agent",
                ("--port", "gpio", "--device=/dev/gpiochip0"),
                "lab.config",
            ),
        ),
        ('link = "serial"\ndevice = "/dev/ttyUSB0"', SerialLink("/dev/ttyUSB0", 115_200)),
        ('link = "serial"\ndevice = "/dev/ttyS1"\nbaud = 9600', SerialLink("/dev/ttyS1", 9600)),
    ],
)
def test_links(keys: str, link: TargetLink) -> None:
    assert link_of(keys) == link


_HOST = '; valid: a host as ssh knows it, such as "root@board-7"; its port goes into ~/.ssh/config'


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('link = "ssh"', "f.toml:10: [target] host: missing" + _HOST),
        (
            'link = "ssh"\nhost = "-oProxyCommand=x"',
            'f.toml:12: [target] host: "-oProxyCommand=x" is not allowed' + _HOST,
        ),
        (
            'link = "ssh"\nhost = "a@-b"',
            'f.toml:12: [target] host: "a@-b" is not allowed' + _HOST,
        ),
        (
            'link = "ssh"\nhost = "h;reboot"',
            'f.toml:12: [target] host: "h;reboot" is not allowed' + _HOST,
        ),
        (
            'link = "ssh"\nhost = "h"\nagent = "-x"',
            'f.toml:13: [target] agent: "-x" is not allowed; '
            "valid: a path on the target of letters, digits and _ . + @ % = : / -",
        ),
        (
            'link = "ssh"\nhost = "h"\nagent_arguments = "--port gpio --tcp=7411"',
            'f.toml:13: [target] agent_arguments: "--tcp=7411" is not allowed; '
            'valid: options of rig-agent but for its link, such as "--port ppdev"',
        ),
        (
            'link = "ssh"\nhost = "h"\nagent_arguments = "--port $(id)"',
            'f.toml:13: [target] agent_arguments: "$(id)" is not allowed; '
            'valid: options of rig-agent but for its link, such as "--port ppdev"',
        ),
        (
            'link = "ssh"\nhost = "h"\nbaud = 9600',
            'f.toml:13: [target] baud: belongs to link "serial"; '
            "valid: link, answer, host, agent, agent_arguments, ssh_config",
        ),
        (
            'link = "tcp:h:1"\nhost = "h"',
            'f.toml:12: [target] host: belongs to link "ssh"; valid: link, answer',
        ),
        (
            'link = "tcp"\naddress = "h:0"',
            'f.toml:12: [target] address: "h:0" is no address; '
            'valid: "HOST:PORT" with a port from 1 to 65535',
        ),
        (
            'link = "serial"\ndevice = "ttyS0"',
            'f.toml:12: [target] device: "ttyS0" is not allowed; '
            'valid: a serial port such as "/dev/ttyUSB0"',
        ),
        (
            'link = "serial"\ndevice = "/dev/ttyS0"\nbaud = 0',
            "f.toml:13: [target] baud: 0 is out of range; valid: an integer from 1 to 4000000",
        ),
        (
            'link = "telnet"',
            'f.toml:11: [target] link: "telnet" is no link to an agent; valid: "tcp:HOST:PORT" '
            'with a port from 1 to 65535, "ssh", "serial", "tcp", or "virtual"',
        ),
    ],
)
def test_one_line_says_what_is_wrong(keys: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        link_of(keys)
    assert str(error.value) == message


def test_a_virtual_bench_has_a_virtual_link() -> None:
    text = (FIXTURE + 'link = "virtual"\n' + WIRES).replace("/dev/ttyACM0", "virtual")
    text = text.replace('"fx2lafw"', '"beaglelogic"\nconnection = "virtual"')
    model = '[virtual.target]\nmodel = "constant"\nlatency = "5 us"\nseed = 1\n'
    times = 'toggle_time = "50 ns"\nclock = "1 GHz"\n'
    target = parse_fixture(text + model + times, "f.toml").target
    assert target.link == VirtualLink()
    with pytest.raises(ValueError, match="no tcp link"):
        _ = target.tcp_address


@pytest.mark.parametrize(
    ("word", "link"),
    [
        ("ssh:root@board", SshLink("root@board")),
        ("tcp:board:7411", TcpLink("board", 7411)),
        ("tcp:[::1]:1", TcpLink("::1", 1)),
        ("serial:/dev/ttyS1", SerialLink("/dev/ttyS1", 115_200)),
        ("serial:/dev/serial/by-path/a:1.0:9600", SerialLink("/dev/serial/by-path/a:1.0", 9600)),
    ],
)
def test_targets_of_a_command_line(word: str, link: TargetLink) -> None:
    assert link_of_word(word) == link


@pytest.mark.parametrize(
    "word",
    ["", "board", "ssh:", "ssh:-v", "ssh:a b", "ssh:h\n", "tcp:h", "serial:ttyS0",
     "serial:/dev/ttyS0:0", "serial:/dev/ttyS0:5000000", "virtual"],
)  # fmt: skip
def test_what_is_no_target(word: str) -> None:
    with pytest.raises(InputError, match="is no target; valid: ssh:"):
        link_of_word(word)
