# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of run files, and of folders of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.settings import Settings
from rig.campaign.index import Entry, RowName, RunState, load_index
from rig.errors import InputError
from rig.measurements.registry import MEASUREMENTS, measurement_of
from rig.record.layout import DIGESTS_SINCE
from rig.record.reader import RunFile
from rig.record.vetting import each_in_child, vet
from rig.report.tables.figures_index import FiguresIndex, IndexKind, index_path, stamps_of
from rig.report.tables.record import RunRecord, Word, joined
from rig.report.tables.tools import tool_records
from rig.session.results import read
from rig.session.settings_check import checked_settings
from rig.session.stored_results import stored_evaluation
from rig.session.stored_tools import tool_runs
from rig.untrusted.decode import decoded
from rig.untrusted.json_reader import json_object, json_value
from rig.untrusted.toml_reader import toml_table

RUNS_MAX: Final = 10_000

_BRACKET_TEST: Final = "bracket test"
MODELLED: Final = "modelled"
"""Word for a machine that is a model of the virtual bench."""
_WORDS_MAX: Final = 60


def _unheard(_line: str) -> None:
    pass


def records_of(places: Sequence[Path], note: Callable[[str], None] = _unheard) -> list[RunRecord]:
    """Return records of campaigns' folders, other folders of run files, and run files, in order.

    A folder or a file is a system, known by its fixture's name; where several have the same one,
    by the folder's too. What was read before and has not changed is taken from the user's index of
    figures; `note` gets a line if that was damaged. Raises InputError for what is no run file, or a
    folder without any.
    """
    with FiguresIndex(index_path(), note) as index:
        found = [(place, list(_records(place, index))) for place in places]
    systems = [{record.system for record in records} for _, records in found]
    records: list[RunRecord] = []
    for number, (place, own) in enumerate(found):
        others = set().union(*systems[:number], *systems[number + 1 :])
        for record in own:
            shared = record.system in others
            system = f"{record.system} ({place.stem})" if shared else record.system
            records.append(replace(record, system=system))
    return records


def _records(place: Path, index: FiguresIndex) -> Iterator[RunRecord]:
    campaign = load_index(place) if place.is_dir() else None
    if campaign is None:
        for records in records_of_runs(run_files([place]), index):
            yield from records
        return
    done = _done(place, campaign.entries)
    found = dict(zip(done, records_of_runs(done, index), strict=True))
    for entry in campaign.entries:
        path = place / entry.file
        if entry.state is RunState.DONE and path in found:
            yield from found[path]
        else:
            yield from _without_figures(entry, campaign.fixture)


def run_files(places: Sequence[Path]) -> list[Path]:
    """Return the finished runs of campaigns' folders, all of other folders, and the files named.

    Raises InputError for a folder without any.
    """
    found: list[Path] = []
    for place in places:
        files = _files_of(place) if place.is_dir() else [place]
        if not 1 <= len(files) <= RUNS_MAX:
            raise InputError(f"{place}: holds {len(files)} run files; valid: 1 to {RUNS_MAX}")
        found += files
    return found


def _files_of(folder: Path) -> list[Path]:
    index = load_index(folder)
    if index is None:
        return sorted(folder.glob("*.h5"))
    return _done(folder, index.entries)


def _done(folder: Path, entries: Sequence[Entry]) -> list[Path]:
    done = {folder / each.file: None for each in entries if each.state is RunState.DONE}
    return [path for path in done if path.is_file()]


def _without_figures(entry: Entry, fixture: str) -> Iterator[RunRecord]:
    state = "its file is gone" if entry.state is RunState.DONE else str(entry.state)
    remark = f"{state}: {entry.reason}" if entry.reason else state
    for row in entry.rows or _guessed_rows(entry):
        yield RunRecord(fixture, row.subject, row.variant, entry.scenario, remark=remark, by=row.by)


def _guessed_rows(entry: Entry) -> Iterator[RowName]:
    """Yield rows of a run of an unknown measurement, or of a campaign that an older rig began."""
    prefix, suffix = entry.measurement.replace("_", "-"), entry.scenario
    variant = entry.name.removesuffix(suffix).removeprefix(prefix).strip("-")
    known = MEASUREMENTS.get(entry.measurement)
    names = [entry.measurement] if known is None else [each.name for each in known.subjects]
    for name in names:
        yield RowName(name, variant)


def records_of_runs(paths: Sequence[Path], index: FiguresIndex) -> list[list[RunRecord]]:
    """Return the records of each run file, in order. Raises InputError for the first that is none.

    What is not in the index is read by child processes, many files by each, and added to it.
    """
    absolute = {path: path.absolute() for path in paths}
    stamps = stamps_of(absolute.values())
    texts = index.find(IndexKind.RECORDS, stamps)
    known = {path: found for path, text in texts.items() if (found := _kept(text)) is not None}
    unknown = [path for path in dict.fromkeys(paths) if absolute[path] not in known]
    for path, answer in zip(unknown, each_in_child(unknown, _told), strict=True):
        records, stored = _heard(path, answer)
        whole = absolute[path]
        known[whole] = records
        if stored and whole in stamps:
            made = json.dumps([asdict(record) for record in records], separators=(",", ":"))
            index.add(IndexKind.RECORDS, whole, stamps[whole], made)
    return [known[absolute[path]] for path in paths]


def _kept(text: str) -> list[RunRecord] | None:
    """Return the records of an index's text; None for one that this rig does not make."""
    try:
        return [decoded(RunRecord, each) for each in json_value(text)]
    except (ValueError, TypeError):
        return None


def _told(path: Path) -> bytes:
    """Return what a child process sends of a file: its records, and whether figures are stored."""
    with RunFile(path) as file:
        stored = bool(file.evaluation) and not file.left_open
        evaluation = stored_evaluation(file) if stored else None
        if evaluation is None or file.format_version < DIGESTS_SINCE:
            # Its rows are read next, in the parent; or no digest bears out what is stored.
            file.look_through()
        records = [] if evaluation is None else _of_open(file, evaluation)
    return json.dumps({"stored": stored, "records": list(map(asdict, records))}).encode()


def _heard(path: Path, answer: bytes) -> tuple[list[RunRecord], bool]:
    """Return what a child sent; the parent computes what is not stored, or by an older rig."""
    try:
        found = json_object(answer)
        records = [decoded(RunRecord, each) for each in found["records"]]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: its figures cannot be shown ({error})") from None
    return records or _of_file(path), found["stored"] is True


def records_of_run(path: Path) -> list[RunRecord]:
    """Return the records of one run file, see `records_of`. Raises InputError."""
    vet(path)
    return _of_file(path)


def _of_file(path: Path) -> list[RunRecord]:
    with RunFile(path) as file:
        return _of_open(file, stored_evaluation(file) or read(path).evaluation)


def _of_open(file: RunFile, evaluation: Evaluation) -> list[RunRecord]:
    settings = checked_settings(file)
    texts = file.texts()
    fixture, tools = fixture_name(file) or file.path.stem, tool_runs(file.path, texts)
    port, machine = _target(texts)
    measurement = measurement_of(settings.measurement)
    variant = measurement.variant(settings)
    who = "" if machine == MODELLED else measurement.performer(settings, port)
    own = _of(evaluation, settings, fixture, joined(who, port and f"port {port}", machine))
    others = tool_records(tools, fixture, variant, settings.scenario)
    return own + [replace(each, how=joined(each.how, machine)) for each in others]


def _target(texts: Mapping[str, str]) -> tuple[str, str]:
    """Return the port of the agent and the target's machine, as far as they are known."""
    try:
        target = json_object(texts.get("environment/target", "{}").encode())
        bench = toml_table(texts.get("fixture", "")).get("virtual", {})
    except ValueError:
        return "", ""
    found = target.get("environment")
    inside = found if isinstance(found, dict) else {}
    machine = inside.get("processor") or inside.get("machine") or ""
    if isinstance(bench, dict) and bench:
        machine = "QEMU" if "guest" in bench else MODELLED
    port = target.get("port") or ""
    return str(port)[:_WORDS_MAX], str(machine)[:_WORDS_MAX]


def _of(found: Evaluation, settings: Settings, fixture: str, how: str) -> list[RunRecord]:
    variant = measurement_of(settings.measurement).variant(settings)
    return [
        RunRecord(
            system=fixture,
            subject_name=row.subject,
            variant=f"{row.part} {variant}".strip(),
            scenario=settings.scenario,
            figures=row.figures,
            n=row.n,
            overruns=row.overruns,
            remark=_remark(found),
            witness=_witness(found),
            by=row.by,
            how=how,
        )
        for row in measurement_of(settings.measurement).table_rows(found, settings)
    ]


def _witness(found: Evaluation) -> Word:
    if not all(each.agrees for each in found.witnesses):
        return Word.DISAGREES
    seen = any(each.name == _BRACKET_TEST for each in found.witnesses)
    return Word.AGREES if seen else Word.NONE


def _remark(found: Evaluation) -> str:
    if found.verdict is Verdict.PASS:
        return ""
    return f"{found.verdict}: {found.reasons[0]}" if found.reasons else str(found.verdict)


def fixture_name(file: RunFile) -> str:
    """Return the name of the fixture that a run was made on; "" for none."""
    try:
        name = toml_table(file.text("fixture")).get("fixture", {}).get("name", "")
    except (ValueError, AttributeError):
        name = ""
    return name if isinstance(name, str) and name.isprintable() else ""
