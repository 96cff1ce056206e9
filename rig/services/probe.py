# SPDX-License-Identifier: GPL-3.0-or-later
"""The probe of a target, over whatever link it is behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from rig.bench.target import open_target, open_target_of
from rig.campaign.skipping import is_guest
from rig.config.fixture import Fixture
from rig.config.links import SshLink, TargetLink
from rig.errors import BenchError
from rig.target.findings import ProbeFinding, agent_findings, environment_findings, tool_findings
from rig.target.link import AgentLink
from rig.target.permissions import account_findings, account_of
from rig.target.ssh import SshHost
from rig.target.tools import tools_of


@dataclass(frozen=True)
class TargetPlace:
    """A target by its link, or by the fixture that has it."""

    link: TargetLink
    fixture: Fixture | None

    def open(self) -> AbstractContextManager[AgentLink]:
        """Connect and greet. Raises BenchError."""
        if self.fixture is not None and self.fixture.is_virtual:
            return open_target_of(self.fixture)
        return open_target(self.link)

    @property
    def ssh(self) -> SshHost | None:
        if not isinstance(self.link, SshLink):
            return None
        return SshHost(self.link.host, self.link.config)


def probe(place: TargetPlace) -> Iterator[ProbeFinding]:
    """Yield what a target has for measuring, what is missing, and how to mend it.

    An agent that does not answer is a finding. Raises BenchError if ssh does not get in.
    """
    if place.ssh is not None and isinstance(place.link, SshLink):
        yield from account_findings(account_of(place.ssh), port_of(place.link))
    yield from _agent(place)


def _agent(place: TargetPlace) -> Iterator[ProbeFinding]:
    try:
        with place.open() as agent:
            in_emulator = place.fixture is not None and is_guest(place.fixture)
            yield from agent_findings(agent.identity, agent.greeting, virtual_time=in_emulator)
            yield from tool_findings(tools_of(agent))
            yield from environment_findings(agent.environment())
    except BenchError as error:
        yield ProbeFinding("agent", "does not answer", str(error), needed=True)


def port_of(link: SshLink) -> str:
    """The port that the agent is started with."""
    words = " ".join(link.arguments).replace("=", " ").split()
    return words[words.index("--port") + 1] if "--port" in words[:-1] else ""
