"""Layouts of delimited files: found, named, and read; what is wrong is named by line and column."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from privacy.grammar.input_error import InputError
from privacy.records.csv_dialect_detection import Layout, detect_layout, sample_rows
from privacy.records.csv_row_reader import MOST_CELL, column_names, csv_rows
from privacy.records.record_file import BoundedLines, open_as_plain_csv
from tests.privacy.questionnaires import refusal

TABLE = "name;größe;zip\nÄnne;1,5;01234\nBo;2,25;99999\n"


def rows(data: bytes, layout: Layout | None = None) -> list[list[str]]:
    found = layout or detect_layout(data)
    return [cells for _where, cells in csv_rows(io.BytesIO(data), "t.csv", layout=found)]


def test_separator_is_the_one_giving_equally_wide_rows() -> None:
    for separator, texts in {
        ",": ("a,b\n1,2\n", "a\n1\n", "a,b;c\n1,2;3\n4,5;6\n", '"x","y"\n"1",1,2\n"2",3,4\n'),
        ";": ("a;b\n1,5;2\n", 'a;b\n"x,y,z";2\n', "a;b\n1;2\n\n3;4\n"),
        "\t": ("a\tb\n1,5\t2;3\n",),
        "|": ("a|b|c\n1|2|3\n",),
    }.items():
        found = {text: detect_layout(text.encode()).separator for text in texts}
        assert found == dict.fromkeys(texts, separator)
    # A decimal comma is found only where no comma separates.
    commas = {b"a;b\n1,5;2\n": ",", b'a,b\n"1,5",2\n': ".", b"a;b\n1.5;2\n": "."}
    assert {text: detect_layout(text).decimal for text in commas} == commas


def test_a_sample_has_the_header_and_as_many_rows_as_are_asked_for() -> None:
    data = b"a;b\n1;2\n3;4\n5;6\n"
    for asked, read in ((0, 1), (2, 3), (3, 4), (9, 4)):
        found = sample_rows(data, detect_layout(data), asked)
        assert (found[0], len(found)) == (["a", "b"], read)


def test_every_encoding_gives_the_same_rows() -> None:
    own = {"utf-8-sig": "utf-8", "latin-1": "windows-1252"}
    for codec in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "windows-1252"):
        data = TABLE.encode(codec)
        assert detect_layout(data) == Layout(";", own.get(codec, codec), ","), codec
        read = [["name", "größe", "zip"], ["Änne", "1,5", "01234"], ["Bo", "2,25", "99999"]]
        assert rows(data) == read, codec
    # Its first sign may be far behind.
    assert detect_layout(b"a;b\n" + b"x;y\n" * 200_000 + b"\xfc;y\n").encoding == "windows-1252"
    # Wide characters that hold the byte of a line break stay whole: U+0A05 and U+4E0A.
    assert rows("a;b\nਅ上;2\n".encode("utf-16")) == [["a", "b"], ["ਅ上", "2"]]


def test_csv_error_is_one_sentence_with_its_place() -> None:
    plain, latin, wide = Layout(), Layout(encoding="windows-1252"), Layout(encoding="utf-16")
    zero = "a byte of zero; the file is no text, or has another encoding"
    alone = "a line ends with a carriage return alone; save the file with other line ends"
    long = b"a,b\n1,2\n" + b"x" * (MOST_CELL + 1) + b",2\n"
    cases = [
        ((b"a,b\n1,\x00\n", plain), f"2: b: {zero}"),
        ((long, plain), "3: a: a cell of more than 131072 characters"),
        ((b'a,b\n1,"2\n3\n', plain), "3: not CSV: a quotation mark opens a cell, and none closes it"),
        ((b'a,b\n"1"x,2\n', plain), "2: not CSV: text follows the quotation mark that closes a cell"),
        ((b"a,b\r1,2\r", plain), f"1: not CSV: {alone}"),
        ((b"a;b\n1,2\n", Layout(";")), "2: 1 cells, not 2"),
        ((b"a\n\x81\n", latin), "2: not windows-1252"),
        (("a\nb".encode("utf-16")[:-1], wide), "2: not utf-16"),
    ]
    assert [refusal(rows, *given) for given, _said in cases] == [f"t.csv:{said}" for _given, said in cases]


def test_endless_line_is_refused_before_its_end() -> None:
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
            buffer[:] = b"\x00x" * (len(buffer) // 2)
            return len(buffer)

    for encoding in ("utf-8", "utf-16-le"):
        file = BoundedLines(Endless())  # type: ignore[arg-type]
        lines: Iterator[object] = csv_rows(file, "t.csv", layout=Layout(encoding=encoding))
        with pytest.raises(InputError, match="a row of more than 4000000 bytes"):
            next(lines)


def test_a_column_without_a_name_is_called_by_its_number() -> None:
    assert column_names(("t.csv:1", ["", "age", ""]), "t.csv") == ["column 1", "age", "column 3"]


def test_csv_of_any_layout_is_read_like_ours_line_by_line(tmp_path: Path) -> None:
    for data in (
        "group;work\n\ndisguised;yes\n".encode("utf-16"),
        b"group\twork\r\n\r\ndisguised\tyes\r\n",
        b"group,work\n\ndisguised,yes\n",
    ):
        (file := tmp_path / "records.csv").write_bytes(data)
        with open_as_plain_csv(file) as lines:
            read = list(csv_rows(lines, "r"))
        assert read == [("r:1", ["group", "work"]), ("r:3", ["disguised", "yes"])], data


def test_csv_is_rewritten_only_as_far_as_read(tmp_path: Path) -> None:
    (file := tmp_path / "records.csv").write_text("group;work\n" + "disguised;yes\n" * 20_000 + "ragged\n")
    with open_as_plain_csv(file) as rows:
        lines = csv_rows(rows, "r")
        assert [next(lines)[1] for _ in range(2)] == [["group", "work"], ["disguised", "yes"]]
        with pytest.raises(InputError, match=r"records\.csv:20002"):
            list(lines)


def test_decimal_commas_become_points_and_a_ragged_row_keeps_its_line(tmp_path: Path) -> None:
    (file := tmp_path / "truth.csv").write_text("a;b\n1,5;x\n2,5\n")
    with open_as_plain_csv(file) as rows, pytest.raises(InputError, match=r"truth\.csv:3"):
        rows.read()
    file.write_text("a;b\n1,5;x,y\n")
    with open_as_plain_csv(file) as rows:
        assert rows.read() == b'a,b\n1.5,"x,y"\n'
