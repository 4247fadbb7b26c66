"""Drafts of every kind of question, and the canonical text and fingerprint of thirty designs and more."""

import json
from datetime import date
from typing import Any

from config import demo
from importing.starting.questionnaires import LANGUAGES, QUESTIONNAIRES, in_languages
from privacy.designs import Design, parse
from surveys import draft as drafts
from tests import servers

TODAY = date(2026, 1, 2)
EN = {"en": "1?"}
CHOICES = [{"name": name, "label": {"en": name}} for name in ("1", "2")]
ASKED = {"form": "one", "text": EN, "choices": CHOICES}
PLAIN = {"name": "1", "role": "quasi", **ASKED}
YES_NO = {"form": "yes-no", "text": EN, "choices": ["no", "yes"]}
SECRET = {"secret": {"en": "2?"}, "share": "0.2466", "source": "3"}
STUDY = [
    {
        "kind": "plain",
        "questions": [
            PLAIN,
            {**ASKED, "name": "2", "form": "drawn", "shares": ["0.5000", "0.5000"]},
            {"name": "3", "known": "0.0000", **YES_NO},
        ],
    },
    {"kind": "unrelated-question", "keep": "0.5000", "questions": [{"name": "4", **YES_NO}]},
    {"kind": "crosswise", "questions": [{"name": "5", "text": EN, "choices": ["no", "yes"], **SECRET}]},
]
NUMBERS = [
    {"kind": "plain", "questions": [PLAIN]},
    {
        "kind": "number",
        "keep": "0.8000",
        "questions": [
            {
                "name": "2",
                "law": "thresholds",
                "thresholds": [0, 10, 20],
                "mean": True,
                "text": EN,
                "unit": EN,
            }
        ],
    },
    {
        "kind": "number",
        "questions": [
            {"name": "3", "law": "window", "values": 23, "window": 3, "uniform": "0.2000", "text": EN}
        ],
    },
]
CELLS = [{"name": str(n), "label": {"en": str(n)}, "at": [n % 3, n // 3]} for n in range(1, 10)]
REGIONS = [
    {"name": "10", "label": {"en": "10"}, "cells": ["1", "2", "3"]},
    {"name": "11", "label": {"en": "11"}, "cells": ["4", "5"]},
]
PLACES = [
    {"kind": "plain", "questions": [PLAIN]},
    {
        "kind": "place",
        "questions": [
            {"name": "2", "text": EN, "cells": CELLS, "regions": REGIONS, "near": 2, "odds": "8.00"}
        ],
    },
]
RULED = [
    {
        "kind": "plain",
        "questions": [PLAIN, {**ASKED, "name": "2", "show_if": {"1": ["1"]}}],
    },
    {
        "kind": "unrelated-question",
        "keep": "0.5000",
        "questions": [{"name": str(n), **YES_NO} for n in range(3, 8)],
    },
]


def draft(sections: list[Any], **more: Any) -> dict[str, Any]:
    """A complete questionnaire in English."""
    said = {key: {"en": key} for key in ("title", "asker", "why", "intro", "consent", "thanks")}
    numbers = {"minutes": 4, "least": 100, "expected": 1000, "retention": "2099-12-31"}
    whole = {"format": "candor-design/1", "languages": ["en"], "contact": "a@example.org"}
    return {**said, **numbers, **whole, "open_answers": True, "rehearsal": False, "sections": sections} | more


def seeds() -> dict[str, dict[str, Any]]:
    """The questionnaires to start from, the demo's, and one for each kind of question or part of a study."""
    said = {
        "contact": "a@example.org",
        "retention": "2099-12-31",
        "asker": dict.fromkeys(LANGUAGES, "Institute"),
    }
    starts = {name: {**in_languages(each.draft, LANGUAGES), **said} for name, each in QUESTIONNAIRES.items()}
    return {
        **starts,
        "demo": {**demo.questionnaire(TODAY), "retention": "2099-12-31"},
        "study": draft(STUDY, direct="0.5000", open_answers=False),
        "numbers": draft(NUMBERS),
        "places": draft(PLACES),
        "rules": draft(RULED),
    }


def designs() -> list[Design]:
    vectors = json.loads((servers.ROOT / "tests/vectors/records.json").read_text())
    asked = {row["fingerprint"]: row["design"] for row in vectors}
    texts = [each if isinstance(each, str) else json.dumps(each) for each in asked.values()]
    return [*map(drafts.frozen, seeds().values()), *map(parse, texts)]


def files() -> dict[str, bytes]:
    found = [{"fingerprint": one.fingerprint, "canonical": one.canonical} for one in designs()]
    return {"designs.json": json.dumps(found, indent=1, ensure_ascii=False).encode()}
