# SPDX-License-Identifier: GPL-3.0-or-later
"""The instruments on a bench, in the words that a calibration's records are compared with."""

from __future__ import annotations

from collections.abc import Mapping

from rig.config.fixture import Fixture
from rig.config.links import SshLink
from rig.config.virtual.bench import VirtualGuest
from rig.instruments import AnalyzerIdentity, StimulusIdentity, TargetIdentity
from rig.untrusted.json_reader import json_value

_IDENTITIES = {
    "analyzer": {"sample_rate_hz": "sample_rate_hz"},
    "stimulus": {
        "stimulus_model": "model",
        "stimulus_serial": "serial",
        "stimulus_firmware": "firmware",
        "stimulus_clock_hz": "clock_hz",
    },
    "target": {"agent": "agent", "agent_version": "version", "tick_hz": "tick_hz"},
}
"""The key here, and the name of the field, by instrument."""


def present_instruments(
    fixture: Fixture,
    analyzer: AnalyzerIdentity,
    stimulus: StimulusIdentity,
    target: TargetIdentity,
) -> dict[str, str]:
    """Return serial numbers, rates, ports and versions of open instruments, as texts."""
    identities = {"analyzer": analyzer, "stimulus": stimulus, "target": target}
    return _named(fixture, {name: vars(each) for name, each in identities.items()})


def present_of_texts(fixture: Fixture | None, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the same from the texts of a run file; what it does not tell is absent.

    `fixture` None: the file has none that can be read.
    """
    return _named(fixture, {name: _object(texts, name) for name in _IDENTITIES})


def present_of_fixture(fixture: Fixture) -> dict[str, str]:
    """Return what can be told without opening an instrument."""
    present = {
        "analyzer_driver": fixture.analyzer.driver,
        "analyzer_connection": fixture.analyzer.connection,
        "sample_rate_hz": str(fixture.analyzer.sample_rate_hz),
        "stimulus_port": fixture.stimulus.port,
        "target_link": fixture.target.link.address,
    }
    port = _agent_port(fixture)
    return {**present, "agent_port": port} if port else present


def _named(fixture: Fixture | None, stored: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    present = {} if fixture is None else present_of_fixture(fixture)
    for instrument, names in _IDENTITIES.items():
        for key, name in names.items():
            if name in stored[instrument]:
                present[key] = str(stored[instrument][name])[:200]
    analyzer = stored["analyzer"]
    model = " ".join(str(analyzer.get(name, "")) for name in ("vendor", "model")).strip()
    return {**present, "analyzer_model": model[:200]} if model else present


def _object(texts: Mapping[str, str], instrument: str) -> dict[str, object]:
    try:
        value = json_value(texts.get(f"environment/{instrument}", ""))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _agent_port(fixture: Fixture) -> str:
    """The agent's own options, which name the port and the pin that it writes."""
    if isinstance(fixture.target.link, SshLink):
        return " ".join(fixture.target.link.arguments)
    guest = None if fixture.virtual is None else fixture.virtual.target
    return guest.port if isinstance(guest, VirtualGuest) else ""
