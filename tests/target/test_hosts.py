# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts of an ssh configuration, judged by ssh itself where it has a word."""

from __future__ import annotations

import subprocess

from hypothesis import given
from hypothesis import strategies as st

from rig.config.links import link_of_word
from rig.target.hosts import HOSTS_MAX, ssh_hosts

CONFIG = """\
# comment
Host bench-pc  board-7
    HostName 192.0.2.7
host = root-board
Host *.lab !not-this wild? -oProxyCommand=x
    User ann
Host "quoted" bench-pc
Match host other
"""


def test_hosts_are_named_and_patterns_are_not(tmp_path):
    file = tmp_path / "config"
    file.write_text(CONFIG)
    assert ssh_hosts(file) == ("bench-pc", "board-7", "root-board", "quoted")
    for name in ssh_hosts(file):
        link_of_word(f"ssh:{name}")
    told = subprocess.run(
        ["ssh", "-G", "-F", file, "board-7"], capture_output=True, text=True, check=False
    )
    if told.returncode == 0:
        assert "hostname 192.0.2.7" in told.stdout


def test_no_file_no_hosts(tmp_path):
    assert ssh_hosts(tmp_path / "none") == ()
    assert ssh_hosts(tmp_path) == ()


def test_there_is_an_end(tmp_path):
    file = tmp_path / "config"
    file.write_text("".join(f"Host h{n}\n" for n in range(5 * HOSTS_MAX)))
    assert len(ssh_hosts(file)) == HOSTS_MAX


@given(st.binary(max_size=300))
def test_any_file_is_read(tmp_path_factory, data):
    file = tmp_path_factory.mktemp("any") / "config"
    file.write_bytes(b"Host " + data)
    for name in ssh_hosts(file):
        link_of_word(f"ssh:{name}")
