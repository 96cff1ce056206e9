# SPDX-License-Identifier: GPL-3.0-or-later
"""The main window: navigation, menus, status bar. The content of a page is the page's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import QByteArray, QSettings, QSize, Qt
from PySide6.QtGui import QAction, QActionGroup, QCloseEvent, QKeySequence
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QMessageBox,
    QStackedWidget,
    QWidget,
)

from gui.navigation import Navigation
from gui.pages.page import Page
from gui.pages.registry import FIRST, PageSpec, all_pages
from gui.theme import theme
from gui.translations.language import LANGUAGES, SYSTEM, choose_language, chosen_language
from gui.widgets.labels import PlainLabel
from rig import __version__

if TYPE_CHECKING:
    from gui.pages.results.page import ResultsPage
    from gui.pages.run.page import RunPage

SIZE_MIN: Final = QSize(1100, 640)
SIZE_FIRST: Final = QSize(1280, 720)


class MainWindow(QMainWindow):
    """The window; each page is made when it is first entered."""

    def __init__(self, folder: Path, settings: QSettings) -> None:
        """Make the window; `folder` is where run files are."""
        super().__init__()
        self._folder, self._settings = folder, settings
        self.wants_another = False
        """Whether it was closed to be opened again at once, in another language."""
        self._specs = all_pages()
        self._pages: dict[str, Page] = {}
        self._measuring: set[str] = set()
        """The pages whose measurement goes on."""
        self._menus: dict[str, QMenu] = {}
        self._stack = QStackedWidget()
        self._page_actions = self._make_page_actions()
        self._lay_out()
        self._make_menus()
        self.setMinimumSize(SIZE_MIN)
        self.resize(SIZE_FIRST)
        geometry = settings.value("window/geometry")
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)
        last = str(settings.value("window/page", FIRST))
        self.enter(last if last in self._page_actions else FIRST)

    def page(self, name: str) -> Page:
        """Return a page by name, made if need be."""
        if name not in self._pages:
            spec = next(spec for spec in self._specs if spec.name == name)
            self._pages[name] = self._made(spec)
        return self._pages[name]

    def enter(self, name: str) -> None:
        """Bring a page to the front."""
        page = self.page(name)
        self._page_actions[name].setChecked(True)
        self._stack.setCurrentWidget(page)
        self._settings.setValue("window/page", name)
        self._retitle()
        page.setFocus()
        page.entered()

    def show_run(self, path: Path) -> None:
        """Show a run file on the Results page."""
        results = cast("ResultsPage", self.page("results"))
        results.show_run(path)
        self.enter("results")

    def use_bench(self, name: str) -> None:
        """Use a fixture on the Run page."""
        run = cast("RunPage", self.page("run"))
        run.use_bench(name)
        self.enter("run")

    def quit(self) -> None:
        """Close the window for good."""
        self.wants_another = False
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """Ask each page; one that still works asks the user."""
        if event.spontaneous():
            self.wants_another = False
        for name, page in self._pages.items():
            if not page.may_close():
                self.enter(name)
                event.ignore()
                return
        self._settings.setValue("window/geometry", self.saveGeometry())
        self._settings.sync()
        event.accept()

    # --- set up ---------------------------------------------------------------------------------

    def _made(self, spec: PageSpec) -> Page:
        page = spec.make(self._folder, self._settings)
        page.status.connect(self._status.setText)
        page.run_wanted.connect(self.show_run)
        page.bench_wanted.connect(self.use_bench)
        page.bench_used.connect(partial(self._bench_used, spec.name))
        page.closable.connect(self.close)
        self._stack.addWidget(page)
        menu = self._menus[spec.name]
        menu.addActions(page.actions())
        menu.menuAction().setVisible(bool(page.actions()))
        return page

    def _make_page_actions(self) -> dict[str, QAction]:
        group = QActionGroup(self)
        actions: dict[str, QAction] = {}
        for number, spec in enumerate(self._specs, 1):
            action = QAction(spec.title(), self, checkable=True)
            action.setShortcut(QKeySequence(f"Ctrl+{number}"))
            action.setToolTip(f"{action.text()} (Ctrl+{number})")
            action.triggered.connect(partial(self._entered, spec.name))
            group.addAction(action)
            actions[spec.name] = action
        return actions

    def _bench_used(self, name: str, used: bool) -> None:
        (self._measuring.add if used else self._measuring.discard)(name)
        self._retitle()

    def _retitle(self) -> None:
        """Set the title for a task bar: the page, or that a measurement goes on."""
        front = self._stack.currentWidget()
        title = front.title if isinstance(front, Page) else ""
        shown = self.tr("Measuring") if self._measuring else title
        self.setWindowTitle(f"{shown} \N{EN DASH} Latency Rig")

    def _entered(self, name: str, _checked: bool = True) -> None:
        self.enter(name)

    def _lay_out(self) -> None:
        body = QWidget()
        row = QHBoxLayout(body)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(
            Navigation((spec.icon, self._page_actions[spec.name]) for spec in self._specs)
        )
        row.addWidget(self._stack, 1)
        self.setCentralWidget(body)
        self._status = PlainLabel()
        self._status.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.statusBar().addWidget(self._status, 1)
        self.statusBar().setSizeGripEnabled(False)

    def _make_menus(self) -> None:
        bar = self.menuBar()
        file = bar.addMenu(self.tr("&File"))
        titles = [self.tr("&File"), self.tr("&View"), self.tr("&Help")]
        for spec in self._specs:
            titles.append(with_letter(spec.title(), titles))
            self._menus[spec.name] = bar.addMenu(titles[-1])
            self._menus[spec.name].menuAction().setVisible(False)
        self._add(file, self.tr("&Quit"), "Ctrl+Q", self.quit)
        view = bar.addMenu(self.tr("&View"))
        view.addActions(list(self._page_actions.values()))
        view.addSeparator()
        self._add_theme_menu(view)
        self._add_language_menu(view)
        self._add(view, self.tr("&Full screen"), "F11", self._full_screen)
        about = bar.addMenu(self.tr("&Help"))
        self._add(about, self.tr("&About Latency Rig"), "F1", self._about)

    def _add_theme_menu(self, view: QMenu) -> None:
        menu = view.addMenu(self.tr("&Colors"))
        group = QActionGroup(self)
        for choice, text, key in (
            ("system", self.tr("As the &system"), "Ctrl+Alt+S"),
            ("light", self.tr("&Light"), "Ctrl+Alt+L"),
            ("dark", self.tr("&Dark"), "Ctrl+Alt+D"),
        ):
            use = partial(theme().choose, choice, self._settings)
            action = self._add(menu, text, key, use)
            action.setCheckable(True)
            action.setChecked(theme().choice == choice)
            group.addAction(action)

    def _add_language_menu(self, view: QMenu) -> None:
        menu = view.addMenu(self.tr("&Language"))
        group = QActionGroup(self)
        words = {SYSTEM: self.tr("As the &system"), **LANGUAGES}
        for number, (choice, text) in enumerate(words.items()):
            action = self._add(menu, text, f"Ctrl+Alt+{number}", partial(self._speak, choice))
            action.setCheckable(True)
            action.setChecked(chosen_language(self._settings) == choice)
            group.addAction(action)

    def _speak(self, choice: str) -> None:
        """Open the window again in this language, unless something still needs it."""
        if choice == chosen_language(self._settings):
            return
        choose_language(choice, self._settings)
        if any(page.uses_bench() for page in self._pages.values()):
            self._status.setText(self.tr("The language changes at the next start."))
            return
        self.wants_another = True
        self.close()

    def _add(
        self,
        menu: QMenu,
        text: str,
        key: str,
        call: Callable[[], object],
    ) -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(key))
        action.triggered.connect(lambda _checked=False: call())
        menu.addAction(action)
        return action

    def _full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def _about(self) -> None:
        box = QMessageBox(self)
        box.setWindowTitle(self.tr("About Latency Rig"))
        box.setText(f"Latency Rig {__version__}")
        box.setInformativeText(
            self.tr("Measures how fast a real-time system answers, from outside.\n"
                    "GPL-3.0-or-later. Run files are in {0}").format(self._folder)
        )  # fmt: skip
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()


def with_letter(title: str, others: Sequence[str]) -> str:
    """Return the title with `&` before the first letter that no other title has for its own."""
    taken = {other.partition("&")[2][:1].lower() for other in others}
    at = next((at for at, letter in enumerate(title) if letter.lower() not in taken), 0)
    return f"{title[:at]}&{title[at:]}"
