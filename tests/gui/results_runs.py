# SPDX-License-Identifier: GPL-3.0-or-later
"""Run files for the Results page's tests, and a page that looks at them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gui.pages.results.page import ResultsPage
from rig.cli.main import main
from tests.cli.command import rig

GOOD, FAULTY = "good.h5", "faulty.h5"
COUNT = 600


def measure(folder: Path) -> None:
    """A run without a fault, and one with every fault."""
    for name, fixture in ((GOOD, "virtual"), (FAULTY, "virtual-misbehaving")):
        done = rig(
            "run", "interrupt", "--fixture", fixture, "--count", COUNT, "--quiet",
            "--out", folder / name,
        )  # fmt: skip
        assert (folder / name).exists(), done.stderr


def shown_by_rig(capsys, path: Path, *options: str) -> str:
    """What `rig show` prints; without a process of its own, which takes longer than all else."""
    capsys.readouterr()
    main(["show", str(path), *options])
    printed: str = capsys.readouterr().out
    return printed


@contextmanager
def results_page(folder: Path, settings, qtbot) -> Iterator[ResultsPage]:
    """The page, shown, with all runs of the folder in its table."""
    page = ResultsPage(folder, settings)
    page.resize(1200, 680)
    qtbot.addWidget(page)
    page.show()
    page.entered()
    runs = len(list(folder.glob("*.h5")))
    try:
        qtbot.waitUntil(lambda: page.folder.model.rowCount() == runs, timeout=60_000)
        yield page
    finally:
        page.release()


def choose(page: ResultsPage, name: str, qtbot) -> None:
    """Choose one run and wait until its figures are there."""
    path = page.folder.path / name
    assert page.table.select(path)
    assert page.shown_run == path
    qtbot.waitUntil(lambda: "Witnesses" in page.report.text.toPlainText(), timeout=60_000)
