# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m tests.report.pictures FOLDER [NAME ...]`: report pages as pictures, for docs/images.

Each is of a run that is made for it. Needs chromium and imagemagick; the printed one pdftoppm
(poppler-utils), too; those in QEMU what its fixtures need.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtGui import QImage

from rig.resources import find_plan
from tests.cli.command import rig

WIDTH: Final = 1000
TOP: Final = 1010
"""Height of the picture that shows how a page begins."""
_TALL: Final = 16_000
_MARGIN: Final = 32
_DARK: Final = ("--blink-settings=preferredColorScheme=0",)
LIMITS: Final = """
max_latency = "30 us"
deviation_interval_error = "2 us"
max_interval_error = "30 us"
p99_interval_error = "10 us"
p99_9_interval_error = "20 us"
"""
"""Of 300 periods the last two cannot be told."""


def main() -> None:
    """All of them, or those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PICTURES))
    options = parser.parse_args()
    folder = options.folder.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for name in options.names or PICTURES:
            picture = folder / f"{name}.png"
            PICTURES[name](picture)
            few = ("-dither", "None", "-colors", "256", "-strip", f"png8:{picture}")
            subprocess.run(["convert", str(picture), *few], check=True)  # a third of the size
            print(name)


def measured(name: str, plan: object, *words: object) -> Path:
    """A run's page, made if it is not there yet."""
    page = Path(f"{name}.html")
    if not page.exists():
        done = rig("run", plan, *words, "--quiet", "--out", f"{name}.h5")
        assert page.exists(), done.stderr
    return page


def virtual() -> Path:
    """1,000 interrupts."""
    return measured("virtual", "interrupt", "--fixture", "virtual")


def misbehaving() -> Path:
    """1,000 interrupts of a target that does everything wrong."""
    return measured("misbehaving", "interrupt", "--fixture", "virtual-misbehaving")


def soak() -> Path:
    """20,000 interrupts."""
    return measured("soak", "interrupt", "--fixture", "virtual", "--count", 20_000)


def period() -> Path:
    """300 periods of 10 ms with limits."""
    plan = Path("limits.toml")
    plan.write_text(find_plan("period").read_text(encoding="utf-8") + LIMITS, encoding="utf-8")
    return measured("period", f"./{plan}", "--fixture", "virtual", "--count", 300)


def capture() -> Path:
    """A capture that somebody made by hand."""
    run, page = virtual(), Path("capture.html")
    rig("export", run.with_suffix(".h5"), "capture.sr")
    channels = ("--stimulus", "D0", "--response", "D1")
    rig("analyze", "capture.sr", *channels, "--out", "capture.h5")
    rig("report", "capture.h5", "-o", page)
    return page


def qemu_rt() -> Path:
    """Debian's PREEMPT_RT kernel."""
    return measured("qemu-rt", "interrupt", "--fixture", "qemu-debian-rt")


def self_triggered() -> Path:
    """Interrupts that Debian's kernel made itself."""
    return measured("self", "interrupt-self", "--fixture", "qemu-debian", "--count", 1000)


def compared() -> Path:
    """Three runs over each other."""
    page = Path("compare.html")
    runs = (run.with_suffix(".h5") for run in (virtual(), soak(), misbehaving()))
    rig("compare", *runs, "-o", page)
    return page


def whole(page: Callable[[], Path], *options: str) -> Callable[[Path], None]:
    """A picture of a page from top to bottom."""

    def take(picture: Path) -> None:
        _photograph(page(), picture, _TALL, *options)
        image = QImage(str(picture))
        below = image.pixel(0, image.height() - 1)
        last = max(
            row
            for row in range(image.height())
            if any(image.pixel(column, row) != below for column in range(0, WIDTH, 2))
        )
        image.copy(0, 0, WIDTH, last + _MARGIN).save(str(picture))

    return take


def top(page: Callable[[], Path]) -> Callable[[Path], None]:
    """A picture of how a page begins."""
    return lambda picture: _photograph(page(), picture, TOP)


def printed(page: Callable[[], Path]) -> Callable[[Path], None]:
    """A picture of all sheets of paper."""

    def take(picture: Path) -> None:
        _chromium(page(), "--no-pdf-header-footer", "--print-to-pdf=printed.pdf")
        subprocess.run(["pdftoppm", "-r", "58", "-png", "printed.pdf", "sheet"], check=True)
        sheets = sorted(str(sheet) for sheet in Path().glob("sheet-*.png"))
        layout = ("-tile", "5x", "-geometry", "+4+4", "-background", "#7f8791")
        subprocess.run(["montage", *sheets, *layout, str(picture)], check=True)

    return take


def _photograph(page: Path, picture: Path, height: int, *options: str) -> None:
    size = f"--window-size={WIDTH},{height}"
    _chromium(page, size, f"--screenshot={picture}", *options)


def _chromium(page: Path, *options: str) -> None:
    plain = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
    command = ["chromium", *plain, *options, page.resolve().as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=300)


PICTURES: Final = {
    "report": top(virtual),
    "report-virtual": whole(virtual),
    "report-misbehaving": whole(misbehaving, *_DARK),
    "report-soak": whole(soak),
    "report-period": whole(period, *_DARK),
    "report-capture": whole(capture),
    "report-qemu-rt": whole(qemu_rt),
    "report-self": whole(self_triggered),
    "report-print": printed(misbehaving),
    "compare": whole(compared),
}

if __name__ == "__main__":
    main()
