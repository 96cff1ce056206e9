# SPDX-License-Identifier: GPL-3.0-or-later
"""A page's actions out of a table: in its menu, with a shortcut, and as buttons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QPushButton, QWidget

ActionRow = tuple[str, object, str]
"""Name, text as QT_TRANSLATE_NOOP marks it, shortcut."""
SEPARATOR: ActionRow = ("", "", "")
BUTTON_HEIGHT = 32


def add_actions(
    page: QWidget,
    context: str,
    rows: Sequence[ActionRow],
    calls: Mapping[str, Callable[[], object]],
    checkable: Sequence[str] = (),
) -> dict[str, QAction]:
    """Actions by name, added to the page in this order; they work while it has the focus.

    `context`: of the texts' translations. `calls`: what each does, by name.
    """
    made: dict[str, QAction] = {}
    for name, text, keys in rows:
        action = QAction(page)
        page.addAction(action)
        if not name:
            action.setSeparator(True)
            continue
        action.setText(QCoreApplication.translate(context, str(text)))
        action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.setCheckable(name in checkable)
        action.triggered.connect(lambda _checked=False, call=calls[name]: call())
        action.setToolTip(f"{_plain(action)} ({action.shortcut().toString()})")
        made[name] = action
    return made


def action_button(action: QAction, *, primary: bool = False) -> QPushButton:
    """A button that does what the action does, is called as it, and can be pressed when it can."""
    button = QPushButton(_label(action))
    button.setToolTip(action.toolTip())
    button.setProperty("primary", primary)
    button.setMinimumHeight(BUTTON_HEIGHT)
    button.clicked.connect(lambda _checked=False: action.trigger())
    button.setEnabled(action.isEnabled())
    action.enabledChanged.connect(button.setEnabled)
    action.changed.connect(lambda: button.setText(_label(action)))
    return button


class OwnSpace(QObject):
    """Lets buttons have the space bar for themselves, which is an action's shortcut elsewhere."""

    def keep_for(self, button: QAbstractButton) -> None:
        """This button, when it has the keyboard, is pressed by the space bar as buttons are."""
        button.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Qt asks the widget that has the keyboard before it looks for shortcuts."""
        is_space = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space
        if is_space and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return False


def _label(action: QAction) -> str:
    return action.text().replace("&", "")


def _plain(action: QAction) -> str:
    return _label(action).replace(" …", "")
