# SPDX-License-Identifier: GPL-3.0-or-later
"""Put a built image into `image/`, with a manifest of what it was built from and what it can do.

`python3 manifest.py --compiler avr-gcc --core build/host-atmega328p/libstimulus-core.so
build/stimulus-atmega328p.hex image`. The hash over the sources is that of the lines that
`sha256sum` prints for them, in the order of their paths.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import re
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
_NAME = "stimulus-"
"""Names of images begin so; that of their chip follows."""


def sources(chip: str, firmware: Path = HERE) -> list[Path]:
    """The files that a chip's image depends on, sorted by path."""
    (own,) = firmware.glob(f"*/{chip}/chip.h")
    port = own.parent.parent.name
    patterns = ("core/*.[ch]", f"{port}/*.[chS]", f"{port}/{chip}/*.h", "Makefile")
    return sorted(path for pattern in patterns for path in firmware.glob(pattern))


def sources_sha256(chip: str, firmware: Path = HERE) -> str:
    """Hash over all sources, as a hexadecimal text."""
    lines = []
    for path in sources(chip, firmware):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        lines.append(f"{digest}  {path.relative_to(firmware).as_posix()}\n")
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def compiler_version(compiler: str) -> str:
    """First line of what the compiler says of itself."""
    said = subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True)
    return said.stdout.splitlines()[0]


def description(core: Path) -> str:
    """What this firmware answers to SYST:CHIP?, by the same sources built for the host."""
    library = ctypes.CDLL(str(core.resolve()))
    for byte in b"SYST:CHIP?\n":
        library.scpi_input(byte)
    # The fake port keeps what is sent in its first member.
    output = ctypes.c_char.in_dll(library, "fake_port")
    return ctypes.string_at(ctypes.addressof(output)).decode("ascii").strip()


def manifest(image: Path, compiler: str, core: Path) -> str:
    """The manifest's text, TOML."""
    limits = (HERE / "core/limits.h").read_text()
    version = re.search(r'FIRMWARE_VERSION "([^"]+)"', limits)
    level = re.search(r"INTERFACE_LEVEL (\d+)", limits)
    if version is None or level is None:
        raise SystemExit("core/limits.h does not define FIRMWARE_VERSION and INTERFACE_LEVEL")
    return (
        "# SPDX-License-Identifier: GPL-3.0-or-later\n"
        "# Written by `make image`; firmware/README.md says what each line means.\n"
        f'firmware_version = "{version[1]}"\n'
        f"interface_level = {level[1]}\n"
        f'description = "{description(core)}"\n'
        f'compiler = "{compiler_version(compiler)}"\n'
        f'sources_sha256 = "{sources_sha256(image.stem.removeprefix(_NAME))}"\n'
        f'image_sha256 = "{hashlib.sha256(image.read_bytes()).hexdigest()}"\n'
    )


def main() -> None:
    """Copy the image and write its manifest."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--core", type=Path, required=True, help="the sources, for the host")
    parser.add_argument("image", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(exist_ok=True)
    shutil.copyfile(arguments.image, arguments.folder / arguments.image.name)
    text = manifest(arguments.image, arguments.compiler, arguments.core)
    (arguments.folder / arguments.image.with_suffix(".toml").name).write_text(text)


if __name__ == "__main__":
    main()
