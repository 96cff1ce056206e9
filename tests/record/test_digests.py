# SPDX-License-Identifier: GPL-3.0-or-later
"""Every change to what a closed run file holds is seen, part by part, by its digests."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py
import numpy as np
import numpy.typing as npt
import pytest

from rig.analysis.model.wiring import Wiring
from rig.config.fixture import load_fixture
from rig.config.plan import load_plan
from rig.errors import InputError
from rig.instruments import LOG_RECORD, Loss, LossKind
from rig.measurements.stored_settings import settings_to_json
from rig.record import digest_check
from rig.record.digest import raw_parts, seal_raw
from rig.record.digest_check import stamp_of
from rig.record.layout import DELTA
from rig.record.reader import RunFile
from rig.record.recover import recover
from rig.record.vetting import vet
from rig.record.writer import RunWriter
from rig.session.results import read, store, stored_text
from rig.session.settings import settings_of
from rig.stimulus.train import Train
from tests.chip import CLOCK_HZ
from tests.record.older import plain
from tests.record.trains import blocks_of, interrupts
from tests.resealing import resealed

EVENTS = 40
RATE_HZ = 24_000_000
TICK_HZ = 1_000_000_000


def texts_of(count: int = EVENTS) -> dict[str, str]:
    """As a run stores them."""
    plan, fixture = load_plan("interrupt"), load_fixture("virtual")
    analyzer = {"sample_rate_hz": RATE_HZ, "channels": [f"D{n}" for n in range(8)]}
    return {
        "plan": plan.text,
        "fixture": fixture.text,
        "calibration": "",
        "overrides": json.dumps({"count": count}),
        "environment/host": "{}",
        "environment/analyzer": json.dumps(analyzer),
        "environment/stimulus": json.dumps({"clock_hz": CLOCK_HZ}),
        "environment/target": json.dumps({"tick_hz": TICK_HZ}),
    }


def run_file(path: Path, state: str | None = "complete") -> Path:
    """A run of interrupts with all kinds of raw data; `state` None: left as by a crash."""
    plan, fixture = load_plan("interrupt").with_overrides(count=EVENTS), load_fixture("virtual")
    settings = settings_of(plan, fixture, RATE_HZ, CLOCK_HZ, TICK_HZ)
    assert isinstance(settings.source, Train)
    start = settings.source.edges(0, EVENTS) * RATE_HZ // CLOCK_HZ + 1
    answered = interrupts(EVENTS, np.diff(start, prepend=0))[0].reshape(-1, 4)
    answer = answered[:, 1]  # it toggles; the stimulus is a pulse
    index, channel = with_sequence(answered[:, :3], settings.wiring)
    writer = RunWriter(path, texts_of(), settings_to_json(settings))
    with writer:
        for block in blocks_of(index, channel):
            writer.edges(block)
        writer.captures(answer * 2 // 3)
        log = np.zeros(EVENTS, LOG_RECORD)
        log["sequence"], log["handled"] = np.arange(EVENTS), np.arange(EVENTS) + 1
        log["before_ticks"] = answer * 125 // 3 - 100
        log["after_ticks"] = log["before_ticks"] + 150
        writer.log(log)
        writer.loss(Loss(LossKind.STALL, 3, "no samples for 5 s"))
        writer.flush()
        if state is None:
            shutil.copyfile(path, path.with_suffix(".left"))
        writer.finish(state or "complete", {"sent": EVENTS, "handled": EVENTS})
    if state is None:
        path.with_suffix(".left").replace(path)
    return path


def with_sequence(
    at: npt.NDArray[np.int64], wiring: Wiring
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Edges in order: of both pins, shape (n, 3), and of those that show the handler's count."""
    count = np.arange(1, len(at) + 1)
    found = [(at.ravel(), np.tile([wiring.stimulus, wiring.response, wiring.stimulus], len(at)))]
    for bit, pin in enumerate(wiring.sequence):
        toggled = at[:, 1][(count ^ (count - 1)) >> bit & 1 == 1]
        found.append((toggled, np.full(len(toggled), pin)))
    index = np.concatenate([each for each, _ in found])
    channel = np.concatenate([each for _, each in found])
    order = np.lexsort((channel, index))
    return index[order], channel[order].astype(np.uint8)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With figures."""
    path = run_file(tmp_path_factory.mktemp("digests") / "run.h5")
    store(path)
    with RunFile(path) as file:
        assert file.histogram()[1].sum() == EVENTS
    return path


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copyfile(finished, tmp_path / "copy.h5"))


def datasets(file: h5py.File) -> Iterator[str]:
    names: list[str] = []
    file.visititems(lambda name, item: names.append(name) if hasattr(item, "shape") else None)
    yield from names


def changed(file: h5py.File, name: str) -> bool:
    """Change one value, the smallest bit of the first; False if it has none."""
    item = file[name]
    if h5py.check_string_dtype(item.dtype) is not None and item.shape == ():
        text = item.asstr()[()]
        item[()] = text[:-1] + ("x" if text[-1:] != "x" else "y")
        return True
    if item.size == 0:
        return False
    rows = np.atleast_1d(item[()])
    data = bytearray(rows.tobytes())
    data[0] ^= 1
    new = np.frombuffer(bytes(data), rows.dtype).reshape(rows.shape)
    item[...] = new if item.shape else new[0]
    return True


def test_every_dataset_and_attribute_is_covered(finished: Path, tmp_path: Path) -> None:
    with h5py.File(finished) as file:
        names = list(datasets(file))
        attributes = list(file.attrs)
    assert len(names) > 40
    seen = 0
    for number, name in enumerate(names):
        path = Path(shutil.copyfile(finished, tmp_path / f"{number}.h5"))
        with h5py.File(path, "r+") as file:
            if not changed(file, name):
                continue
        with pytest.raises(InputError) as refused:
            RunFile(path)
        part = "/".join(name.split("/")[:2])
        shown = "figures" if name.split("/")[0] in ("events", "statistics", "histogram") else part
        if not name.endswith("digests") and not name.startswith("tail/"):
            assert shown in str(refused.value), name
        seen += 1
    assert seen > 35
    for name in attributes:
        path = Path(shutil.copyfile(finished, tmp_path / "attribute.h5"))
        with h5py.File(path, "r+") as file:
            value = file.attrs[name]
            file.attrs[name] = value + "0" if isinstance(value, str) else value - 1
        with pytest.raises(InputError):
            RunFile(path)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda file: file.__delitem__("environment/host"), "environment/host"),
        (lambda file: file.__setitem__("environment/more", "{}"), "environment/more"),
        (lambda file: file.__setitem__("other", 5), "other"),
        (lambda file: file["edges"].attrs.__setitem__("x", 1), "attributes"),
        (lambda file: file["edges/delta"].attrs.__setitem__("units", "ms"), "edges/delta"),
        (lambda file: file["target/log/rest"].resize((EVENTS - 1,)), "target/log"),
        (lambda file: file.__delitem__("digests"), "has no digests"),
        (lambda file: file["digests"].__setitem__(0, b""), "has no digests"),
        (lambda file: file["digests"].__setitem__(0, b"[]"), "digests is not as it should be"),
        (lambda file: file["digests"].__setitem__(0, b'{"a": 1}'), "digests is not as it should"),
        (lambda file: file["digests"].__setitem__(0, b"[" * 8000), "digests is not as it should"),
        (lambda file: file.attrs.__setitem__("format_version", 1), "format version 1"),
        (lambda file: file.__delitem__("figures_digests"), "stored figures"),
        (lambda file: file.__delitem__("statistics"), "stored figures"),
        (
            lambda file: (file.move("plan", "p"), file.__setitem__("plan", h5py.SoftLink("/p"))),
            "plan lies outside of it",
        ),
        (
            lambda file: file.__setitem__("edges/deep", h5py.ExternalLink("other.h5", "/x")),
            "edges/deep lies outside of it",
        ),
    ],
)
def test_what_is_added_taken_away_or_made_up(
    copy: Path, change: Callable[[h5py.File], object], named: str
) -> None:
    with h5py.File(copy, "r+") as file:
        change(file)
    with pytest.raises(InputError, match=named):
        RunFile(copy)


def test_a_file_changed_and_sealed_again_is_whole(copy: Path) -> None:
    """What digests alone cannot show; it is read as it is."""
    with RunFile(copy) as file:
        before = file.digest
    with resealed(copy) as file:
        file["loss"][0] = (b"stall", 4, b"other")
    with RunFile(copy) as file:
        assert file.losses() == [("stall", 4, "other")]
        assert file.digest != before
        assert len(file.digest) == 64


def test_digests_do_not_depend_on_where_hdf5_puts_things(copy: Path, tmp_path: Path) -> None:
    """Every object copied into a new file by HDF5 itself has the digests of the original."""
    with h5py.File(copy) as old, h5py.File(tmp_path / "moved.h5", "w", libver="latest") as new:
        new.attrs.update(old.attrs)
        for name in reversed(list(old)):
            old.copy(name, new)
    with RunFile(copy) as one, RunFile(tmp_path / "moved.h5") as other:
        assert one.digest == other.digest


def test_the_digest_of_a_text_is_that_of_its_description_and_bytes(copy: Path) -> None:
    """As docs/reference/run-file.md describes it, computed here without what is under test."""
    with h5py.File(copy) as file:
        text = file["plan"][()]
        own = [["sha256", hashlib.sha256(text).hexdigest()]]
        stored = json.loads(file["digests"][0])
    lines = (json.dumps(["dataset", "plan", "text", [], None, [], own]), str(len(text)))
    data = "".join(f"{line}\n" for line in lines).encode() + text
    assert stored["plan"] == hashlib.sha256(data).hexdigest()


def test_figures_of_other_raw_data_are_refused_and_computed_again(copy: Path) -> None:
    """Also if everything in the file was sealed anew by whoever changed it."""
    with h5py.File(copy, "r+") as file:
        stored = json.loads(file["figures_digests"].asstr()[()])
        del file["figures_digests"]
        file["figures_digests"] = json.dumps({**stored, "raw": "0" * 64})
    with pytest.raises(InputError, match="computed from other raw data; `rig analyze"):
        RunFile(copy)
    assert stored_text(copy) == ""
    store(copy)
    assert stored_text(copy)
    vet(copy)


def test_changed_figures_are_computed_again(copy: Path) -> None:
    before = stored_text(copy)
    with h5py.File(copy, "r+") as file:
        file["events/response"][3] += 1
    with pytest.raises(InputError, match=r"stored figures \(events\) changed after"):
        vet(copy)
    store(copy)
    assert stored_text(copy) == before


def test_changed_raw_data_get_no_figures(copy: Path) -> None:
    with h5py.File(copy, "r+") as file:
        file["stimulus/capture_ticks/rest"][3] += 1
    before = copy.read_bytes()
    with pytest.raises(InputError, match="stimulus/capture_ticks changed after the run"):
        store(copy)
    assert copy.read_bytes() == before


def test_a_change_after_the_first_look_is_seen(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found whole is remembered only as long as it is the same file."""
    vet(copy)
    RunFile(copy).close()
    with h5py.File(copy, "r+") as file:
        file["report"][0] = b'{"sent": 41, "handled": 40}'
    with pytest.raises(InputError, match="report changed after the run"):
        RunFile(copy)
    monkeypatch.setattr(digest_check, "_SETTLED_NS", 3_600 * 10**9)
    assert stamp_of(copy) is None  # too new to be remembered at all


def test_only_what_stayed_the_same_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest_check, "_SETTLED_NS", -(10**18))
    monkeypatch.setattr(digest_check, "_whole", OrderedDict())
    path = tmp_path / "run.h5"
    path.write_bytes(b"before")
    before = stamp_of(path)
    path.write_bytes(b"changed meanwhile")
    for stamp in (before, None):
        digest_check.remember(path, stamp)
    assert not digest_check._whole
    digest_check.remember(path, after := stamp_of(path))
    assert list(digest_check._whole) == [after]


def test_a_file_without_an_end_says_so(tmp_path: Path) -> None:
    left = run_file(tmp_path / "left.h5", state=None)
    with RunFile(left) as file:
        assert (file.left_open, file.digest) == (True, "")
        assert file.evaluation == ""
    vet(left)
    assert read(left).evaluation.verdict != "pass"
    recover(left, tmp_path / "out.h5")
    with RunFile(tmp_path / "out.h5") as file:
        assert len(file.digest) == 64


@pytest.mark.parametrize(
    ("values", "counts", "sound"),
    [
        ([70, 80, 95], [3, 1, 2], True),
        ([-1, 0], [1, 1], True),
        ([70, 80, 80], [3, 1, 2], False),
        ([80, 70, 95], [3, 1, 2], False),
        ([70, 80, 95], [3, 0, 2], False),
        ([70, 80, 95], [3, 1], False),
    ],
)
def test_a_histogram_comes_back_or_is_damage(
    copy: Path, values: list[int], counts: list[int], sound: bool
) -> None:
    with resealed(copy) as file:
        for name, column in (("latency_samples", values), ("count", counts)):
            del file[f"histogram/{name}"]
            file[f"histogram/{name}"] = np.array(column, "<i8")
    with RunFile(copy) as file:
        if sound:
            assert [column.tolist() for column in file.histogram()] == [values, counts]
        else:
            with pytest.raises(InputError, match="histogram is not as it should be"):
                file.histogram()


def test_a_group_that_holds_itself_ends(tmp_path: Path) -> None:
    path = run_file(tmp_path / "run.h5")
    with h5py.File(path, "r+") as file:
        file["edges/edges"] = file["edges"]
        with pytest.raises(InputError, match="it has more groups than this rig writes"):
            seal_raw(file, str(path))
    with pytest.raises(InputError, match="it has more groups than this rig writes"):
        vet(path)


@pytest.mark.parametrize("kind", ["contiguous", "chunked", "text"])
def test_no_more_is_hashed_than_the_file_holds(tmp_path: Path, kind: str) -> None:
    """The same bytes under many names would be read for as long as somebody likes."""
    size, names = 1 << 20, 8
    data = np.random.default_rng(1).integers(1, 127, size, np.uint8)  # not to be compressed
    with h5py.File(tmp_path / "run.h5", "w") as file:
        if kind == "text":
            file["once"] = data.tobytes().decode("ascii")
        else:
            file.create_dataset("once", data=data, chunks=(size,) if kind == "chunked" else None)
        file.flush()
        assert list(raw_parts(file, "run.h5")) == ["attributes", "once"]
        for number in range(names):
            file[f"again-{number}"] = file["once"]
        file.flush()
        assert file.id.get_filesize() < 2 * size
        with pytest.raises(InputError, match=r"again-[12] is too large"):
            raw_parts(file, "run.h5")


def test_a_column_that_is_not_packed_as_the_writer_does(tmp_path: Path) -> None:
    path = run_file(tmp_path / "run.h5")
    with resealed(path) as file:
        name, one = DELTA, plain(file, DELTA)
        column = {"shape": one.shape, "dtype": one.dtype, "chunks": one.chunks}
        del file[name]
        file.create_dataset(name, maxshape=(None,), fletcher32=True, **column)
    with pytest.raises(InputError, match="edges/delta is not as it should be"):
        RunFile(path)


def test_a_run_that_ends_in_an_exception_has_digests(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with pytest.raises(ZeroDivisionError), RunWriter(path, texts_of(), {}):
        raise ZeroDivisionError
    with RunFile(path) as file:
        assert (file.state, len(file.digest)) == ("running", 64)
