# SPDX-License-Identifier: GPL-3.0-or-later
"""Line numbers against hand-counted ones, files that are no good, and hostile text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.errors import InputError
from rig.toml.reader import MAX_BYTES, TomlFile, TomlPath, TomlTable, read_document

LINES = '''# a comment
top = 1

[first]  # [[no]]
a = "# no comment"
"b c" = [
    1,

    2,  # ]
]
text = """
[not.a.table]
a = 2
"""
d.e = 3
inline = { x = 1, y = { z = [ {} , { w = 1 } ] } }
[[item]]
k = 1
[item.sub]
k = 2
[[item]]

k = 3
[[item.deep]]
k = 4
[ 'first' . x ]
k = 5
'''


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("top",), 2),
        (("first",), 4),
        (("first", "a"), 5),
        (("first", "b c"), 6),
        (("first", "text"), 11),
        (("first", "d"), 15),
        (("first", "d", "e"), 15),
        (("first", "inline", "y", "z", 1, "w"), 16),
        (("item", 0), 17),
        (("item", 0, "k"), 18),
        (("item", 0, "sub"), 19),
        (("item", 0, "sub", "k"), 20),
        (("item", 1), 21),
        (("item", 1, "k"), 23),
        (("item", 1, "deep", 0), 24),
        (("item", 1, "deep", 0, "k"), 25),
        (("first", "x"), 26),
        (("first", "x", "k"), 27),
        (("first", "none"), None),
    ],
)
def test_every_key_has_its_line(path: TomlPath, line: int | None, newline: str) -> None:
    document = TomlFile(LINES.replace("\n", newline), "lines.toml")
    document.root()
    assert document.line_of(path) == line


_KEYS = st.text("abc", min_size=1, max_size=3)
_VALUES = st.sampled_from(["1", '"x"', "[\n1,\n\n2 ]", '"""\n[x]\ny = 1\n"""', "{ p = 1 }", "'#'"])


@given(st.lists(st.tuples(_KEYS, _VALUES, st.integers(0, 2)), unique_by=lambda item: item[0]))
def test_lines_of_random_statements(items: list[tuple[str, str, int]]) -> None:
    text, lines = "[t]\n", {}
    for key, value, blank in items:
        text += "# x = 1\n" * blank
        lines[key] = text.count("\n") + 1
        text += f"{key} = {value}\n"
    document = TomlFile(text, "random.toml")
    assert set(document.root().table("t").values) == set(lines)
    assert {key: document.line_of(("t", key)) for key in lines} == lines


def test_an_error_behind_a_very_long_value_names_the_line_of_its_table() -> None:
    document = TomlFile("[t]\nlong = [\n" + "\n" * 40 + "]\nafter = 1\n", "long.toml")
    error = document.root().table("t").error("after", "wrong", "right")
    assert str(error) == "long.toml:1: [t] after: wrong; valid: right"


# --- files ---------------------------------------------------------------------------------------


def message_of(path: Path, folder: Path) -> str:
    with pytest.raises(InputError) as error:
        read_document(path)
    return str(error.value).replace(f"{folder}/", "")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a = 1\nb = '\xff'\n", "x.toml:2: byte 0xff is not UTF-8; valid: text saved as UTF-8"),
        (b"#" * (MAX_BYTES + 1), "x.toml: too large; valid: at most 1 MiB"),
    ],
)
def test_files_that_are_no_text(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "x.toml").write_bytes(data)
    assert message_of(tmp_path / "x.toml", tmp_path) == message


def test_files_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    missing = "no.toml: no such file; valid: the path of a TOML file"
    assert message_of(tmp_path / "no.toml", tmp_path) == missing
    assert message_of(tmp_path / "folder.toml", tmp_path) == (
        "folder.toml: not a file; valid: a TOML file"
    )
    assert message_of(tmp_path / ("n" * 5000), tmp_path).endswith(
        "cannot be read: File name too long"
    )


def test_byte_order_mark_and_largest_size_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(b"\xef\xbb\xbfa = 1\n" + b"\n" * (MAX_BYTES - 9))
    assert read_document(path).root().values == {"a": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1\nb = \n", "x:2: not TOML: Invalid value at column 5"),
        ("a = 1\nb = [1,\n", "x:2: not TOML: Invalid value"),
        (
            "a = 1\n[t\n",
            "x:2: not TOML: Expected ']' at the end of a table declaration",
        ),
        ("a = 1\na = 2\n", "x:2: not TOML: This key is given twice at column 6"),
        ("a = 1\nb = " + "x" * 999, "x:2: a line of 1003 characters; valid: at most 1000"),
        ("a = [\n" + "[\n" * 5000, "x: arrays nested too deeply"),
    ],
)
def test_syntax_errors_name_the_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        TomlFile(text, "x").root()
    assert str(error.value).startswith(message)


def test_a_deep_value_does_not_break_the_search_for_lines() -> None:
    dotted = ".".join("k" * 400)
    text = "[t]\n" + f"deep = [{{ {dotted} = [\n{{ {dotted} = 1 }} ] }} ]\nnext = 1\n"
    document = TomlFile(text, "x")
    assert document.root().values.keys() == {"t"}
    assert document.line_of(("t", "next")) == 4


# --- values --------------------------------------------------------------------------------------


def table(value: str) -> TomlTable:
    return TomlFile(f"[t]\nk = {value}\n", "x").root().table("t")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ('"ten"', '"ten" is a string'),
        ("1.5", "1.5 is a float"),
        ("1e3", "1000.0 is a float"),
        ("true", "true is a boolean"),
        ("[1]", "is an array"),
        ("{ a = 1 }", "is a table"),
        ("1979-05-27", "is a date or time"),
        ("07:32:00", "is a date or time"),
        ("11", "11 is out of range"),
        ("0", "0 is out of range"),
        ("-1", "-1 is out of range"),
        ("0x1" + "0" * 200, "an integer of 801 bits is out of range"),
    ],
)
def test_integers(value: str, shown: str) -> None:
    with pytest.raises(InputError) as error:
        table(value).integer("k", 1, 10)
    assert str(error.value) == f"x:2: [t] k: {shown}; valid: an integer from 1 to 10"
    assert table("10").integer("k", 1, 10) == 10


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1.01", "-0.01", "true", '"0.5"'])
def test_numbers(value: str) -> None:
    with pytest.raises(InputError) as error:
        table(value).number("k", 0, 1)
    assert str(error.value).endswith("; valid: a number from 0 to 1")
    assert table("0.25").number("k", 0, 1) == 0.25
    assert table("1").number("k", 0, 1) == 1.0


def test_a_default_does_not_hide_a_number_without_its_unit() -> None:
    with pytest.raises(InputError, match="k: 0 is an integer; valid: a time from 0 ps to 10 ps"):
        table("0").time_ps("k", 0, 10, 0)


def test_control_characters_reach_no_terminal() -> None:
    with pytest.raises(InputError) as error:
        table('"\\u001b[2J\\n\\u2028"').text("k", valid="text")
    assert str(error.value) == 'x:2: [t] k: "\\x1b[2J\\n\\u2028" is not allowed; valid: text'
    hostile = TomlFile('"a\\nb\\u0007" = 1\n', "x").root()
    with pytest.raises(InputError) as error:
        hostile.allow_only(("a",))
    assert str(error.value) == "x:1: a\\nb\\x07: unknown key; valid: a"
