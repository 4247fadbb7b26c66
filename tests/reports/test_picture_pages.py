"""Pictures as files, of what the reader may see."""

import pytest
from django.test import Client

from accounts.models import Person
from reports.models import Review
from tests.cast import As
from tests.reports.paged import desk, reader


@pytest.mark.page
def test_a_picture_is_an_svg_file_with_its_title(published: Review, reading: Client) -> None:
    answer = reading.get(reader("pictures/error-keep.svg"))
    assert answer.headers["Content-Type"] == "image/svg+xml"
    assert "error-keep.svg" in answer.headers["Content-Disposition"]
    assert b"<title>Margin of error by probability" in answer.content


@pytest.mark.page
def test_the_old_page_of_all_charts_leads_to_the_table_of_most(
    published: Review, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    for person, address in ((owner, reader), (reviewer, desk)):
        assert signed_in_as(person).get(address("pictures")).headers["Location"] == address("itemsets")
