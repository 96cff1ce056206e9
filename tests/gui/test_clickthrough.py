# SPDX-License-Identifier: GPL-3.0-or-later
"""The window on a real screen, with a window manager, used by mouse and keyboard as a user does."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage

from tests.cli.command import rig
from tests.gui.clickthrough import HEIGHT, WIDTH, click_through, environment_of, first_run
from tests.gui.screen import OpenWindow, missing_tools, screen
from tests.gui.troubles import TROUBLES, picture

CLICKS_MAX = 3
pytestmark = pytest.mark.skipif(
    bool(missing_tools()), reason=f"needs {', '.join(missing_tools())}: apt-get install openbox "
    "x11-utils xdotool imagemagick xvfb"
)  # fmt: skip


def test_a_new_user_has_measured_after_at_most_three_clicks(tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    with screen(1360, 800) as shown:
        window = OpenWindow(environment_of(shown, tmp_path), runs)
        try:
            file = first_run(window, runs)
            family = window.children()
        finally:
            code = window.close()
    assert window.clicks <= CLICKS_MAX
    assert code == 0
    assert "PASS" in rig("show", file).stdout
    assert not [p for p in family if p.is_running()]


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1, 2])
def test_every_page_light_and_dark(tmp_path, scale):
    seen = click_through(tmp_path, tmp_path / "runs", tmp_path, scale)
    assert seen.exit_code == 0
    images = {file.stem: QImage(str(file)) for file in seen.pictures}
    assert len(images) == 10
    for name, image in images.items():
        assert (image.width(), image.height()) == (WIDTH * scale, HEIGHT * scale)
        ground = image.pixelColor(4 * scale, image.height() // 2).lightness()
        assert (ground > 200) == name.endswith("light"), name
    for one, other in zip(seen.pictures, seen.pictures[1:], strict=False):
        assert one.read_bytes() != other.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.name)
def test_what_goes_wrong_is_seen(tmp_path, trouble):
    """The picture is for people; the window says what the command line says."""
    bench = tmp_path / "bench"
    picture(trouble, bench, tmp_path / "seen.png")
    image = QImage(str(tmp_path / "seen.png"))
    assert (image.width(), image.height()) == (WIDTH, HEIGHT)
    runs = list((bench / "runs").glob("*.h5"))
    fixture, plan = bench / "bench.toml", bench / "long.toml"
    if runs:
        told = rig("show", runs[0]).stdout
    elif trouble.name == "target":
        told = rig("target", "probe", "--fixture", fixture).stdout
    else:
        told = rig("run", plan, "--fixture", fixture, folder=tmp_path).stderr
    assert trouble.words in told
