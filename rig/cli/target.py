# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig target probe|deploy|log`: what belongs to the target's side of a bench."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace

from rig.cli.cancellation import interruptible
from rig.cli.findings import show_findings
from rig.cli.options import add_out
from rig.cli.streams import say
from rig.cli.target_log import arm_options, write_log
from rig.config.fixture import load_fixture
from rig.config.links import (
    ARGUMENTS_VALID,
    PATH_PATTERN,
    PATH_VALID,
    SshLink,
    link_of_word,
    split_arguments,
)
from rig.errors import InputError
from rig.record.free_space import check_new_file
from rig.services.deploy import (
    MODULE_LOADING,
    MODULE_PLACE,
    deploy_agent,
    deploy_module,
    module_port,
)
from rig.services.probe import TargetPlace, port_of, probe
from rig.target.findings import (
    plain,
)
from rig.target.permissions import SIGNING, account_findings, account_of
from rig.toml.units import TIME


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words and options of the command."""
    actions = parser.add_subparsers(
        required=True, metavar="ACTION", dest="action", parser_class=argparse.ArgumentParser
    )
    probe = actions.add_parser(
        "probe", help="what a target has, what is missing, how to mend it; 3 if it cannot measure"
    )
    deploy = actions.add_parser("deploy", help="put the agent on a target, over ssh")
    log = actions.add_parser("log", help="stop a target's agent and write its log as CSV")
    for action in (probe, deploy, log):
        _add_target_place(action)
    deploy.add_argument("--to", metavar="PATH", help="there (default: ~/.local/bin/rig-agent)")
    deploy.add_argument("--cc", metavar="CC", help="cross-compile here, as aarch64-linux-gnu-gcc")
    deploy.add_argument("--build-there", action="store_true", help="compile on the target")
    deploy.add_argument(
        "--module", action="store_true", help="build the kernel module there too, do not load it"
    )
    deploy.add_argument(
        "--module-port",
        choices=MODULE_LOADING,
        help="whose pins it has (default: parallel on a PC, gpio elsewhere)",
    )
    add_out(log, "FILE.csv", "the log", needed=True)
    log.add_argument(
        "--arm", metavar="WORDS", help='measure first: "measurement=period period_ns=1000000"'
    )
    log.add_argument("--capacity", metavar="N", type=int, default=1_000_000, help="records")
    log.add_argument("--wait", metavar="TIME", default="10 s", help="how long it measures (10 s)")


def _add_target_place(action: argparse.ArgumentParser) -> None:
    action.add_argument(
        "target",
        metavar="TARGET",
        nargs="?",
        help="ssh:[USER@]HOST, tcp:HOST:PORT or serial:DEVICE[:BAUD]",
    )
    action.add_argument("--fixture", metavar="FIXTURE", help="the target of this fixture")
    ssh = action.add_argument_group("over ssh")
    ssh.add_argument("--ssh-config", metavar="FILE", help="instead of ~/.ssh/config")
    ssh.add_argument("--agent", metavar="PATH", help="there (default: ~/.local/bin/rig-agent)")
    ssh.add_argument(
        "--agent-arguments", metavar="WORDS", help='of rig-agent (default: "--port ppdev")'
    )


def command(options: argparse.Namespace) -> int:
    """One of the three; returns the exit code."""
    place = _place(options)
    code: int = {"probe": _probe, "deploy": _deploy, "log": _log}[options.action](place, options)
    return code


def _place(options: argparse.Namespace) -> TargetPlace:
    if (options.target is None) == (options.fixture is None):
        raise InputError("name one target: ssh:[USER@]HOST or another link, or --fixture FIXTURE")
    fixture = load_fixture(options.fixture) if options.fixture else None
    link = fixture.target.link if fixture else link_of_word(options.target)
    given = {
        "config": options.ssh_config,
        "agent": _path(options.agent) if options.agent else None,
        "arguments": _arguments(options.agent_arguments),
    }
    given = {key: value for key, value in given.items() if value is not None}
    if given and not isinstance(link, SshLink):
        raise InputError("--ssh-config, --agent and --agent-arguments are for targets behind ssh")
    if isinstance(link, SshLink):
        link = replace(link, **given)
    return TargetPlace(link, fixture)


def _path(text: str) -> str:
    if not re.fullmatch(PATH_PATTERN, text):
        raise InputError(f'"{text}" is not allowed; valid: {PATH_VALID}')
    return text


def _arguments(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    try:
        return split_arguments(text)
    except ValueError as error:
        raise InputError(f"--agent-arguments: {error}; valid: {ARGUMENTS_VALID}") from None


# --- probe ---------------------------------------------------------------------------------------


def _probe(place: TargetPlace, _options: argparse.Namespace) -> int:
    return show_findings([*probe(place)])


# --- deploy --------------------------------------------------------------------------------------


def _deploy(place: TargetPlace, options: argparse.Namespace) -> int:
    if place.ssh is None or not isinstance(place.link, SshLink):
        raise InputError("rig target deploy needs a target behind ssh: ssh:[USER@]HOST")
    if options.cc and options.build_there:
        raise InputError("--cc builds here and --build-there on the target; give one of them")
    to = _path(options.to) if options.to else place.link.agent
    account = account_of(place.ssh)
    deploy_agent(place.ssh, account, to, compiler=options.cc, there=options.build_there)
    say(f"agent:    {place.ssh.name}:{to}")
    if options.module or options.module_port:
        port = options.module_port or module_port(account)
        deploy_module(place.ssh, account, port)
        loading = MODULE_LOADING[port].format(insmod=_insmod(account.user))
        say(f"module:   {place.ssh.name}:{MODULE_PLACE}")
        say(f"          as root there: {loading}")
        if account.secure_boot:
            say(f"          Secure Boot refuses it unsigned; {SIGNING}")
    if to != place.link.agent:
        say(f'          in the fixture: agent = "{to}"')
    show_findings([*account_findings(account, port_of(place.link))])
    return 0  # it is there; what it still needs has been said


def _insmod(user: str) -> str:
    """Return insmod and the module, for a user to copy; the name is the target's word."""
    if re.fullmatch("[A-Za-z0-9_][A-Za-z0-9_.-]*", user):
        return f"insmod {MODULE_PLACE.replace('~', f'~{user}', 1)}"
    return f"insmod {MODULE_PLACE.removeprefix('~/')} in the home directory of {plain(user)}"


# --- log -----------------------------------------------------------------------------------------


def _log(place: TargetPlace, options: argparse.Namespace) -> int:
    armed = arm_options(options.arm, options.capacity) if options.arm else None
    if armed is None and place.ssh is not None:
        raise InputError(
            "an agent started over ssh ends with its connection, and its log with it; give --arm "
            'and what to measure, such as --arm "measurement=period period_ns=1000000"'
        )
    try:
        wait_ps = TIME.parse(options.wait)
    except ValueError as error:
        raise InputError(f"--wait: {error}") from None
    check_new_file(options.out)
    with place.open() as agent, interruptible() as stop:
        if armed is not None:
            agent.arm(armed)
            stop.wait(wait_ps / 1e12)
        end = agent.stop()
        records = write_log(agent, options.out)
    for key, value in agent.account.items():
        say(f"{plain(key) + ':':<12}{plain(value)}")
    say(f"{'log:':<12}{options.out} ({records} records, ticks of {agent.identity.tick_hz} Hz)")
    return 4 if end.dropped else 0
