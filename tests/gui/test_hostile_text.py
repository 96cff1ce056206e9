# SPDX-License-Identifier: GPL-3.0-or-later
"""Text from outside stays text in the window: no markup of its own, no control characters."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument

from gui.pages.run.choice import shown_name
from gui.pages.wire.benches import BenchCombo
from gui.tool_tips import tool_tip
from gui.widgets.banner import Banner
from gui.widgets.elided import ElidedLabel
from gui.widgets.figures import FigureRows, Row
from gui.widgets.labels import PlainLabel, caption, centered, dim

HOSTILE = "<img src='file:///etc/passwd'><b>x</b>\x1b[2J\u202e"
SHOWN = "<img src='file:///etc/passwd'><b>x</b>\\x1b[2J\\u202e"


@pytest.mark.parametrize("make", [PlainLabel, caption, dim, centered])
def test_labels(make, qtbot):
    label = make(HOSTILE)
    qtbot.addWidget(label)
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert label.text() == SHOWN
    label.setText(f"two\n{HOSTILE}")
    assert label.text() == f"two\n{SHOWN}"


def test_a_shortened_label_and_its_tool_tip(qtbot):
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.resize(80, 20)
    label.show()
    label.setText(HOSTILE)
    assert label.whole == SHOWN
    assert drawn(label.toolTip()) == SHOWN


def test_tool_tips():
    assert drawn(tool_tip(HOSTILE)) == SHOWN
    assert drawn(tool_tip("<a>\n  b")) == "<a>\n  b"
    assert tool_tip("a & b\nc") == "a & b\nc"


def test_rows_of_figures(qtbot):
    rows = FigureRows()
    qtbot.addWidget(rows)
    rows.set_rows([Row(HOSTILE, HOSTILE, hint=HOSTILE)])
    labels = [label for label in rows.findChildren(PlainLabel) if label.text()]
    assert [label.text() for label in labels] == [SHOWN, SHOWN]
    assert {drawn(label.toolTip()) for label in labels} == {SHOWN}


def test_a_banner(qtbot):
    banner = Banner()
    qtbot.addWidget(banner)
    banner.set_message("bad", HOSTILE, HOSTILE, [HOSTILE], [])
    texts = [drawn(banner._headline.text()), banner._reasons.text()]
    assert texts == [f"{SHOWN}  {SHOWN}", SHOWN]


def test_names_of_files(qtbot, settings):
    name = "/somewhere/" + HOSTILE.replace("/", "") + ".toml"
    assert shown_name(name) == SHOWN.replace("/", "") + ".toml"
    combo = BenchCombo(settings)
    qtbot.addWidget(combo)
    combo.show_bench(name)
    assert combo.currentText() == SHOWN.replace("/", "") + ".toml"
    assert drawn(combo.itemData(combo.currentIndex(), Qt.ItemDataRole.ToolTipRole)).endswith(
        ".toml"
    )


def drawn(text):
    """What Qt makes of a text that it takes for markup."""
    document = QTextDocument()
    document.setHtml(text)
    return document.toPlainText()
