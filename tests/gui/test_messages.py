# SPDX-License-Identifier: GPL-3.0-or-later
"""What passes from engine to window survives any cut of the stream, and is looked at."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.engine.messages import MESSAGE_MAX, Message, Unpacker, packed
from gui.engine.snapshot import Event, Snapshot, snapshot_of

numbers = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=20)
messages = st.builds(
    lambda kind, text, arrays: Message(
        kind, {"text": text}, {name: np.array(a, np.int64) for name, a in arrays.items()}
    ),
    st.text(max_size=5),
    st.text(max_size=30),
    st.dictionaries(st.text(max_size=5), numbers, max_size=3),
)


@given(st.lists(messages, max_size=5), st.data())
def test_messages_arrive_whole_however_the_stream_is_cut(sent, data):
    stream = b"".join(map(packed, sent))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    unpacker, heard = Unpacker(), []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        heard += unpacker.feed(stream[start:end])
    assert [(m.kind, m.fields) for m in heard] == [(m.kind, m.fields) for m in sent]
    for got, given_ in zip(heard, sent, strict=True):
        assert {n: a.tolist() for n, a in got.arrays.items()} == {
            n: a.tolist() for n, a in given_.arrays.items()
        }


@pytest.mark.parametrize(
    "stream",
    [
        struct.pack("<II", MESSAGE_MAX + 1, 2),
        struct.pack("<II", 6, 4) + b"null",
        struct.pack("<II", 6, 2) + b"{}",
        struct.pack("<II", 5, 2) + b"{}",
        struct.pack("<II", 40, 36) + b'{"kind": "a", "arrays": [["x", 99]]}',
    ],
)
def test_what_is_no_message_is_refused(stream):
    with pytest.raises(ValueError, match=r"message|JSON|Expecting"):
        list(Unpacker().feed(stream + b" " * 64))


def test_a_snapshot_arrives_as_it_was_sent():
    sent = Snapshot(
        phase="measuring",
        planned=1000,
        events=3,
        worst_ns=10333.333333333334,
        counts={"answered": 2, "missed": 1},
        notable=(Event(1, 100, -1, "missed"), Event(2, 200, 310, "maximum")),
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
