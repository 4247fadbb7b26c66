"""A design of one question of each kind, with a label or without."""

import json
from typing import Any

from privacy import designs

CHOICES = {"choices": ["no", "yes"]}
CELLS = {
    "cells": [{"name": "a", "at": [0, 0]}, {"name": "b", "at": [0, 9]}],
    "regions": [{"name": "north", "cells": ["a", "b"]}],
    "near": 1,
    "odds": "7.38",
}
KINDS: dict[str, dict[str, Any]] = {
    "plain": {"kind": "plain", **CHOICES},
    "grouped": {"kind": "unrelated-question", "keep": "0.5000", **CHOICES},
    "window": {"kind": "number", "law": "window", "values": 11, "window": 1, "uniform": "0.5000"},
    "classes": {"kind": "number", "law": "classes", "keep": "0.5000", "limits": [10, 20], "cuts": 1},
    "place": {"kind": "place", **CELLS},
}
OF_SECTION = ("kind", "keep")


def design_of(kind: str, **more: Any) -> designs.Design:
    said = {key: value for key, value in KINDS[kind].items() if key not in OF_SECTION}
    section = {key: value for key, value in KINDS[kind].items() if key in OF_SECTION}
    question = {"name": "took", "text": {"en": "Have you taken anything?"}, **said, **more}
    whole = {
        "format": "candor-design/1",
        "languages": ["en", "de", "fr"],
        "sections": [section | {"questions": [question]}],
    }
    return designs.parse(json.dumps(whole))
