"""Changes pictures, Parquet and SPSS files by their structure: chunks, records, pages and footers.

Parts are dropped, doubled or swapped, or numbers in them are others; checksums are made right again.
"""

import io
import random
import re
import struct
import zlib
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

NUMBERS = (0, 1, 2, 3, 7, 255, 600, 65_535, 10**6, 2**31 - 1, 2**31, 2**32 - 1)


def mutated_parts(parts: list[bytes], draw: random.Random) -> list[bytes]:
    """The parts of a file with one to three changes; the first, which names the format, stays mostly."""
    made = list(parts)
    for _time in range(draw.choice((1, 1, 2, 3))):
        if not made:
            break
        index = draw.randrange(1 if len(made) > 1 and draw.random() < 0.8 else 0, len(made))
        act = draw.randrange(8)
        if act == 0:
            del made[index]
        elif act == 1:
            made[index:index] = [made[index]] * draw.choice((1, 1, 300))
        elif act == 2:
            other = draw.randrange(len(made))
            made[index], made[other] = made[other], made[index]
        elif act == 3:
            made[index] = made[index][: draw.randrange(len(made[index]) + 1)]
        else:
            made[index] = other_number(made[index], draw)
    return made


def other_number(part: bytes, draw: random.Random) -> bytes:
    """With another number of four, two or one bytes, or another letter, somewhere."""
    width = draw.choice((4, 4, 2, 1))
    if len(part) < width:
        return part
    place = draw.randrange(0, len(part) - width + 1, draw.choice((1, width)))
    other = draw.choice((*NUMBERS, draw.randrange(256))).to_bytes(4, "little")[:width]
    return part[:place] + (other if draw.random() < 0.5 else other[::-1]) + part[place + width :]


# --- pictures


def mutated_png(data: bytes, draw: random.Random) -> bytes:
    """Chunks without length and checksum, which are written anew; the first has the width and height."""
    chunks, place = [], 8
    while place < len(data):
        (size,) = struct.unpack_from(">I", data, place)
        chunks.append(data[place + 4 : place + 8 + size])
        place += 12 + size
    if draw.random() < 0.3:
        odd = (
            b"zTXtComment\0\0" + packed_zeros(),
            b"iCCPx\0\0" + packed_zeros(),
            b"IDAT" + packed_zeros(),
            b"tEXt" + b"x" * 70_000,
            b"eXIfII*\0\xff\xff\xff\xff",
            b"acTL" + struct.pack(">II", 2**31 - 1, 0),
            b"fcTL" + bytes(26),
            b"tRNS",
            b"PLTE" + bytes(7),
            b"gAMA",
            b"iTXta\0\1\0\0\0" + packed_zeros(),
            b"\xff\0\0\0",
        )
        chunks.insert(draw.randrange(1, len(chunks)), draw.choice(odd))
    else:
        chunks = mutated_parts(chunks, draw)
    wrong = draw.random() < 0.1
    return data[:8] + b"".join(
        struct.pack(">I", max(len(chunk) - 4, 0)) + chunk + struct.pack(">I", zlib.crc32(chunk) ^ wrong)
        for chunk in chunks
    )


@cache
def packed_zeros() -> bytes:
    """What unpacks to 200 MB."""
    packer = zlib.compressobj()
    return b"".join(packer.compress(bytes(10_000_000)) for _time in range(20)) + packer.flush()


def mutated_jpeg(data: bytes, draw: random.Random) -> bytes:
    """Segments by their markers; the last holds the pixels."""
    segments, place = [data[:2]], 2
    while data[place + 1] != 0xDA:
        (size,) = struct.unpack_from(">H", data, place + 2)
        segments.append(data[place : place + 2 + size])
        place += 2 + size
    segments.append(data[place:])
    if draw.random() < 0.3:
        exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12" + draw.choice(
            (b"\0\3\0\0\0\1\0\6\0\0", b"\0\x63\xff\xff\xff\xff\0\6\0\0", b"")
        )
        odd = (
            exif,
            b"ICC_PROFILE\0\1\xff",
            b"Adobe\0",
            b"JFIF\0",
            b"http://ns.adobe.com/xap/1.0/\0<x",
            b"MPF\0II*\0",
        )
        chosen = draw.choice(odd)
        marker = draw.choice((0xE0, 0xE1, 0xE2, 0xEE, 0xC0, 0xDD, 0xFE))
        segments.insert(1, struct.pack(">BBH", 0xFF, marker, len(chosen) + 2) + chosen)
        return b"".join(segments)
    return b"".join(mutated_parts(segments, draw))


def mutated_webp(data: bytes, draw: random.Random) -> bytes:
    """Chunks of RIFF; lengths are written anew."""
    chunks, place = [], 12
    while place < len(data):
        (size,) = struct.unpack_from("<I", data, place + 4)
        chunks.append(data[place : place + 4] + data[place + 8 : place + 8 + size])
        place += 8 + size + size % 2
    if draw.random() < 0.3:
        wide = b"\xff\xff\xff"
        odd = (
            b"VP8X" + bytes(4) + wide + wide,
            b"VP8X\2" + bytes(9),
            b"EXIFII*\0\xff\xff\xff\xff",
            b"ICCP" + bytes(9),
            b"ANIM" + bytes(6),
            b"ANMF" + bytes(20),
            b"ALPH\1",
        )
        chunks.insert(draw.randrange(len(chunks) + 1), draw.choice(odd))
    else:
        chunks = mutated_parts(chunks, draw)
    body = b"".join(
        chunk[:4] + struct.pack("<I", max(len(chunk) - 4, 0)) + chunk[4:] + b"\0" * (len(chunk) % 2)
        for chunk in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


# --- Parquet


def mutated_parquet(data: bytes, draw: random.Random) -> bytes:
    """Other columns, or other bytes of the pages, of the footer or of its length."""
    if draw.random() < 0.6:
        return odd_parquet(data, draw)
    (length,) = struct.unpack_from("<I", data, len(data) - 8)
    pages, footer, end = data[4 : -8 - length], data[-8 - length : -8], data[-8:]
    part, before = draw.choice((("pages", pages), ("footer", footer), ("footer", footer), ("end", end)))
    for _time in range(draw.choice((1, 2, 3))):
        place = draw.randrange(max(len(before), 1))
        piece = draw.choice(
            (b"", b"\0", b"\xff", b"\xff\xff\xff\xff\x0f", bytes([draw.randrange(256)]), before[:40])
        )
        before = before[:place] + piece + before[place + draw.choice((0, 1, len(piece), 30)) :]
    made = {"pages": pages, "footer": footer, "end": end, part: before}
    if part == "footer":
        made["end"] = struct.pack("<I", len(made["footer"])) + b"PAR1"
    return b"PAR1" + made["pages"] + made["footer"] + made["end"]


def odd_parquet(data: bytes, draw: random.Random) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    table = parquet.read_table(io.BytesIO(data))
    for _time in range(draw.choice((1, 1, 2, 3))):
        act = draw.randrange(7)
        index = draw.randrange(max(table.num_columns, 1))
        if act == 0 and table.num_columns:
            table = table.remove_column(index)
        elif act == 1:
            table = table.slice(0, draw.choice((0, 1, 40)))
        elif act == 2 and table.num_columns:
            names = [
                "",
                " ",
                "a,b",
                'say "x"',
                "\u202ex",
                "x" * 5_000,
                "\0",
                "=1+1",
                "line\nbreak",
                table.column_names[0],
            ]
            table = table.rename_columns(
                [*table.column_names[:index], draw.choice(names), *table.column_names[index + 1 :]]
            )
        elif act == 3 and table.num_columns:
            for number in range(draw.choice((1, 600)) if table.num_rows < 1_000 else 1):
                table = table.append_column(f"more {number}", table.column(index))
        elif act == 4:
            times = draw.choice((2, 40, 10_000))
            table = pa.concat_tables([table] * (times if table.nbytes * times < 60_000_000 else 2))
        else:
            cells = draw.choice(odd_columns())
            table = table.slice(0, 50_000_000 // (cells.nbytes + 1) * len(cells))
            repeated = pa.concat_arrays([cells] * (table.num_rows // len(cells) + 1))[: table.num_rows]
            table = table.append_column(f"odd {table.num_columns}", repeated)
    file = io.BytesIO()
    size = max(draw.choice((7, 1_000_000)), table.num_rows // 50)
    parquet.write_table(
        table,
        file,
        compression=draw.choice(("none", "snappy", "gzip", "zstd", "brotli", "lz4")),
        row_group_size=size,
    )
    return file.getvalue()


@cache
def odd_columns() -> list[Any]:
    """Columns of every type that Parquet has, with the ends of each."""
    import pyarrow as pa

    return [
        pa.array([2**63 - 1, -(2**63), None], pa.int64()),
        pa.array([2**64 - 1, 0], pa.uint64()),
        pa.array([None, None], pa.null()),
        pa.array([float("nan"), float("inf"), -0.0, 1e308, 5e-324, None]),
        pa.array([0.1], pa.float32()),
        pa.array([True, None, False]),
        pa.array(["\0", "\u202ex", '"', "\n", "\r", "", None, "=1+1", "x" * 140_000]),
        pa.array(["a\0b"]),
        pa.array([b"\xff", b""]),
        pa.array([[1, 2], [], None]),
        pa.array([{"a": 1}, None]),
        pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
        pa.array([10**37, None], pa.decimal128(38, 0)),
        pa.array([0, 2**31 - 1, -(2**31)], pa.date32()),
        pa.array([2**62, -(2**62)], pa.timestamp("us")),
        pa.array([2**62, 1], pa.timestamp("ns", "Europe/Berlin")),
        pa.array([86_399, 0], pa.time32("s")),
        pa.array([1, None], pa.duration("s")),
        pa.array(["a", "b", None]).dictionary_encode(),
        pa.array([1, 2, None]).dictionary_encode(),
        pa.array(["long"], pa.large_string()),
        pa.array([b"abcd"], pa.binary(4)),
        pa.array(["view", None], pa.string_view()),
    ]


# --- SPSS


def mutated_spss(data: bytes, draw: random.Random) -> bytes:
    """Records of the dictionary, as its numbers and texts say; what is compressed stays where it is."""
    if draw.random() < 0.25:
        return odd_spss(draw, data.startswith(b"$FL3"))
    records = spss_records(data)
    if data.startswith(b"$FL3"):  # its last part has offsets into the file
        index = draw.randrange(len(records))
        for _time in range(draw.choice((1, 2, 3))):
            records[index] = other_number(records[index], draw)
        return b"".join(records)
    return b"".join(mutated_parts(records, draw))


def spss_records(data: bytes) -> list[bytes]:
    """The header, the records of the dictionary, and the cases."""

    def number(offset: int) -> int:
        return int(struct.unpack_from("<i", data, offset)[0])

    places, place = [0], 176
    while True:
        places.append(place)
        kind = number(place)
        if kind == 2:
            end = place + 32
            if number(place + 8):
                end += 4 + (number(end) + 3) // 4 * 4
            place = end + 8 * abs(number(place + 12))
        elif kind == 3:
            end = place + 8
            for _label in range(number(place + 4)):
                end += 8 + (data[end + 8] + 8) // 8 * 8
            place = end
        elif kind == 4:
            place += 8 + 4 * number(place + 4)
        elif kind == 6:
            place += 8 + 80 * number(place + 4)
        elif kind == 7:
            place += 16 + number(place + 8) * number(place + 12)
        else:
            assert kind == 999
            return [data[start:end] for start, end in pairwise([*places, place + 8, len(data)])]


def odd_spss(draw: random.Random, is_compressed: bool) -> bytes:
    """What SPSS can hold and few files do."""
    import pandas as pd

    columns: dict[str, list[Any]] = {
        "age": [20.0 + number % 40 for number in range(120)],
        "ill": [["flu", "cold"][number % 2] for number in range(120)],
        "big": [1e308, float("nan")] * 60,
        "words": ["\u202ex", '"', "", "=1+1", "字" * 300, "a\nb"] * 20,
        "day": list(pd.to_datetime(["1600-01-01", None, "2262-04-11"]).repeat(40)),
        "x" * 60: [1.0] * 120,
        "ünlaut": [0.1 + 0.2] * 120,
    }
    kept = draw.sample(list(columns), draw.randint(1, len(columns)))
    labels = {
        name: draw.choice(({1.0: "one"}, {}, {1.0: "x" * 120, 2.0: "\u202e"}))
        for name in kept
        if name in ("age", "x" * 60)
    }
    frame = pd.DataFrame({name: columns[name] for name in kept}).head(draw.choice((0, 1, 120)))
    return written_spss(
        frame, is_compressed, variable_value_labels=labels, file_label="x" * draw.choice((0, 60))
    )


def written_spss(frame: Any, is_compressed: bool, **more: Any) -> bytes:
    import pyreadstat

    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.sav"
        pyreadstat.write_sav(frame, path, compress=is_compressed, row_compress=False, **more)
        written = path.read_bytes()
    # The time when it was written.
    return re.sub(rb"\d\d \w{3} \d\d\d\d:\d\d:\d\d", b"01 Dec 2600:00:00", written, count=1)
