# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents' examples are taken as they stand, and no key goes unmentioned."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from rig.config.check import check
from rig.config.fixture import parse_fixture
from rig.config.plan import parse_plan
from rig.config.plan_stimulus import pattern_keys
from rig.config.virtual.bench import MODEL_KEYS
from rig.resources import find_fixture, find_plan, fixture_names, plan_names

DOCS = Path(__file__).parents[2] / "docs" / "reference"
PLANS = (DOCS / "plans.md").read_text(encoding="utf-8")
FIXTURES = (DOCS / "fixtures.md").read_text(encoding="utf-8")


def examples(document: str) -> list[str]:
    return re.findall(r"```toml\n(.*?)```", document, re.DOTALL)


@pytest.mark.parametrize("text", examples(FIXTURES))
def test_the_example_plan_runs_on_every_example_fixture(text: str) -> None:
    (plan,) = examples(PLANS)
    check(parse_plan(plan, "plans.md"), parse_fixture(text, "fixtures.md"))


def keys_of(value: object) -> set[str]:
    """All keys of a document, at every depth."""
    if isinstance(value, dict):
        return set(value).union(*(keys_of(item) for item in value.values()))
    return set().union(*(keys_of(item) for item in value)) if isinstance(value, list) else set()


def test_every_key_of_a_built_in_file_is_explained() -> None:
    for document, files in (
        (PLANS, [find_plan(name) for name in plan_names()]),
        (FIXTURES, [find_fixture(name) for name in fixture_names()]),
    ):
        used = set().union(*(keys_of(tomllib.loads(file.read_text())) for file in files))
        prose = re.sub(r"```.*?```", "", document, flags=re.DOTALL)
        explained = set(re.findall(r"[a-z0-9_]+", " ".join(re.findall(r"`([^`]+)`", prose))))
        assert used <= explained


def test_every_pattern_model_and_built_in_name_is_in_its_table() -> None:
    for pattern, keys in pattern_keys().items():
        assert f'| `"{pattern}"` | {", ".join(f"`{key}`" for key in keys)} |' in PLANS
    for model in MODEL_KEYS:
        assert f'| `"{model}"` | ' in FIXTURES
    for name in plan_names():
        assert f"| `{name}` | " in PLANS
    for name in fixture_names():
        assert f"| `{name}` | " in FIXTURES
