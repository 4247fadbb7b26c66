"""Malformed drafts, designs and specifications, each with all that is said against it: a path and a sentence.

A line of the file is one document, a change of it, and what is refused then. `./run golden` writes the sentences again.
"""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from importing import candor_format
from importing.faults import FileRefused
from privacy.anonymity.table_anonymisation import METHODS
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.designs import InputError, parse_design
from surveys.draft_json import BUILDER_KEYS
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.draft_problems import draft_problems
from tests.golden import designs
from tests.privacy import questionnaires as q

pytestmark = pytest.mark.proof
FILE = Path(__file__).parent / "files" / "refusals.json"
FLOOR = 100
SETS = q.subset(7, 2, "0.5000")
LABELLED = [{"name": name, "label": {"en": name}} for name in "abcdefg"]
ASKED = {"name": "1", "text": designs.EN, "choices": LABELLED, "form": "one"}
SURVEYS = {
    "study": designs.draft(designs.STUDY),
    "numbers": designs.draft(designs.NUMBERS),
    "places": designs.draft(designs.PLACES),
    "rules": designs.draft(designs.RULED),
    "sets": designs.draft([{**SETS, "questions": [ASKED]}], open_answers=False, direct="0.3000", least=400),
}
ENDS = {"grid": "5", "under": "20", "from": "80"}
DOCUMENTS = {
    "specification": {
        "format": "candor-release/1",
        "identifiers": ["name"],
        "quasi_identifiers": [
            {"name": "age", "kind": "number", "ends": ENDS, "missing": ["?"]},
            {"name": "born", "kind": "date", "dates": "dmy", "level": "year", "ends": {"under": "1940"}},
            {"name": "school", "kind": "ordered", "order": ["none", "some", "all"]},
            {"name": "town", "kind": "category", "hierarchy": {"North": ["Aa", "Bb"], "South": ["Cc"]}},
        ],
        "sensitive": ["illness", {"name": "debt", "gamma": "3", "values": ["no", "yes"]}],
        "other": ["note"],
        "k": 5,
        "l": {"kind": "recursive", "value": 2, "c": "2.5"},
        "t": "0.3000",
        "rho": ["0.1000", "0.5000"],
        "suppression": "0.0500",
        "weights": "data",
        "method": "tree",
        "seconds": "2.5",
        "table": {"separator": ";", "encoding": "utf-8"},
        "sample": {"fraction": "0.5"},
    },
    **SURVEYS,
}


def refusals_of_text(document: str, text: str) -> Iterator[str]:
    """What is said against a text: as a specification; as a design, as a file of a draft, and as a stored draft."""
    if document == "specification":
        yield from _sentence(lambda: read_specification(text, "specification", frozenset(METHODS)))
        return
    design = {key: value for key, value in json.loads(text).items() if key not in BUILDER_KEYS}
    yield from (f"design: {said}" for said in _sentence(lambda: parse_design(json.dumps(design))))
    try:
        candor_format.read(text.encode())
    except FileRefused as refusal:
        yield from (f"file: {fault.location}: {fault.reason}" for fault in refusal.faults)
    stored = read_questionnaire(json.loads(text)).as_json()
    yield from (f"draft: {said.path}: {said.reason}" for said in draft_problems(stored, designs.TODAY, FLOOR))


def _sentence(read: Callable[[], object]) -> Iterator[str]:
    try:
        read()
    except InputError as refusal:
        yield str(refusal)


def change_document(document: str, change: list[Any]) -> str:
    """`change`: a path, and what stands there; a path alone: nothing does."""
    path, *values = change
    whole = json.loads(json.dumps(DOCUMENTS[document]))
    node = whole
    for key in path[:-1]:
        node = node[key]
    if values:
        node[path[-1]] = values[0]
    else:
        del node[path[-1]]
    return json.dumps(whole)


def test_malformed_document_is_refused_with_the_same_paths_and_sentences() -> None:
    stored = json.loads(FILE.read_text())
    made = [
        {
            **line,
            "refused": [
                *refusals_of_text(line["document"], change_document(line["document"], line["change"]))
            ],
        }
        for line in stored
    ]
    if os.environ.get("GOLDEN") == "write":
        FILE.write_text(json_by_lines(made))
    assert len(stored) >= 200
    assert made == stored
    assert all(line["refused"] for line in made)


def json_by_lines(made: list[dict[str, Any]]) -> str:
    return "[\n" + ",\n".join(json.dumps(line, ensure_ascii=False) for line in made) + "\n]\n"
