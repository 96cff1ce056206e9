# SPDX-License-Identifier: GPL-3.0-or-later
"""What `rig target deploy` puts onto a target, and from where."""

from __future__ import annotations

import re
from pathlib import Path

import rig
from rig.errors import BenchError
from rig.resources import agent_binary, target_sources
from rig.shell_words import command_text
from rig.target.deploy import build_there, check_machine, cross_compile, put
from rig.target.permissions import UnixAccount
from rig.target.ssh import SshHost

MODULE = "latency_rig.ko"
MODULE_PLACE = "~/.local/lib/latency-rig/" + MODULE
MODULE_LOADING = {
    "parallel": "modprobe parport && {insmod}",
    "gpio": "{insmod} chip=LABEL interrupt=LINE response=LINE",
    "serial": "setserial /dev/ttyS0 uart none && {insmod} base=0x3f8 irq=4",
}
"""The commands that load the module, by the port whose pins it has."""
_SOURCE = re.compile(r".*\.[ch]|Makefile|Kbuild")
_AGENT_FOLDERS = ("core", "core/loops", "counters", "ports", "program")
_COMPILER = {"make": "apt-get install make", "cc": "apt-get install gcc libc6-dev"}


def deploy_agent(
    host: SshHost, account: UnixAccount, to: str, *, compiler: str | None, there: bool
) -> None:
    """Put the agent there: as it was built, as this compiler makes it, or built there.

    Raises BenchError, InputError.
    """
    if there:
        _need(host, account, _COMPILER)
        folders = [f"agent/{folder}" for folder in _AGENT_FOLDERS]
        files = _files("agent", *folders, "module")
        build_there(host, files, "targets/agent", "build/rig-agent", to)
        return
    if compiler:
        made, name = cross_compile(compiler), f"--cc {compiler}"
    else:
        made, name = agent_binary().read_bytes(), str(agent_binary())
    check_machine(made, account.machine, name)
    put(host, made, to)


def module_port(account: UnixAccount) -> str:
    """Return the port that the module has on such a machine unless asked for another one."""
    return "parallel" if account.machine in {"x86_64", "i686"} else "gpio"


def deploy_module(host: SshHost, account: UnixAccount, port: str) -> None:
    """Build the kernel module there, at MODULE_PLACE. `port`: of MODULE_LOADING.

    Raises BenchError.
    """
    headers = command_text(("apt-get", "install", f"linux-headers-{account.release}"))
    _need(host, account, {**_COMPILER, "headers": headers})
    files, words = _files("module"), (f"LRIG_PORT={port}",)
    build_there(host, files, "targets/module", f"build/{MODULE}", MODULE_PLACE, words, mode="644")


def _need(host: SshHost, account: UnixAccount, tools: dict[str, str]) -> None:
    for tool, mend in tools.items():
        if tool not in account.tools:
            what = "the kernel's headers" if tool == "headers" else tool
            raise BenchError(f"target {host.name}: {what} missing there; as root: {mend}")


def _files(*folders: str) -> list[tuple[Path, str]]:
    """Source files right in these folders, and where they go."""
    root = target_sources()
    version = Path(rig.__file__)  # the agent's version is the rig's
    return [
        (version, f"rig/{version.name}"),
        *(
            (path, f"targets/{folder}/{path.name}")
            for folder in folders
            for path in sorted((root / folder).iterdir())
            if path.is_file() and _SOURCE.fullmatch(path.name)
        ),
    ]
