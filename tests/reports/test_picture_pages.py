"""Pictures, drawn as asked and of what the reader may see."""

import json
from typing import Any

import pytest

from people.models import Person
from reports.models import Review
from tests.cast import As
from tests.reports.paged import desk, reader


@pytest.mark.page
def test_a_picture_is_drawn_as_wide_as_asked_within_bounds(
    published: Review, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    for asked, drawn in (("500", 500), ("7", 240), ("99999", 1200), ("wide", 640), ("", 640)):
        answer = client.get(reader("pictures/shares.json"), {"width": asked})
        assert json.loads(answer.content)["width"] == drawn


@pytest.mark.page
def test_the_pictures_of_a_published_report_show_published_rules_only(
    published: Review, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    theirs = json.loads(signed_in_as(owner).get(reader("pictures/rules.json")).content)
    every = json.loads(signed_in_as(reviewer).get(desk("pictures/rules.json")).content)
    assert numbers_in(theirs) == {1}
    assert numbers_in(every) == {1, 2, 3, 4}


def numbers_in(specification: dict[str, Any]) -> set[int]:
    return {row["number"] for rows in specification["datasets"].values() for row in rows if "number" in row}
