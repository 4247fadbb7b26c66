import pytest
from django.test import Client

from reports.models import Review

pytestmark = [pytest.mark.page, pytest.mark.django_db]


def test_the_page_of_groups_shows_one_question_and_links_to_others(review: Review, judging: Client) -> None:
    address = f"/app/admin/reports/review/{review.pk}/groups"
    alone = judging.get(address).content.decode()
    assert (alone.count("<h3>"), "?question=" in alone) == (1, False)
    review.run.findings["groups"] *= 3
    review.run.save()
    for number, wanted in {1: "", 2: "?question=2", 3: "?question=99"}.items():
        page = judging.get(address + wanted).content.decode()
        assert page.count("<h3>") == 1, wanted
        assert f'<a href="{address}?question={number}" aria-current="page">' in page
        assert page.count(f'href="{address}?question=') == 3
