# SPDX-License-Identifier: GPL-3.0-or-later
"""What passes from engine to window survives any cut of the stream, and is looked at."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.engine.snapshot import Snapshot, integers, snapshot_of
from gui.processes.messages import LINE_MAX, Message, Unpacker, packed
from rig.services.event_query import NotableEvent

messages = st.builds(
    lambda kind, text, numbers: Message(kind, {"text": text, "numbers": numbers}),
    st.text(max_size=5),
    st.text(max_size=30),
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=20),
)


@given(st.lists(messages, max_size=5), st.data())
def test_messages_arrive_whole_however_the_stream_is_cut(sent, data):
    stream = b"".join(map(packed, sent))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    unpacker, heard = Unpacker(), []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        heard += unpacker.feed(stream[start:end])
    assert heard == sent


@pytest.mark.parametrize(
    "stream",
    [
        b"null\n",
        b"{}\n",
        b"\xff\n",
        b"{\n",
        b'{"kind": 1}\n',
        b"[" * 100_000 + b"\n",
        b" " * LINE_MAX,
        b" " * LINE_MAX + b"\n",
    ],
)
def test_what_is_no_message_is_refused(stream):
    with pytest.raises(ValueError, match=r"message|codec|Expecting"):
        list(Unpacker().feed(stream))


@given(st.binary(max_size=60))
def test_no_bytes_do_more_than_be_refused(data):
    with contextlib.suppress(ValueError):
        assert all(isinstance(each.kind, str) for each in Unpacker().feed(data))


def test_too_long_a_message_is_not_sent():
    with pytest.raises(ValueError, match="at most"):
        packed(Message("text", {"text": " " * LINE_MAX}))


@pytest.mark.parametrize("values", [None, {}, [1.5], [True], ["1"], [2**63]])
def test_what_is_no_list_of_integers_is_refused(values):
    with pytest.raises(ValueError, match="integers"):
        integers(values)


def test_a_snapshot_arrives_as_it_was_sent():
    sent = Snapshot(
        phase="measuring",
        planned=1000,
        events=3,
        worst_ns=10333.333333333334,
        counts={"answered": 2, "missed": 1},
        notable=(NotableEvent(1, 100, -1, "missed"), NotableEvent(2, 200, 310, "maximum")),
        total_samples=2**70,
        bins=np.array([7, 260]),
        bin_counts=np.array([1, 2]),
        end_sample=np.array([240]),
        max_samples=np.array([-1]),
    )
    (message,) = Unpacker().feed(packed(sent.message()))
    got = snapshot_of(message)
    for name in Snapshot.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(got, name), getattr(sent, name))
