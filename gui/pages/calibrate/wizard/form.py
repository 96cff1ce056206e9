# SPDX-License-Identifier: GPL-3.0-or-later
"""The wizard's questions as fields; a choice may bring up other questions."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFormLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from calibration.wizard import Wizard
from calibration.wizard.question import Question
from gui.theme import GAP, GAP_L
from gui.tool_tips import tool_tip
from gui.widgets.labels import PlainLabel, dim
from rig.errors import InputError
from rig.printable import printable

FIELD_MAX: Final = 420


class Form(QWidget):
    """The questions of the stage that the wizard is at."""

    error_message = Signal(str)
    """An answer that was refused; "" if all are well so far."""
    changed = Signal()
    """An answer was given."""

    def __init__(self, wizard: Wizard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wizard = wizard
        self._fields: dict[str, QComboBox | QLineEdit] = {}
        self._questions: tuple[Question, ...] = ()
        self._body = QWidget()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self._body)

    def show_questions(self) -> None:
        """Show the questions of the wizard's stage, with its answers."""
        self._questions = self._wizard.stage.questions(self._wizard.state)
        body = QWidget()
        rows = QFormLayout(body)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setHorizontalSpacing(GAP_L)
        rows.setVerticalSpacing(GAP)
        rows.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        self._fields = {}
        for question in self._questions:
            self._add_row(rows, question)
        self._column.replaceWidget(self._body, body)
        self._body.hide()
        # Later: one of its fields may be telling of the choice that brought us here.
        self._body.deleteLater()
        self._body = body
        self.setVisible(bool(self._questions))

    def _add_row(self, rows: QFormLayout, question: Question) -> None:
        field = self._field(question)
        field.setMaximumWidth(FIELD_MAX)
        field.setAccessibleName(question.text)
        self._fields[question.key] = field
        rows.addRow(PlainLabel(question.text), field)
        if question.hint and not question.choices:
            hint = dim(question.hint)
            hint.setWordWrap(True)
            rows.addRow("", hint)

    def set_answer(self, key: str, text: str) -> None:
        """Set an answer as if the user had given it."""
        field = self._fields[key]
        if isinstance(field, QLineEdit):
            field.setText(text)
            self._typed(key)
            return
        at = field.findData(text)
        if at < 0:
            at = _add_file(field, text)
        field.setCurrentIndex(at)
        field.activated.emit(at)

    def answer_of(self, key: str) -> str:
        """Return what a field shows."""
        field = self._fields[key]
        return field.text() if isinstance(field, QLineEdit) else str(field.currentData())

    def keep(self) -> bool:
        """Keep all answers; False if one was refused, and `error_message` has told why."""
        try:
            for question in self._questions:
                self._wizard.answer(question, self.answer_of(question.key))
        except InputError as error:
            self.error_message.emit(str(error))
            return False
        return True

    def _field(self, question: Question) -> QComboBox | QLineEdit:
        default = self._wizard.default_of(question)
        if not question.choices:
            line = QLineEdit(default)
            line.editingFinished.connect(partial(self._typed, question.key))
            line.textEdited.connect(self.changed)
            return line
        box = QComboBox()
        for choice in question.choices:
            box.addItem(choice.label or choice.value, choice.value)
        if question.others:
            box.addItem(self.tr("A file …"), None)
        at = box.findData(default)
        box.setCurrentIndex(at if at >= 0 else _add_file(box, default))
        box.activated.connect(partial(self._chosen, question, box))
        return box

    def _typed(self, key: str) -> None:
        question = next(each for each in self._questions if each.key == key)
        self._take(question, self.answer_of(key))

    def _chosen(self, question: Question, box: QComboBox, at: int) -> None:
        if box.itemData(at) is None:
            file, _ = QFileDialog.getOpenFileName(self, question.text, "", "*.toml")
            default = self._wizard.default_of(question)
            found = box.findData(file or default)
            box.setCurrentIndex(found if found >= 0 else _add_file(box, file or default))
        self._take(question, str(box.currentData()))

    def _take(self, question: Question, text: str) -> None:
        if text == self._wizard.state.answers.get(question.key):
            return
        try:
            self._wizard.answer(question, text)
        except InputError as error:
            self.error_message.emit(str(error))
            return
        self.error_message.emit("")
        self.changed.emit()
        if self._wizard.stage.questions(self._wizard.state) != self._questions:
            self.show_questions()


def _add_file(box: QComboBox, name: str) -> int:
    """Add a file before the last entry, which asks for one; return its place."""
    at = max(0, box.count() - 1)
    box.insertItem(at, printable(name.rpartition("/")[2]), name)
    box.setItemData(at, tool_tip(name), Qt.ItemDataRole.ToolTipRole)
    return at
