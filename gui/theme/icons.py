# SPDX-License-Identifier: GPL-3.0-or-later
"""Icons: a few strokes each, in any color, sharp at any size."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from gui.theme.palette import Palette

_STROKES: Final = {
    "start": '<path d="M8 5l11 7-11 7z"/>',
    "stop": '<rect x="6" y="6" width="12" height="12" rx="1"/>',
    "app": '<path d="M2 15h5V8h4"/><path d="M9 19h6v-7h7"/>',
}
_SVG: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><g fill="{fill}" stroke="{color}"'
    ' stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round">{strokes}</g></svg>'
)
_FILLED: Final = ("start", "stop")
SCALES: Final = (1, 2, 3)


def icon(name: str, color: str) -> QIcon:
    """Return the icon in one color, #rrggbb."""
    made = QIcon()
    fill = color if name in _FILLED else "none"
    for scale in SCALES:
        made.addPixmap(_pixmap(_STROKES[name], color, 24 * scale, fill))
    return made


def two_state_icon(strokes: str, colors: Palette) -> QIcon:
    """Return an icon in the accent when its page is in front. `strokes`: SVG elements."""
    made = QIcon()
    for scale in SCALES:
        off, on = (_pixmap(strokes, color, 24 * scale) for color in (colors.dim, colors.accent))
        made.addPixmap(off, QIcon.Mode.Normal, QIcon.State.Off)
        made.addPixmap(on, QIcon.Mode.Normal, QIcon.State.On)
    return made


def _pixmap(strokes: str, color: str, size: int, fill: str = "none") -> QPixmap:
    text = _SVG.format(fill=fill, color=color, strokes=strokes)
    pixmap = QPixmap(QSize(size, size))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(text.encode())).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap
