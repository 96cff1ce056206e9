# SPDX-License-Identifier: GPL-3.0-or-later
"""No text of the window escapes translation, and the translations are whole."""

from __future__ import annotations

import re
import string

import pytest
from PySide6.QtCore import Qt, QTranslator
from PySide6.QtGui import QAction, QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QTabBar,
    QTableView,
    QWidget,
)

from calibration.steps import STEPS
from gui.app import application
from gui.pages.registry import PAGES
from gui.pages.run.figures import CLASSES
from gui.pages.run.scenario_row import SCENARIOS
from gui.theme import theme
from gui.translations.language import LANGUAGES, choose_language, speak
from gui.translations.texts import TextError, find_texts
from gui.translations.update import FOLDER, compile_qm, languages, read_ts, write_ts
from gui.widgets.elided import ElidedLabel
from gui.window import MainWindow
from rig.config.calibration.paths import calibration_path
from rig.config.fixture import load_fixture
from rig.config.plan import load_plan
from rig.formatting import capitalized
from rig.limit_names import LATENCY
from rig.resources import fixture_names, plan_names
from tests.gui.bench import finish

LOOKS_MS = 60_000
OPEN, CLOSE = (
    "\N{MATHEMATICAL LEFT WHITE SQUARE BRACKET}",
    "\N{MATHEMATICAL RIGHT WHITE SQUARE BRACKET}",
)
MARKED = re.compile(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}")
NOT_WORDS = re.compile(
    # units, numbers with them, keys, names that are the same everywhere
    r"\b(Latency Rig|µs|ms|ns|s|Hz|[kM]|h|min|[A-D]|D[0-9]+|P[89]_[0-9]+|1e-?[0-9]+|[dnp])\b"
    r"|((Ctrl|Shift|Alt)\+)+\w+|\bF[0-9]+\b|[\w./-]*/[\w./-]+|[\w-]+-[0-9]{8}-[0-9]{6}(\.h5)?"
)


class Pseudo(QTranslator):
    """Brackets each text that the source offers for translation, and no other."""

    def __init__(self) -> None:
        super().__init__()
        self._known = {(text.context, text.source) for text in find_texts()}

    def isEmpty(self) -> bool:  # noqa: N802 - Qt's name
        return False

    def translate(self, context, source, _disambiguation=None, _n=-1):
        return f"{OPEN}{source}{CLOSE}" if (context, source) in self._known else None


@pytest.fixture
def pseudo(qtbot):
    """The window speaks in brackets."""
    app = application()
    translator = Pseudo()
    app.installTranslator(translator)
    yield translator
    app.removeTranslator(translator)


def rest_of(text: str) -> str:
    """What is left of a text without what was translated; "" if there are no words in it."""
    before = ""
    while before != text:
        before, text = text, MARKED.sub(" ", text)
    text = NOT_WORDS.sub(" ", text)
    return text.strip() if re.search(r"[^\W\d_]{2,}", text) else ""


def shown_by(widget: QWidget) -> list[str]:
    """All texts that a widget shows or tells."""
    texts = [widget.windowTitle(), widget.toolTip(), widget.accessibleName()]
    texts += [action.text() for action in widget.actions()]
    match widget:
        case ElidedLabel():
            texts.append(widget.whole)
        case QLabel():
            texts.append(re.sub(r"<[^>]*>|&nbsp;", " ", widget.text()))
        case QAbstractButton():
            texts.append(widget.text())
        case QComboBox():
            texts += [widget.itemText(at) for at in range(widget.count())]
        case QLineEdit() if not isinstance(widget.parent(), QComboBox | QAbstractSpinBox):
            texts.append(widget.placeholderText())
        case QAbstractSpinBox():
            texts.append(widget.text())
        case QTabBar():
            texts += [widget.tabText(at) for at in range(widget.count())]
        case QTableView() if widget.model() is not None:
            model, along = widget.model(), Qt.Orientation.Horizontal
            texts += [str(model.headerData(at, along)) for at in range(model.columnCount())]
        case QListWidget():
            texts += [widget.item(at).text() for at in range(widget.count())]
    return texts


def allowed(run) -> set[str]:
    """Words that are data: of fixtures, plans, runs, and the figures' names in every report."""
    words = {*fixture_names(), *plan_names(), *CLASSES, *LANGUAGES.values(), "Alt"}
    words |= {"ATmega328P", "OC1A", "ICP1", "beaglelogic"}
    words |= {"Scroll Left", "Scroll Right"}  # Qt translates them itself
    words |= {"Export..."}  # pyqtgraph's, in a menu that is switched off
    words |= {load_fixture(name).title for name in fixture_names()}
    words |= {load_plan(name).title for name in plan_names()}
    words |= set(SCENARIOS)
    words |= {row[0] for row in (*run.outcome.figures, *run.outcome.counts)}
    words |= {capitalized(LATENCY), "Latency Rig"}  # a quantity, as in every report; the program
    words |= {text for step in STEPS.values() for text in (step.title, step.does, step.connect)}
    words |= {str(calibration_path(load_fixture(name))) for name in fixture_names()}
    words |= {run.outcome.verdict.upper(), run.outcome.verdict_words, run.outcome.verdict}
    return words


def test_no_text_escapes(qtbot, settings, tmp_path, pseudo, monkeypatch):
    """Every page of the window after a run, painted texts, too."""
    painted: list[str] = []
    draw = QPainter.drawText

    def drawing(painter, *words):
        painted.extend(word for word in words if isinstance(word, str))
        return draw(painter, *words)

    monkeypatch.setattr(QPainter, "drawText", drawing)
    theme().begin(settings)
    window = MainWindow(tmp_path / "runs", settings)
    qtbot.addWidget(window)
    window.show()
    run, wire = window.page("run"), window.page("wire")
    try:
        finish(qtbot, run, 300)
        for spec in PAGES:
            window.enter(spec.name)
            window.grab()
        window.show_run(run.outcome.path)
        results = window.page("results")
        qtbot.waitUntil(lambda: results.shown_run is not None, timeout=LOOKS_MS)
        results.tabs.setCurrentIndex(1)
        window.grab()
        qtbot.waitUntil(lambda: wire.instruments.findings != (), timeout=LOOKS_MS)
        said = {word for f in wire.instruments.findings for word in (f.what, f.state, f.mend)}
        known = allowed(run) | said
        for widget in (window, *window.findChildren(QWidget)):
            painted.extend(shown_by(widget))
        painted.extend(action.text() for action in window.findChildren(QAction))
    finally:
        wire.release()
        window.page("results").release()
        run.engine.close()
    wires = load_fixture("virtual").wires
    known |= {word for w in wires for word in (w.signal, w.target_line, w.stimulus_pin)}
    escaped = {text for text in set(painted) if not is_data(text, known)}
    assert not escaped, "\n".join(sorted(escaped))
    assert any("Histogram" in text for text in painted)


def is_data(text: str, known: set[str]) -> bool:
    """Nothing is left of it without words that are data; the longest first."""
    for word in sorted(known, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", " ", text) if word else text
    return not rest_of(text)


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_a_translation_is_whole(language, tmp_path):
    file = FOLDER / f"latency-rig_{language}.ts"
    done, texts = read_ts(file), find_texts()
    sources = {(text.context, text.source) for text in texts}
    assert set(done) == sources, "python -m gui.translations.update brings it up to date"
    assert [key for key, text in done.items() if not text] == []
    for (context, source), text in done.items():
        names = [{field for _, field, *_ in string.Formatter().parse(each) if field is not None}
                 for each in (source, text)]  # fmt: skip
        assert names[0] == names[1], (context, source)
        assert ("&" in source) == ("&" in text), (context, source)
    write_ts(tmp_path / "again.ts", language, texts, done)
    assert (tmp_path / "again.ts").read_bytes() == file.read_bytes()
    compile_qm(file, tmp_path / "again.qm")
    assert (tmp_path / "again.qm").read_bytes() == file.with_suffix(".qm").read_bytes()


def test_each_language_that_is_there_can_be_chosen():
    assert set(languages()) == set(LANGUAGES) - {"en"}


def test_a_chosen_language_is_spoken_by_the_next_window(qtbot, settings, tmp_path):
    app = application()
    theme().begin(settings)
    window = MainWindow(tmp_path, settings)
    qtbot.addWidget(window)
    window.show()
    (german,) = [a for a in window.findChildren(QAction) if a.text() == LANGUAGES["de"]]
    try:
        german.trigger()
        assert not window.isVisible()
        assert window.wants_another
        speak(app, settings)
        again = MainWindow(tmp_path, settings)
        qtbot.addWidget(again)
        titles = [action.text() for action in again.menuBar().actions()]
        assert titles[0] == "&Datei"
        assert not again.wants_another
        assert again.page("run").chooser.run.text() == "Messen"
        assert again.page("run").chooser.count.locale().toString(1000) == "1,000"  # as in reports
    finally:
        choose_language("en", settings)
        speak(app, settings)
    assert QApplication.translate("MainWindow", "&File") == "&File"


SOURCE = """
from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication
def tr(text):
    return QCoreApplication.translate("Module", text)
class Box(QWidget):
    def paint(self):
        self.tr("in " "two pieces")
        tr("a \\N{MINUS SIGN}")
        return [tr(name) for name in (QT_TRANSLATE_NOOP("Module", "of a table"),)]
"""


def test_texts_are_found_in_the_context_that_is_asked(tmp_path):
    package = tmp_path / "gui"
    package.mkdir()
    (package / "one.py").write_text(SOURCE)
    (package / "two.py").write_text("from gui.one import tr as say\nsay('elsewhere')\n")
    found = {(text.context, text.source) for text in find_texts(package)}
    assert found == {
        ("Box", "in two pieces"),
        ("Module", "a \N{MINUS SIGN}"),
        ("Module", "of a table"),
        ("Module", "elsewhere"),
    }
    (package / "two.py").write_text("from gui.one import tr\ntr(f'{1} of them')\n")
    with pytest.raises(TextError, match=r"gui/two.py:2: "):
        find_texts(package)
