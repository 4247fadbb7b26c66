"""Changes files by their structure: JSON, rows of cells, XML, workbooks and archives are taken apart into trees.

One to three nodes of the tree are deleted, doubled, moved, nested, renamed or of another type, and it is put together
again. Some files are changed as a whole: cut, in another encoding, or by what no tree can hold.
"""

import copy
import csv
import io
import json
import random
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Literal
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

from openpyxl import Workbook, load_workbook

from tests.hostile.mutations import damaged

Mutate = Callable[[bytes, random.Random], bytes]
HOSTILE: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        0,
        0.5,
        10**12,
        10**40,
        1e308,
        "",
        " ",
        "{",
        "${e://x}",
        "[q(1)] = '1'",
        "=1+1",
        "@SUM(A1)",
    ),
    *(
        "(" * 300,
        "not " * 200,
        [],
        {},
        [[]],
        [{}],
        {"": 0},
        "é" * 9_000,
        "x" * 140_000,
        "\x00",
        "a\x00b",
        "\ud800",
    ),
    *(
        "\u202eabc",
        "\u200f",
        "\ufeff",
        "字",
        "a\u0301" * 40,
        "%s",
        "%(n)s",
        "{}",
        "<b>&amp;",
        '"',
        "'",
        "\n",
        "\r",
    ),
    *(
        "9" * 30,
        "nan",
        "inf",
        "1,5",
        "2027-02-30",
        "null",
        "yes",
        "no",
        "group",
        "-",
        "?",
        "a=b",
        "en",
        "xx-YY",
        "日本",
    ),
)
ENCODINGS = ("utf-16", "utf-16-le", "utf-8-sig", "latin-1", "utf-32", "cp1251", "shift-jis")
DEEPEST = (1, 5, 60, 2_000)
NAME = r"(\{[^{}]+\})?[A-Za-z][\w.-]*"


def paths(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, inner in entries:
        yield (*path, key)
        yield from paths(inner, (*path, key))


def at(root: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        root = root[key]
    return root


def nested(node: Any, key: Any, depth: int) -> Any:
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
        place = at(made, tuple(parents))
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
            place[last] = nested(place[last], last, draw.choice([one for one in DEEPEST if one <= deepest]))
            break
        elif act == "retype":
            place[last] = {"0": place[last]} if isinstance(place[last], list) else str(place[last])
        elif act in ("graft", "swap"):
            other = at(root, draw.choice(list(paths(root))))
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
        odd = (
            '"x": NaN, ',
            '"x": -Infinity, ',
            f'"x": {"9" * 5_000}, ',
            '"x": 1, "x": 2, ',
            '"x": 1e999, ',
            "// x\n",
        )
        text = draw.choice(
            (f"{text[:place]}{draw.choice(odd)}{text[place:]}", f"{text}{{}}", f"{text},", f"[{text}]")
        )
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
        rows = (
            _rows(mutated_tree(tree, draw))
            if draw.random() < 0.2
            else [header, *_rows(mutated_tree(lines, draw))]
        )
        made = io.StringIO()
        end = draw.choice(("\r\n",) * 8 + ("\n", "\r"))
        quoting: Literal[0, 1] = draw.choice((csv.QUOTE_ALL, csv.QUOTE_MINIMAL))
        used = separator if draw.random() < 0.9 else draw.choice(",;\t|:")
        csv.writer(made, delimiter=used, quoting=quoting, lineterminator=end).writerows(rows)
        text = made.getvalue()
        if draw.random() < 0.1:
            place = draw.randrange(len(text) + 1)
            text = (
                text[:place]
                + draw.choice(('"', '""', f"{used}{used}", "\n\n", '"a"b', "\x1a"))
                + text[place:]
            )
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
        sheet = made.create_sheet(
            re.sub(r"[\\*?:/\[\]\x00-\x1f\ud800-\udfff]", "", str(title))[:30] or "empty"
        )
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
        return [
            element.tag,
            dict(element.attrib),
            element.text or "",
            element.tail or "",
            *map(tree, element),
        ]

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
            "&nothing;",
            "&#0;",
            "&#xD800;",
            "\x00",
            "<",
            "&",
            "]]>",
            "<![CDATA[",
            "<!--",
            "<?x y?>",
            "</x>",
            "<x:y/>",
        )
        text = text[:place] + draw.choice(odd) + text[place:]
    declared = draw.choice(
        (
            "",
            "",
            "",
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<?xml version="1.0" encoding="latin-1"?>',
            '<?xml version="1.1"?>',
            '<?xml version="1.0" encoding="utf-7"?>',
        )
    )
    return f"{declared}{text}".encode("utf-8", "surrogatepass")


def written_xml(tree: Any) -> str:
    """The text of a tree however deep; what is no element any more is one named x."""
    pieces, waiting, prefixes = list[str](), [tree], dict[str, str]()

    def named(name: str) -> str:
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
        name = named(tag if isinstance(tag, str) and re.fullmatch(NAME, tag) else "x")
        pairs = attributes.items() if isinstance(attributes, dict) else ()
        written = "".join(
            f" {named(key)}={quoteattr(_characters(value))}"
            for key, value in pairs
            if re.fullmatch(NAME, key)
        )
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
        members[index] = (
            draw.choice(
                ("../../" + name, "/" + name, name.upper(), name.replace("/", "\\"), "é/" + name, "")
            ),
            content,
        )
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


MUTATIONS: dict[str, Mutate] = {
    ".qsf": mutated_json, ".json": mutated_json, ".txt": mutated_table("\t"), ".csv": mutated_table(","),
    ".xlsx": mutated_workbook, ".xml": mutated_xml, ".lss": mutated_xml, ".lsa": mutated_archive, ".xlf": mutated_xml,
    ".geojson": mutated_json, ".svg": mutated_xml,
}  # fmt: skip


def mutated(data: bytes, ending: str, draw: random.Random) -> bytes:
    """One to three changes of the structure, of some bytes, or another encoding of the whole."""
    act = draw.random()
    if act < 0.05:
        return damaged(data, draw)
    if act < 0.12 and not data.startswith(b"PK"):
        return data.decode("utf-8", "ignore").encode(draw.choice(ENCODINGS), "replace")
    return MUTATIONS[ending](data, draw)
