"""Pictures, drawn as asked and of what the reader may see."""

import json

import pytest

from accounts.models import Person
from reports.models import Review
from tests.cast import As
from tests.reports.paged import desk, reader


@pytest.mark.page
def test_a_picture_is_drawn_as_wide_as_asked_within_bounds(
    published: Review, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    for asked, drawn in (("500", 500), ("7", 240), ("99999", 1200), ("wide", 640), ("", 640)):
        answer = client.get(reader("pictures/error-keep.json"), {"width": asked})
        assert json.loads(answer.content)["width"] == drawn


@pytest.mark.page
def test_the_old_page_of_all_charts_leads_to_the_table_of_most(
    published: Review, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    for person, address in ((owner, reader), (reviewer, desk)):
        assert signed_in_as(person).get(address("pictures")).headers["Location"] == address("itemsets")
