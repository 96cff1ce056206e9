# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m gui.translations.update [LANGUAGE ...]`: brings the translations up to date.

Each latency-rig_LANGUAGE.ts gets the texts that are new in the source and loses those that are
gone; what is translated stays. Then its .qm is made by Qt's lrelease. A language named for the
first time gets a new file.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Final

from gui.translations.texts import Text, TextError, find_texts

FOLDER: Final = Path(__file__).resolve().parent
PREFIX: Final = "latency-rig_"


def main() -> int:
    """Update the languages named, or all; print what is not translated."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", nargs="*", help="such as de; all that are there if none")
    asked = parser.parse_args().language
    try:
        texts = find_texts()
    except TextError as error:
        print(error, file=sys.stderr)
        return 2
    for language in asked or languages():
        file = FOLDER / f"{PREFIX}{language}.ts"
        done = read_ts(file) if file.exists() else {}
        write_ts(file, language, texts, done)
        compile_qm(file, file.with_suffix(".qm"))
        missing = [text for text in texts if not done.get((text.context, text.source))]
        print(f"{file.name}: {len(texts)} texts, {len(missing)} not translated")
        for text in missing:
            print(f"  {text.places[0]}: {text.source!r}")
    return 0


def languages() -> list[str]:
    """Return the languages with a .ts here."""
    return sorted(path.stem.removeprefix(PREFIX) for path in FOLDER.glob(f"{PREFIX}*.ts"))


def read_ts(file: Path) -> dict[tuple[str, str], str]:
    """Read translations by context and source; "" for one that is not finished."""
    root = ET.parse(file).getroot()  # noqa: S314 - a file of our own
    found = {}
    for context in root.iter("context"):
        for message in context.iter("message"):
            told = message.find("translation")
            text = "" if told is None or told.get("type") else told.text or ""
            found[context.findtext("name", ""), message.findtext("source", "")] = text
    return found


def write_ts(
    file: Path, language: str, texts: list[Text], done: dict[tuple[str, str], str]
) -> None:
    """Write all texts in the form of Qt Linguist 2.1, with the known translations."""
    root = ET.Element("TS", version="2.1", language=language, sourcelanguage="en")
    contexts: dict[str, ET.Element] = {}
    for text in texts:
        context = contexts.get(text.context)
        if context is None:
            context = contexts[text.context] = ET.SubElement(root, "context")
            ET.SubElement(context, "name").text = text.context
        message = ET.SubElement(context, "message")
        for place in dict.fromkeys(each.partition(":")[0] for each in text.places):
            ET.SubElement(message, "location", filename=place)
        ET.SubElement(message, "source").text = text.source
        told = ET.SubElement(message, "translation")
        told.text = done.get((text.context, text.source), "")
        if not told.text:
            told.set("type", "unfinished")
    ET.indent(root, " ")
    body = ET.tostring(root, encoding="unicode")
    head = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n'
    file.write_text(f"{head}{body}\n", encoding="utf-8")


def compile_qm(ts: Path, qm: Path) -> None:
    """Make the file that Qt reads by lrelease, which comes with PySide6."""
    program = Path(sys.executable).with_name("pyside6-lrelease")
    subprocess.run([program, "-silent", ts, "-qm", qm], check=True)


if __name__ == "__main__":
    sys.exit(main())
