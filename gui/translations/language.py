# SPDX-License-Identifier: GPL-3.0-or-later
"""The language of the window: the system's, or as chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QLibraryInfo, QLocale, QSettings, QTranslator
from PySide6.QtWidgets import QApplication

SYSTEM: Final = "system"
LANGUAGES: Final = {"en": "English", "de": "Deutsch"}
"""The languages' codes and own names; the texts in the source are English."""
_KEY: Final = "window/language"
_FOLDER: Final = Path(__file__).parent


def chosen_language(settings: QSettings) -> str:
    """Return SYSTEM or one of LANGUAGES."""
    stored = str(settings.value(_KEY, SYSTEM))
    return stored if stored in LANGUAGES else SYSTEM


def choose_language(choice: str, settings: QSettings) -> None:
    """Keep the choice for windows that are made from now on."""
    settings.setValue(_KEY, choice)


def speak(app: QApplication, settings: QSettings) -> None:
    """Take texts from now on from the language chosen; those that are shown stay as they are.

    Numbers are written as in every report, whatever the language: the same figure, the same text.
    """
    for old in app.findChildren(QTranslator):
        app.removeTranslator(old)
        old.setParent(None)
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
    choice = chosen_language(settings)
    locale = QLocale.system() if choice == SYSTEM else QLocale(choice)
    if _code(locale) == "en":
        return
    for name, folder in (
        ("qtbase", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)),
        ("latency-rig", str(_FOLDER)),
    ):
        translator = QTranslator(app)
        if translator.load(locale, name, "_", folder):
            app.installTranslator(translator)


def _code(locale: QLocale) -> str:
    """Return the code of the first of the user's languages that is known here."""
    wanted = (language.partition("-")[0] for language in locale.uiLanguages())
    return next((language for language in wanted if language in LANGUAGES), "en")
