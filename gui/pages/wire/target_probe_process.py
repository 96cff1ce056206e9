# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m gui.pages.wire.target_probe_process`: the findings of `rig target probe`.

The request has the name of a `host` for ssh, or the `text` of a fixture and its `source`. A process
of its own, since it waits for the network.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from gui.processes.messages import Message
from gui.processes.worker import ParentWindow, serve
from rig.config.fixture import parse_fixture
from rig.config.links import link_of_word
from rig.errors import RigError
from rig.services.finding import DoctorFinding
from rig.services.probe import TargetPlace, probe


def work(request: Mapping[str, Any], window: ParentWindow) -> None:
    """Send all findings at once; a target that does not answer is one, too."""
    found = [asdict(each) for each in findings(request)]
    window.send(Message("findings", {"findings": found}))


def findings(request: Mapping[str, str]) -> list[DoctorFinding]:
    """Return findings in the words of the command line, each under the target's name."""
    if "host" in request:
        name, fixture = request["host"], None
        link = link_of_word(f"ssh:{name}")
    else:
        fixture = parse_fixture(request["text"], request["source"])
        name, link = "target", fixture.target.link
    found: list[DoctorFinding] = []
    try:
        for each in probe(TargetPlace(link, fixture)):
            what = f"{name}: {each.what}"
            found.append(DoctorFinding(what, each.state, each.mend, needed=each.needed))
    except RigError as error:
        found.append(DoctorFinding(name, "does not answer", str(error)))
    return found


if __name__ == "__main__":
    sys.exit(serve(work))
