"""Drafts of every kind of question, at least thirty designs, and batches of their records."""

import hashlib
import json
from datetime import date
from operator import methodcaller
from typing import Any

import numpy as np

from config.start import demo_content
from importing.ready_questionnaires.questionnaires import LANGUAGES, QUESTIONNAIRES
from privacy.designs import Design, parse_design
from privacy.records.batch_bit_columns import merge_batches, pack_batch
from privacy.simulation.disguise import disguise
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.phrases.languages import SHIPPED
from surveys.questionnaire.questionnaire import Questionnaire
from tests import servers
from tests.privacy import questionnaires as q
from tests.surveys.drafts import WORK_HEALTH_HONESTY

TODAY = date(2026, 1, 2)
RECORDS = 20
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
        "keep_rest": "0.7000",
        "questions": [
            {
                "name": "2",
                "law": "classes",
                "low": 0,
                "high": 20,
                "limits": [10, 20],
                "cuts": 1,
                "rest": 2,
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
    {"kind": "plain", "questions": [PLAIN, {**ASKED, "name": "2", "show_if": {"1": ["1"]}}]},
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


def _with_quoted_answers(draft: Questionnaire) -> Questionnaire:
    """Without words for sentences: files and reports of such a survey are as they were before there were any."""
    for language in SHIPPED:
        draft = draft.change_each_question(methodcaller("without_sentence_texts_in", language))
    return draft


def seeds() -> dict[str, dict[str, Any]]:
    """The questionnaires to start from, a longer one, and one for each kind of question or part of a study."""
    said = {
        "contact": "a@example.org",
        "retention": "2099-12-31",
        "asker": dict.fromkeys(LANGUAGES, "Institute"),
    }
    starts = {
        name: {**_with_quoted_answers(each.draft.in_languages(LANGUAGES)).as_json(), **said}
        for name, each in QUESTIONNAIRES.items()
    }
    return {
        **starts,
        "demo": {
            **demo_content.demo_questionnaire_draft(TODAY, WORK_HEALTH_HONESTY),
            "retention": "2099-12-31",
        },
        "study": draft(STUDY, direct="0.5000", open_answers=False),
        "numbers": draft(NUMBERS),
        "places": draft(PLACES),
        "rules": draft(RULED),
    }


SMALL = [
    *(q.ONE, q.TWO, q.MIXED, q.TWO_SECTIONS, q.ROTATING, q.THREE, q.TWO_OF_THREE),
    q.make_design(q.sensitive("0.3", q.question("theft", "0.4", "0.6")), follows="0" * 64),
    q.make_design(q.window("debt", 101, 5), q.window("hours", 24, 2, "0.2", step=2)),
    q.make_design(q.classes("income", "0.8", 0, 10, 20, 40), q.classes("debt", "0.5", 0, 50, 100)),
    q.make_design(q.place("home", q.grid(3, 3), [0, 1, 2], [3, 4]), languages=["en", "ar"]),
    q.make_design(q.plain(q.WORK), q.subset(7, 2, "0.5", **q.IF_EMPLOYED)),
    q.make_design(q.plain(q.drawn_question("version", "0.5000", "0.5000"), q.WORK)),
    q.make_design(q.sensitive("0.5", q.question("theft", *q.HALF)), open_answers=False, direct="0.2500"),
    *(q.of_three(asked) for asked in (1, 3)),
    *(q.make_design(q.window("age", values, 3, "0.1", low=18)) for values in (60, 82)),
    *(
        q.make_design(q.place("home", q.grid(width, 2), [0, 3], [1, 2], near=2, odds="3.50"))
        for width in (3, 4, 5)
    ),
]


def designs() -> list[Design]:
    """Thirty and more, each once."""
    vectors = json.loads((servers.ROOT / "tests/vectors/records.json").read_text())
    asked = [*(row["design"] for row in vectors), *SMALL]
    texts = [each if isinstance(each, str) else json.dumps(each) for each in asked]
    found = {
        design.fingerprint: design
        for design in [*map(freeze_design, seeds().values()), *map(parse_design, texts)]
    }
    assert len(found) >= 30
    return list(found.values())


def canonical_texts() -> dict[str, bytes]:
    return {f"designs/{design.fingerprint}": design.canonical.encode() for design in designs()}


def batches() -> dict[str, bytes]:
    """The bytes of a batch of twenty records of each design, and of two such batches merged in a fixed order."""
    found = {}
    for design in designs():
        first, second = (pack_random_batch(design, seed) for seed in (1, 2))
        merged = merge_batches([first, second], np.random.default_rng(3).permutation(2 * RECORDS))
        texts = {"packed": first.hex(), "merged": hashlib.sha256(merged).hexdigest()}
        found[f"batches/{design.fingerprint}"] = json.dumps(texts, indent=1).encode()
    return found


def pack_random_batch(design: Design, seed: int) -> bytes:
    rng = np.random.default_rng(seed)
    most = [min(question.codes, question.true_codes) for question in design.questions]
    true = np.stack([rng.integers(0, codes, RECORDS) for codes in most])
    group = (np.arange(RECORDS) % 3 < 2).astype(np.uint8)
    return pack_batch(design, group, disguise(design, group, true.astype(np.uint8), rng))
