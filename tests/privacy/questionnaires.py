"""Small designs, written as a person would write them."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, BinaryIO

from privacy.designs import Design, InputError, parse_design
from privacy.records import RecordRow
from privacy.records.record_file_blocks import read_record_blocks

YES_NO = ["no", "yes"]


def question(name: str, *noise: str, **more: Any) -> dict[str, Any]:
    """A sensitive question with as many choices as it has noise probabilities."""
    choices = YES_NO if len(noise) == 2 else [f"choice {place}" for place in range(len(noise))]
    return {"name": name, "choices": choices, "noise": list(noise), **more}


def sensitive(keep: str, *questions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "unrelated-question", "keep": keep, "questions": list(questions), **more}


def window(name: str, values: int, half: int, uniform: str = "0.5", **more: Any) -> dict[str, Any]:
    """A number 0 .. values - 1; the window has 2 half + 1 of them."""
    law = {"law": "window", "values": values, "window": half, "uniform": uniform}
    return {"kind": "number", "questions": [{"name": name, **law, **more}]}


def subset(of: int, size: int, keep: str, **more: Any) -> dict[str, Any]:
    """One question of so many choices, a, b, c …, sent in sets of this size."""
    asked = {"name": "drug", "choices": list("abcdefghijklmnopqrstuvwxyz"[:of]), **more}
    return {"kind": "subset", "keep": keep, "size": size, "questions": [asked]}


def classes(
    name: str, keep: str, *points: int, cuts: Any = 1, rest: Any = 0, keep_rest: Any = "0.5", **more: Any
) -> dict[str, Any]:
    """The first point is the lowest number, the others are limits, and the last of these is the highest number."""
    ends = {"low": points[0], "high": points[-1]}
    law = {"law": "classes", **ends, "limits": list(points[1:]), "cuts": cuts, "rest": rest}
    of_rest = {"keep_rest": keep_rest} if rest else {}
    return {"kind": "number", "keep": keep, **of_rest, "questions": [{"name": name, **law, **more}]}


def place(
    name: str, points: Sequence[tuple[int, int]], *regions: Sequence[int], **more: Any
) -> dict[str, Any]:
    """Cells c0, c1, .. at these points; regions r0, r1, .. of cells by number; one near cell at odds 2."""
    cells = [{"name": f"c{number}", "at": list(point)} for number, point in enumerate(points)]
    named = [{"name": f"r{n}", "cells": [f"c{cell}" for cell in of]} for n, of in enumerate(regions)]
    question = {"name": name, "cells": cells, "regions": named, "near": 1, "odds": "2.00", **more}
    return {"kind": "place", "questions": [question]}


def grid(width: int, height: int) -> list[tuple[int, int]]:
    """The points of a grid, row by row."""
    return [(x, y) for y in range(height) for x in range(width)]


def place_in_row(
    name: str, regions: dict[str, list[int]], cells: int, near: int, odds: str, **more: Any
) -> dict[str, Any]:
    """Cells c0, c1, ... in a row; the regions have these numbers of cells."""
    row = place(name, grid(cells, 1), *regions.values(), near=near, odds=odds, **more)
    for region, called in zip(row["questions"][0]["regions"], regions, strict=True):
        region["name"] = called
    return row


def plain(*questions: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "plain", "questions": list(questions)}


def drawn_question(name: str, *shares: str, **more: Any) -> dict[str, Any]:
    """A plain question that the device answers; its choices are a, b, .."""
    choices = list("abcdef"[: len(shares)])
    return {"name": name, "form": "drawn", "choices": choices, "shares": list(shares), **more}


def crosswise(name: str, share: str, **more: Any) -> dict[str, Any]:
    return {"kind": "crosswise", "questions": [{"name": name, "choices": YES_NO, "share": share, **more}]}


def make_design(*sections: Any, **more: Any) -> dict[str, Any]:
    return {"format": "candor-design/1", "open_answers": True, "sections": list(sections), **more}


def design(*sections: dict[str, Any], **more: Any) -> Design:
    return parse_design(json.dumps(make_design(*sections, **more)))


UNDERSTOOD = plain({"name": "understood", "form": "one", "choices": ["at-once", "explained", "not"]})
"""The check of understanding, the last section of a design with `understanding`."""
WORK = {"name": "work", "choices": ["employed", "not"]}
IF_EMPLOYED = {"show_if": {"work": ["employed"]}}
HALF = ("0.5", "0.5")
THIRDS = ("0.2", "0.5", "0.3")

ONE = make_design(sensitive("0.5", question("theft", *HALF)))
TWO = make_design(sensitive("0.3", question("theft", "0.4", "0.6"), question("drugs", "0.7", "0.3")))
MIXED = make_design(sensitive("0.6", question("drink", *THIRDS), question("theft", "0.4", "0.6")))
TWO_SECTIONS = make_design(
    sensitive("0.3", question("theft", "0.4", "0.6")), sensitive("0.8", question("drugs", "0.7", "0.3"))
)
ROTATING = make_design(
    plain(WORK),
    sensitive("0.3", question("theft", "0.4", "0.6", **IF_EMPLOYED), question("drugs", *HALF), asked=1),
)
DRINK, THEFT_RULED = question("drink", *THIRDS), question("theft", "0.4", "0.6", **IF_EMPLOYED)
DRUGS = question("drugs", *HALF)
THREE = make_design(plain(WORK), sensitive("0.6", DRINK, THEFT_RULED, DRUGS))
ASKED = design(plain(WORK), sensitive("0.3", question("theft", *HALF, **IF_EMPLOYED), DRINK, DRUGS, asked=2))


def of_three(asked: int) -> dict[str, Any]:
    return make_design(plain(WORK), sensitive("0.3", DRINK, THEFT_RULED, DRUGS, asked=asked))


TWO_OF_THREE = of_three(2)


# A record file row by row, and what is refused.


def read_records(file: BinaryIO, name: str, design: Design) -> Iterator[RecordRow]:
    for block in read_record_blocks(file, name, design):
        for group, codes in zip(block.group.tolist(), block.codes.T.tolist(), strict=True):
            yield RecordRow(group, tuple(codes))


def refusal(read: Callable[..., object], *given: Any, **more: Any) -> str:
    """The words of a refusal; empty where nothing is refused."""
    try:
        read(*given, **more)
    except InputError as refused:
        return str(refused)
    return ""


def refused_otherwise(read: Callable[[Any], object], cases: Iterable[tuple[Any, str]]) -> list[Any]:
    """Of cases with the beginning of their refusal those that are refused in other words, or not on one line."""
    told = [(words, refusal(read, case)) for case, words in cases]
    return [each for each in told if not (each[1].startswith(each[0]) and each[1].isprintable())]
