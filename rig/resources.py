# SPDX-License-Identifier: GPL-3.0-or-later
"""The places of the built-in plans, fixtures, firmware and emulator, in a wheel and a checkout."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from rig.errors import InputError, input_error, nearest

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent
_FIRMWARE = "stimulus-"
EMULATOR_NAME = "rig-emulator"
PLUGIN_NAME = "rig-qemu.so"
AGENT_NAME = "rig-agent"


def plan_names() -> tuple[str, ...]:
    """Names of the built-in plans, sorted."""
    return tuple(_plans())


def fixture_names() -> tuple[str, ...]:
    """Names of the built-in fixtures, sorted."""
    return tuple(_fixtures())


def board_names() -> tuple[str, ...]:
    """Names of the described boards, sorted."""
    return tuple(_boards())


def find_plan(name_or_path: str) -> Path:
    """The file of a built-in plan, or the path given. A built-in name wins over a file.

    Raises InputError for what is neither a built-in name nor a file.
    """
    return _find("plan", name_or_path, _plans())


def find_fixture(name_or_path: str) -> Path:
    """The file of a built-in fixture, or the path given; as `find_plan`."""
    return _find("fixture", name_or_path, _fixtures())


def find_board(name_or_path: str) -> Path:
    """The file of a described board, or the path given; as `find_plan`."""
    return _find("board", name_or_path, _boards())


def stimulus_chips() -> tuple[str, ...]:
    """Names of the chips that there is a stimulus firmware for, sorted."""
    folder = _PACKAGE / "data/firmware"
    if not folder.is_dir() and _in_checkout():
        folder = _CHECKOUT / "firmware/image"
    return tuple(
        stem.removeprefix(_FIRMWARE) for stem in _toml_files(folder) if stem.startswith(_FIRMWARE)
    )


def firmware_image(chip: str) -> Path:
    """The stimulus firmware as Intel hex: freshly built if there is one, else as shipped.

    Raises InputError if there is none.
    """
    name = f"{_FIRMWARE}{chip}.hex"
    made = (f"firmware/build/{name}", f"firmware/image/{name}")
    return _first("stimulus firmware", f"firmware/{name}", made)


def firmware_manifest(chip: str) -> Path:
    """Return the manifest of the shipped firmware, its sources and abilities. Raises InputError."""
    name = f"{_FIRMWARE}{chip}.toml"
    return _first("stimulus firmware's manifest", f"firmware/{name}", (f"firmware/image/{name}",))


def emulator_binary() -> Path:
    """The emulator of the stimulus microcontroller. Raises InputError if it is not built."""
    return _first("emulator", "bin/" + EMULATOR_NAME, ("firmware/emulator/build/" + EMULATOR_NAME,))


def guest_plugin() -> Path:
    """QEMU's plugin that puts a guest on the virtual bench. Raises InputError if not built."""
    return _first("QEMU plugin", f"bin/{PLUGIN_NAME}", (f"targets/qemu/build/{PLUGIN_NAME}",))


def guest_init() -> Path:
    """The script that a guest's kernel starts first. Raises InputError if there is none."""
    return _first("guest's init", "targets/qemu/init", ("targets/qemu/init",))


def agent_binary() -> Path:
    """The agent for Linux targets. Raises InputError if it is not built."""
    return _first("agent", f"bin/{AGENT_NAME}", (f"targets/agent/build/{AGENT_NAME}",))


def target_sources() -> Path:
    """The folder with the sources of agent and kernel module. Raises InputError if not there."""
    makefile = "targets/agent/Makefile"
    return _first("agent's source", makefile, (makefile,)).parents[1]


def copy_agent_sources(folder: Path) -> Path:
    """Copy what the agent is made of into this folder; returns where to run `make`.

    `make` needs VERSION there. Raises InputError if there are no sources.
    """
    sources = target_sources()

    def skipped(at: str, names: list[str]) -> list[str]:
        return [
            name
            for name in names
            if name in ("build", "tests")
            or not (Path(at, name).is_dir() or name == "Makefile" or name.endswith((".c", ".h")))
        ]

    for name in ("agent", "module"):
        shutil.copytree(sources / name, folder / name, ignore=skipped)
    return folder / "agent"


def module_sources() -> tuple[Path, ...]:
    """All files of the kernel module, sorted. Raises InputError if there are none."""
    folder = _first("kernel module", "targets/module/Kbuild", ("targets/module/Kbuild",)).parent
    return tuple(
        path
        for path in sorted(folder.iterdir())
        if path.suffix in {".c", ".h"} or path.name == "Kbuild"
    )


def _plans() -> dict[str, Path]:
    return _toml_files(_PACKAGE / "plans")


def _fixtures() -> dict[str, Path]:
    return _outside_the_package("fixtures")


def _boards() -> dict[str, Path]:
    return _outside_the_package("fixtures/boards")


def _outside_the_package(folder: str) -> dict[str, Path]:
    in_wheel = _PACKAGE / "data" / folder
    if in_wheel.is_dir():
        return _toml_files(in_wheel)
    return _toml_files(_CHECKOUT / folder) if _in_checkout() else {}


def _in_checkout() -> bool:
    """Return whether this is a checkout: beside an installed package are others' folders."""
    return (_CHECKOUT / "pyproject.toml").is_file()


def _toml_files(folder: Path) -> dict[str, Path]:
    return {path.stem: path for path in sorted(folder.glob("*.toml"), key=lambda path: path.stem)}


def _find(kind: str, name_or_path: str, built_in: Mapping[str, Path]) -> Path:
    if name_or_path in built_in:
        return built_in[name_or_path]
    path = Path(name_or_path)
    # What is clearly meant as a path is left to the reader, which tells what is wrong with it.
    if "/" in name_or_path or path.suffix == ".toml":
        return path
    problem = f"no built-in {kind}{nearest(name_or_path, built_in)}"
    valid = f"{', '.join(built_in)}, or a path with a slash or ending in .toml"
    raise input_error(name_or_path or '""', None, "", problem, valid)


def _first(what: str, in_wheel: str, in_checkout: tuple[str, ...]) -> Path:
    candidates = [_PACKAGE / "data" / in_wheel]
    if _in_checkout():
        candidates += [_CHECKOUT / path for path in in_checkout]
    for path in candidates:
        if path.is_file():
            return path
    looked = ", ".join(str(path) for path in candidates)
    raise InputError(f"{what} not found; looked for {looked}; run `make setup` in a checkout")
