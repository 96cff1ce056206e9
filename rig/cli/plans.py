# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig plans`"""

from __future__ import annotations

import argparse

from rig.campaign.discovery import campaign_names, find_campaign
from rig.campaign.plan import load_campaign
from rig.cli.streams import say, say_lines
from rig.config.plan import load_plan
from rig.resources import plan_names


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Declare nothing: there are no words and options."""


def command(_options: argparse.Namespace) -> int:
    """A line for each built-in plan, and for each campaign of several runs."""
    plans = [(name, load_plan(name).title) for name in plan_names()]
    campaigns = [
        (name, load_campaign(path).title)
        for name in campaign_names()
        if (path := find_campaign(name)) is not None
    ]
    width = max(len(name) for name, _ in plans + campaigns)
    for name, title in plans:
        say(f"{name:<{width}}  {title}")
    say_lines("\ncampaigns")
    for name, title in campaigns:
        say(f"{name:<{width}}  {title}")
    return 0
