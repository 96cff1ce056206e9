# SPDX-License-Identifier: GPL-3.0-or-later
"""The index of a campaign's folder: kept whole, and read with suspicion."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.campaign.folder import free_file, locked, opened
from rig.campaign.index import NAME, Index, RunState, load_index, store_index
from rig.campaign.matrix import cells_of
from rig.campaign.plan import load_campaign
from rig.config.fixture import load_fixture
from rig.errors import InputError
from tests.campaign import plans


def begun(tmp_path, **changes):
    """A folder with an index of its campaign, nothing measured."""
    campaign = load_campaign(plans.written(tmp_path))
    folder = tmp_path / "folder"
    folder.mkdir(exist_ok=True)
    fixture = replace(load_fixture("virtual"), **changes)
    return folder, opened(folder, campaign, cells_of(campaign), fixture)


def test_what_is_stored_is_read_again(tmp_path):
    folder, index = begun(tmp_path)
    assert [entry.name for entry in index.entries] == list(plans.NAMES)
    assert {entry.state for entry in index.entries} == {RunState.PLANNED}
    changed = index.with_entry(
        replace(
            index.entries[0], state=RunState.DONE, file="interrupt-idle-2.h5", verdict="pass",
            exit_code=0, partial_files=("interrupt-idle.h5",),
        )
    )  # fmt: skip
    store_index(folder, changed)
    assert load_index(folder) == changed != index
    assert begun(tmp_path)[1] == changed
    assert sorted(path.name for path in folder.iterdir()) == [NAME]


def test_an_index_of_an_earlier_rig_is_read(tmp_path):
    folder, index = begun(tmp_path)
    files = ("interrupt-idle.h5", "interrupt-idle-2.h5")
    changed = index.with_entry(replace(index.entries[0], partial_files=files))
    store_index(folder, changed)
    text = (folder / NAME).read_text()
    assert text.count('"partial_files"') == len(index.entries)
    (folder / NAME).write_text(text.replace('"partial_files"', '"half"'))
    assert load_index(folder) == changed


def test_another_campaign_does_not_go_on_in_a_folder(tmp_path):
    folder, _ = begun(tmp_path)
    before = (folder / NAME).read_bytes()
    fixture = load_fixture("virtual")
    cases = (
        (plans.SMALL.replace('"small"', '"other"', 1), None, "is that of campaign small, not oth"),
        (plans.SMALL, 21, "was begun with another plan for run interrupt-idle"),
        (plans.SMALL.replace(', "2 ms"', ""), None, "with a run period-2ms-idle, which is none"),
        (plans.SMALL.replace(', "2 ms"', ', "3 ms"'), None, "another plan for run period-3ms-id"),
    )
    for text, count, words in cases:
        campaign = load_campaign(plans.written(tmp_path, text), count)
        with pytest.raises(InputError, match=words):
            opened(folder, campaign, cells_of(campaign), fixture)
    with pytest.raises(InputError, match=r"made on fixture virtual; name another folder"):
        begun(tmp_path, name="elsewhere")
    with pytest.raises(InputError, match="made on fixture virtual as it was before"):
        begun(tmp_path, text=fixture.text + "\n")
    assert (folder / NAME).read_bytes() == before


def test_one_campaign_at_a_time(tmp_path):
    with (
        locked(tmp_path / "folder"),
        pytest.raises(InputError, match="another campaign is running in it"),
        locked(tmp_path / "folder"),
    ):
        pass
    with locked(tmp_path / "folder"):
        pass


def test_no_name_is_used_twice(tmp_path):
    assert free_file(tmp_path, "a").name == "a.h5"
    (tmp_path / "a.h5").touch()
    assert free_file(tmp_path, "a").name == "a-2.h5"
    (tmp_path / "a-2.windows").mkdir()
    (tmp_path / "a-3.html").touch()
    assert free_file(tmp_path, "a").name == "a-4.h5"
    assert free_file(tmp_path, "b").name == "b.h5"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("format",), "other"),
        (("version",), 2),
        (("entries",), {}),
        (("entries", 0), 5),
        (("entries", 0, "name"), "interrupt-cpu"),
        (("entries", 0, "state"), "perhaps"),
        (("entries", 0, "file"), "../../etc/passwd"),
        (("entries", 0, "file"), "/etc/passwd.h5"),
        (("entries", 0, "file"), "a.h5/../b.h5"),
        (("entries", 0, "half"), ["x/../y.h5"]),
        (("entries", 0, "exit_code"), "0"),
        (("entries", 0, "reason"), "x" * 3000),
        (("text",), None),
    ],
)
def test_a_strangers_index_is_refused(tmp_path, path, value):
    folder, _ = begun(tmp_path)
    document = json.loads((folder / NAME).read_text())
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    (folder / NAME).write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"campaign\.json: is no index of a campaign"):
        load_index(folder)


@given(st.one_of(st.binary(max_size=200), st.just(b"[" * 100_000), st.just(b"{}")))
def test_whatever_lies_there_is_one_error(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("folder")
    (folder / NAME).write_bytes(data)
    with pytest.raises(InputError):
        load_index(folder)


def test_a_folder_without_an_index(tmp_path):
    assert load_index(tmp_path) is None
    with pytest.raises(InputError, match="cannot be written"):
        store_index(tmp_path / "none", Index("a", "", "f", "", ""))
