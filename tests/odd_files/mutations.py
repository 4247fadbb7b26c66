"""Changes files by their structure: trees of JSON, cells, XML and archives, and the parts of pictures and tables.

One to three nodes or parts are deleted, doubled, moved, nested, renamed or of another type, and the file is put
together again, with its checksums. Some are changed as a whole: cut, in another encoding, or by what no tree can hold.
"""

import copy
import csv
import io
import json
import random
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

from openpyxl import Workbook, load_workbook

Mutate = Callable[[bytes, random.Random], bytes]
HOSTILE: tuple[Any, ...] = (
    *(None, True, -1, 0, 0.5, 10**12, 10**40, 1e308, "", " ", "{", "${e://x}", "[q(1)] = '1'", "=1+1", "@SUM(A1)"),
    *("(" * 300, "not " * 200, [], {}, [[]], [{}], {"": 0}, "é" * 9_000, "x" * 140_000, "\x00", "a\x00b", "\ud800"),
    *("\u202eabc", "\u200f", "\ufeff", "字", "a\u0301" * 40, "%s", "%(n)s", "{}", "<b>&amp;", '"', "'"),
    *("\n", "\r"),
    *("9" * 30, "nan", "inf", "1,5", "2027-02-30", "null", "yes", "no", "group", "-", "?", "a=b", "en"),
    *("xx-YY", "日本", "disguised", "open", "1e9", ".5", "0.50001", "2099-12-31", "selected(", "and or", "label::xx"),
)  # fmt: skip
TEXTS = [each for each in HOSTILE if isinstance(each, str)]
ENCODINGS = ("utf-16", "utf-16-le", "utf-8-sig", "latin-1", "utf-32", "cp1251", "shift-jis")
DEEPEST = (1, 5, 60, 2_000)
NAME = r"(\{[^{}]+\})?[A-Za-z][\w.-]*"


def paths(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, inner in entries:
        yield (*path, key)
        yield from paths(inner, (*path, key))


def node_at_path(root: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        root = root[key]
    return root


def nest_deeply(node: Any, key: Any, depth: int) -> Any:
    for _ in range(depth):
        node = [node] if isinstance(key, int) else {key: node}
    return node


def mutated_tree(root: Any, draw: random.Random, deepest: int = DEEPEST[-1]) -> Any:
    """The tree with one to three changes."""
    made = copy.deepcopy(root)
    for number in range(draw.choice((1, 1, 2, 3))):
        every = list(paths(made))
        if not every:
            break
        *parents, last = draw.choice(every)
        place = node_at_path(made, tuple(parents))
        acts = ("replace", "delete", "double", "move", "graft", "nest", "retype", "rename", "swap")
        act = draw.choice(acts)
        if act == "delete":
            del place[last]
        elif act == "double" and isinstance(place, list):
            place[last:last] = [copy.deepcopy(place[last])] * draw.choice((1, 2, 400))
        elif act == "move" and isinstance(place, list):
            draw.shuffle(place)
        elif act == "rename" and isinstance(place, dict):
            place[draw.choice(("", "x", f"{last} ", str(last).upper(), *map(str, place)))] = place.pop(last)
        elif act == "nest" and not number:  # what is nested deeply cannot be copied again
            place[last] = nest_deeply(
                place[last], last, draw.choice([one for one in DEEPEST if one <= deepest])
            )
            break
        elif act == "retype":
            place[last] = {"0": place[last]} if isinstance(place[last], list) else str(place[last])
        elif act in ("graft", "swap"):
            other = node_at_path(root, draw.choice(list(paths(root))))
            place[last] = copy.deepcopy(other)
        else:
            place[last] = draw.choice(HOSTILE)
    return made


def mutated_json(data: bytes, draw: random.Random) -> bytes:
    text = written_json(mutated_tree(json.loads(data), draw), draw.random() < 0.5)
    if draw.random() < 0.15:
        # What no tree holds: keys twice, numbers without end, and what stands behind the end.
        places = [found.start() for found in re.finditer(r'"\w+": ', text)]
        place = draw.choice(places) if places else 0
        members = ("NaN", "-Infinity", "9" * 5_000, '1, "x": 2', "1e999")
        odd = draw.choice((*(f'"x": {member}, ' for member in members), "// x\n"))
        text = draw.choice((text[:place] + odd + text[place:], f"{text}{{}}", f"{text},", f"[{text}]"))
    return text.encode("utf-8", "surrogatepass")


def written_json(tree: Any, ascii_only: bool) -> str:
    """Also of a tree that is nested too deeply for the writer of Python."""
    try:
        return json.dumps(tree, ensure_ascii=ascii_only)
    except RecursionError:
        pieces, waiting = list[str](), [tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, _Written):
                pieces.append(node)
            elif isinstance(node, dict):
                entries = [
                    each
                    for key, inner in node.items()
                    for each in (_Written(f"{json.dumps(key)}: "), inner, _Written(", "))
                ]
                waiting += [*reversed([_Written("{"), *entries[:-1], _Written("}")])]
            elif isinstance(node, list):
                entries = [each for inner in node for each in (inner, _Written(", "))]
                waiting += [*reversed([_Written("["), *entries[:-1], _Written("]")])]
            else:
                pieces.append(json.dumps(node, ensure_ascii=ascii_only))
        return "".join(pieces)


class _Written(str):
    """A piece of JSON as it will stand in the file."""


def _rows(tree: Any) -> list[list[str]]:
    lines = tree if isinstance(tree, list) else [tree]
    return [[_cell(cell) for cell in (line if isinstance(line, list) else [line])] for line in lines]


def _cell(cell: Any) -> str:
    """What is nested too deeply to be written is a cell of brackets."""
    try:
        return "" if cell is None else str(cell)
    except RecursionError:
        return "[" * 1_000


def mutated_table(separator: str) -> Mutate:
    """Of a table whose `separator` is this."""

    def mutate(data: bytes, draw: random.Random) -> bytes:
        text = data.decode("utf-16" if data[:2] == b"\xff\xfe" else "utf-8-sig")
        header, *lines = csv.reader(io.StringIO(text), delimiter=separator)
        # The header stays mostly, since it names the format.
        tree = [header, *lines]
        is_whole = draw.random() < 0.2
        rows = _rows(mutated_tree(tree, draw)) if is_whole else [header, *_rows(mutated_tree(lines, draw))]
        made = io.StringIO()
        end = draw.choice(("\r\n",) * 8 + ("\n", "\r"))
        quoting: Literal[0, 1] = draw.choice((csv.QUOTE_ALL, csv.QUOTE_MINIMAL))
        used = separator if draw.random() < 0.9 else draw.choice(",;\t|:")
        csv.writer(made, delimiter=used, quoting=quoting, lineterminator=end).writerows(rows)
        text = made.getvalue()
        if draw.random() < 0.1:
            place = draw.randrange(len(text) + 1)
            odd = draw.choice(('"', '""', f"{used}{used}", "\n\n", '"a"b', "\x1a"))
            text = text[:place] + odd + text[place:]
        return text.encode("utf-8", "surrogatepass" if draw.random() < 0.5 else "replace")

    return mutate


def mutated_workbook(data: bytes, draw: random.Random) -> bytes:
    """A workbook with other cells, or with its parts changed as those of any archive."""
    if draw.random() < 0.3:
        return mutated_archive(data, draw, ".xml")
    book = load_workbook(io.BytesIO(data))
    sheets = {sheet.title: [list(row) for row in sheet.iter_rows(values_only=True)] for sheet in book}
    changed = mutated_tree(sheets, draw)
    made, file = Workbook(), io.BytesIO()
    made.remove(made.active)
    for title, rows in (changed if isinstance(changed, dict) and changed else sheets).items():
        name = re.sub(r"[\\*?:/\[\]\x00-\x1f\ud800-\udfff]", "", str(title))[:30]
        sheet = made.create_sheet(name or "empty")
        for row in rows if isinstance(rows, list) else [rows]:
            sheet.append([_workbook_cell(cell) for cell in (row if isinstance(row, list) else [row])][:300])
    made.save(file)
    return file.getvalue()


def _workbook_cell(cell: Any) -> Any:
    if cell is None or isinstance(cell, bool | float) or (isinstance(cell, int) and abs(cell) < 10**300):
        return cell
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]", "", _cell(cell))[:32_000]


def mutated_xml(data: bytes, draw: random.Random) -> bytes:
    """An element is a list of its tag, its attributes, its text, the text behind it, and its children."""

    def tree(element: ET.Element) -> list[Any]:
        words = (element.text or "", element.tail or "")
        return [element.tag, dict(element.attrib), *words, *map(tree, element)]

    text = written_xml(mutated_tree(tree(ET.fromstring(data)), draw))
    act = draw.random()
    if act < 0.1:
        name = text[1:].split(" ")[0].split(">")[0]
        kinds = (
            'SYSTEM "file:///etc/passwd"',
            '[<!ENTITY e SYSTEM "file:///etc/passwd">]',
            '[<!ENTITY e "x"><!ENTITY f "&e;&e;">]',
        )
        text = f"<!DOCTYPE {name} {draw.choice(kinds)}>{text.replace('</', '&e;</', 1)}"
    elif act < 0.2:
        place = draw.choice([found.start() for found in re.finditer("<", text)])
        odd = (
            *("&nothing;", "&#0;", "&#xD800;", "\x00", "<", "&", "]]>", "<![CDATA[", "<!--", "<?x y?>"),
            *("</x>", "<x:y/>"),
        )
        text = text[:place] + draw.choice(odd) + text[place:]
    declared = draw.choice(
        (
            *("", "", "", '<?xml version="1.0" encoding="UTF-8"?>'),
            '<?xml version="1.0" encoding="latin-1"?>',
            *('<?xml version="1.1"?>', '<?xml version="1.0" encoding="utf-7"?>'),
        )
    )
    return f"{declared}{text}".encode("utf-8", "surrogatepass")


def written_xml(tree: Any) -> str:
    """The text of a tree however deep; what is no element any more is one named x."""
    pieces, waiting, prefixes = list[str](), [tree], dict[str, str]()

    def prefixed_name(name: str) -> str:
        space, _brace, local = name[1:].rpartition("}") if name.startswith("{") else ("", "", name)
        if space == "http://www.w3.org/XML/1998/namespace":
            return f"xml:{local}"
        return f"{prefixes.setdefault(space, f'n{len(prefixes)}')}:{local}" if space else local

    while waiting:
        node = waiting.pop()
        if isinstance(node, _Written):
            pieces.append(node)
            continue
        whole = isinstance(node, list) and len(node) > 3
        tag, attributes, text, tail, *children = node if whole else ["x", {}, _cell(node), ""]
        name = prefixed_name(tag if isinstance(tag, str) and re.fullmatch(NAME, tag) else "x")
        pairs = attributes.items() if isinstance(attributes, dict) else ()
        valid = [(key, value) for key, value in pairs if re.fullmatch(NAME, key)]
        written = "".join(f" {prefixed_name(key)}={quoteattr(_characters(value))}" for key, value in valid)
        pieces.append(f"<{name}{written}>{escape(_characters(text))}")
        waiting += [_Written(f"</{name}>{escape(_characters(tail))}"), *reversed(children)]
    declared = "".join(f' xmlns:{prefix}="{space}"' for space, prefix in prefixes.items())
    return re.sub(r"^<[^\s>]+", lambda found: found[0] + declared, "".join(pieces))


def _characters(value: Any) -> str:
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]", "", _cell(value))


@cache
def zeros() -> bytes:
    """What unpacks to 60 MB."""
    return bytes(60_000_000)


def mutated_archive(data: bytes, draw: random.Random, ending: str = ".lss") -> bytes:
    """An archive with a changed member of this ending, or with members that no program packs."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    held = [index for index, (name, _content) in enumerate(members) if name.endswith(ending)]
    act, index = draw.randrange(12), draw.choice(held)
    name, content = members[index]
    method, link = zipfile.ZIP_DEFLATED, False
    if act < 5:
        members[index] = (name, mutated_xml(content, draw))
    elif act == 5:
        del members[index]
    elif act == 6:
        members.insert(draw.randrange(len(members) + 1), (name, draw.choice((content, b"", b"<x/>"))))
    elif act == 7:
        names = ("../../" + name, "/" + name, name.upper(), name.replace("/", "\\"), "é/" + name, "")
        members[index] = (draw.choice(names), content)
    elif act == 8:
        members[index] = (name, draw.choice((b"", b"\0" * 100, content[: len(content) // 2], zeros())))
    elif act == 9:
        link = True
    elif act == 10:
        method = draw.choice((zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_STORED))
    else:
        members += [(f"{name}.{number}", b"") for number in range(draw.choice((1, 600)))]
    made = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(made, "w") as written:
        warnings.simplefilter("ignore")  # of names that are there twice
        for number, (name, content) in enumerate(members):
            info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            info.compress_type = method if number == index else zipfile.ZIP_DEFLATED
            if link and number == index:
                info.external_attr = 0o120777 << 16
            written.writestr(info, b"/etc/passwd" if info.external_attr else content)
    return damaged_archive(made.getvalue(), draw) if draw.random() < 0.15 else made.getvalue()


def damaged_archive(data: bytes, draw: random.Random) -> bytes:
    """With another number or name in the head of a member, or in the list of members at the end."""
    found = bytearray(data)
    heads = [each.start() for each in re.finditer(rb"PK(\x01\x02|\x03\x04|\x05\x06)", data)]
    place = draw.choice(heads) + draw.choice((4, 6, 8, 10, 14, 18, 20, 22, 24, 26, 28, 30, 42, 46))
    found[place : place + 2] = draw.choice((b"\0\0", b"\xff\xff", b"\x01\0", b"\x09\x08", b"c\0"))
    return bytes(found)


def damage(data: bytes, draw: random.Random) -> bytes:
    """Bytes changed, taken out, put in, doubled or cut off."""
    found = bytearray(data)
    for _time in range(draw.randint(1, 8)):
        at = draw.randrange(len(found) + 1)
        act = draw.randrange(5)
        if act == 0 and at < len(found):
            found[at] = draw.randrange(256)
        elif act == 1:
            del found[at : at + draw.randint(1, 60)]
        elif act == 2:
            found[at:at] = draw.choice(TEXTS).encode("utf-8", "surrogatepass")
        elif act == 3:
            found[at:at] = found[at : at + draw.randint(1, 400)]
        elif draw.random() < 0.1:
            del found[at:]
    return bytes(found)


MUTATIONS: dict[str, Mutate] = {
    ".qsf": mutated_json, ".json": mutated_json, ".txt": mutated_table("\t"), ".csv": mutated_table(","),
    ".xlsx": mutated_workbook, ".xml": mutated_xml, ".lss": mutated_xml, ".lsa": mutated_archive, ".xlf": mutated_xml,
    ".geojson": mutated_json, ".svg": mutated_xml,
}  # fmt: skip


def mutate(data: bytes, ending: str, draw: random.Random) -> bytes:
    """One to three changes of the structure, of some bytes, or another encoding of the whole."""
    act = draw.random()
    if act < 0.05:
        return damage(data, draw)
    if act < 0.12 and not data.startswith(b"PK"):
        return data.decode("utf-8", "ignore").encode(draw.choice(ENCODINGS), "replace")
    return MUTATIONS[ending](data, draw)


# --- pictures, Parquet and SPSS: chunks, records, pages and footers

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


def mutated_png(data: bytes, draw: random.Random) -> bytes:
    """Chunks without length and checksum, which are written anew; the first has the width and height."""
    chunks, place = [], 8
    while place < len(data):
        (size,) = struct.unpack_from(">I", data, place)
        chunks.append(data[place + 4 : place + 8 + size])
        place += 12 + size
    if draw.random() < 0.3:
        heads = (b"zTXtComment\0\0", b"iCCPx\0\0", b"IDAT", b"iTXta\0\1\0\0\0")
        packed = [head + packed_zeros() for head in heads]
        odd = (
            *(*packed, b"tEXt" + b"x" * 70_000, b"eXIfII*\0\xff\xff\xff\xff", b"tRNS", b"gAMA"),
            *(b"acTL" + struct.pack(">II", 2**31 - 1, 0), b"fcTL" + bytes(26), b"PLTE" + bytes(7), b"\xff\0\0\0"),
        )  # fmt: skip
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
        adobe = (b"Adobe\0", b"http://ns.adobe.com/xap/1.0/\0<x")
        chosen = draw.choice((exif, b"ICC_PROFILE\0\1\xff", *adobe, b"JFIF\0", b"MPF\0II*\0"))
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
            *(b"VP8X" + bytes(4) + wide + wide, b"VP8X\2" + bytes(9), b"EXIFII*\0\xff\xff\xff\xff"),
            *(b"ICCP" + bytes(9), b"ANIM" + bytes(6), b"ANMF" + bytes(20), b"ALPH\1"),
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
        odd = (b"", b"\0", b"\xff", b"\xff\xff\xff\xff\x0f", bytes([draw.randrange(256)]), before[:40])
        piece = draw.choice(odd)
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
            names = table.column_names
            odd = ("", " ", "a,b", 'say "x"', "\u202ex", "x" * 5_000, "\0", "=1+1", "line\nbreak", names[0])
            table = table.rename_columns([*names[:index], draw.choice(odd), *names[index + 1 :]])
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
    packing = draw.choice(("none", "snappy", "gzip", "zstd", "brotli", "lz4"))
    parquet.write_table(table, file, compression=packing, row_group_size=size)
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

    def read_integer(offset: int) -> int:
        return int(struct.unpack_from("<i", data, offset)[0])

    places, place = [0], 176
    while True:
        places.append(place)
        kind = read_integer(place)
        if kind == 2:
            end = place + 32
            if read_integer(place + 8):
                end += 4 + (read_integer(end) + 3) // 4 * 4
            place = end + 8 * abs(read_integer(place + 12))
        elif kind == 3:
            end = place + 8
            for _label in range(read_integer(place + 4)):
                end += 8 + (data[end + 8] + 8) // 8 * 8
            place = end
        elif kind == 4:
            place += 8 + 4 * read_integer(place + 4)
        elif kind == 6:
            place += 8 + 80 * read_integer(place + 4)
        elif kind == 7:
            place += 16 + read_integer(place + 8) * read_integer(place + 12)
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
    odd: tuple[dict[float, str], ...] = ({1.0: "one"}, {}, {1.0: "x" * 120, 2.0: "\u202e"})
    labels = {name: draw.choice(odd) for name in kept if name in ("age", "x" * 60)}
    frame = pd.DataFrame({name: columns[name] for name in kept}).head(draw.choice((0, 1, 120)))
    label = "x" * draw.choice((0, 60))
    return written_spss(frame, is_compressed, variable_value_labels=labels, file_label=label)


def written_spss(frame: Any, is_compressed: bool, **more: Any) -> bytes:
    import pyreadstat

    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.sav"
        pyreadstat.write_sav(frame, path, compress=is_compressed, row_compress=False, **more)
        written = path.read_bytes()
    # The time when it was written.
    return re.sub(rb"\d\d \w{3} \d\d\d\d:\d\d:\d\d", b"01 Dec 2600:00:00", written, count=1)
