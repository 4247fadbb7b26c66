"""Places for the builder's tests: sections, and what their forms send."""

import re
from copy import deepcopy
from typing import Any

from django.test import Client

from builder.editing.save_edit import load_questionnaire
from surveys.models import Survey
from tests.builder.conftest import SCRIPT, of_question
from tests.builder.written import plain, question, sensitive, stored
from tests.surveys.drafts import said

Cell = dict[str, Any]


def grid(columns: int = 4, rows: int = 3) -> list[Cell]:
    """A1 is in the south-west; squares of 2 by 2."""
    return [
        {
            "name": f"{'ABCDEFGHIJ'[column]}{row + 1}",
            "label": {},
            "at": [2 * column + 1, 2 * row + 1],
            "shape": [_square(2 * column, 2 * row)],
        }
        for row in range(rows)
        for column in range(columns)
    ]


def _square(x: int, y: int) -> list[int]:
    return [x, y, x + 2, y, x + 2, y + 2, x, y + 2]


def region(name: str, *cells: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "label": said(name.capitalize()), "cells": list(cells), **more}


NORTH = region("north", "A3", "B3", "C3", "D3")
SOUTH = region("south", "A1", "B1")


def place(
    name: str, *regions: dict[str, Any], near: int = 2, odds: str = "7.38", **more: Any
) -> dict[str, Any]:
    """A section of its own, on a grid of twelve cells: b = 2·638/(2·638 + 600) = .680 with both regions."""
    asked = {
        "name": name,
        "text": said(f"{name}?"),
        "cells": grid(),
        "regions": deepcopy(list(regions or (NORTH, SOUTH))),
    }
    return {"kind": "place", "questions": [{**asked, "near": near, "odds": odds, **more}]}


def asking_for_a_place(survey: Survey) -> Survey:
    """A plain question, the place `home` and a sensitive question, in two languages."""
    survey.draft = stored(
        plain(question("work", "employed", "none")),
        place("home"),
        sensitive(question("theft")),
        languages=["en", "zh-hans"],
        expected=5000,
    )
    survey.save()
    return survey


# What is pressed and sent, and what is stored then.


def save(client: Client, survey: Survey, do: str = "", headers: Any = None, **sent: object) -> Any:
    fields = {**of_question(reread(survey), "home"), "do": do, **sent}
    return client.post(f"/app/surveys/{survey.pk}/edit/save", fields, headers=headers if do else SCRIPT)


def cells(client: Client, survey: Survey, source: str, **sent: object) -> Any:
    return client.post(f"/app/surveys/{survey.pk}/edit/cells?key=home", {"source": source, **sent})


def reread(survey: Survey) -> Survey:
    survey.refresh_from_db()
    return survey


def home(survey: Survey, section: int = 1) -> Any:
    """The JSON of the place."""
    return load_questionnaire(reread(survey)).sections[section].questions[0].as_json()


def drawn(survey: Survey) -> dict[str, list[str]]:
    return {each["name"]: each["cells"] for each in home(survey)["regions"]}


def removed_in(page: Any) -> str:
    found = re.search(r'name="removed" value="([^"]+)"', page.content.decode())
    assert found
    return found[1]
