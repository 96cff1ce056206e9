# SPDX-License-Identifier: GPL-3.0-or-later
"""The image that travels with the sources was built from them."""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

FIRMWARE = Path(__file__).parents[2] / "firmware"
CHIP = "atmega328p"
IMAGE = FIRMWARE / "image" / f"stimulus-{CHIP}.hex"
REFRESH = "run `make -C firmware image`"


@pytest.fixture(scope="module")
def manifest() -> dict[str, object]:
    return tomllib.loads((FIRMWARE / "image/stimulus-atmega328p.toml").read_text())


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("manifest", FIRMWARE / "manifest.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_image_is_of_these_sources(manifest: dict[str, object], tool: ModuleType) -> None:
    assert manifest["sources_sha256"] == tool.sources_sha256(CHIP), REFRESH


def test_image_is_the_one_described(manifest: dict[str, object]) -> None:
    assert manifest["image_sha256"] == hashlib.sha256(IMAGE.read_bytes()).hexdigest(), REFRESH


def test_source_hash_is_that_of_sha256sum(tool: ModuleType) -> None:
    names = [path.relative_to(FIRMWARE).as_posix() for path in tool.sources(CHIP)]
    lines = subprocess.run(["sha256sum", *names], cwd=FIRMWARE, check=True, capture_output=True)
    assert hashlib.sha256(lines.stdout).hexdigest() == tool.sources_sha256(CHIP)
    assert {"core/train.c", "avr/match.S", "avr/atmega328p/chip.h", "Makefile"} <= set(names)


def test_image_can_be_built_again(
    manifest: dict[str, object], tool: ModuleType, tmp_path: Path
) -> None:
    here = tool.compiler_version("avr-gcc")
    if manifest["compiler"] != here:
        pytest.skip(f"the image is by {manifest['compiler']}, this is {here}")
    subprocess.run(
        ["make", "--silent", "-C", FIRMWARE, f"BUILD={tmp_path}"], check=True, timeout=100
    )
    assert (tmp_path / IMAGE.name).read_bytes() == IMAGE.read_bytes()
