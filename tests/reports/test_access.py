"""Every page, for whom it is and for whom it is not."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from reports.models import Decision, Review
from reports.review import publishing
from tests.cast import As
from tests.reports.paged import POSTS, PUBLISHED, WHOLE, desk, reader, shown
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
NOTHING = ["rules/9", "rules/0", "pictures/nothing.svg", "pictures/nothing.csv"]


def answers(client: Client, pages: list[str], address: Any = reader, **post: Any) -> dict[str, int]:
    """Each page's status, to a GET or, where there is something to post, to a POST."""
    found = {}
    for page in pages:
        answer = client.post(address(page), post) if post else client.get(address(page))
        found[page] = answer.status_code
    return found


def all_say(status: int, found: dict[str, int]) -> bool:
    return set(found.values()) == {status}


def test_what_is_published_is_read_by_whoever_may_see_the_survey_and_takes_no_other_method(
    published: Review, viewer: Person, stranger: Person, signed_in_as: As, reading: Client
) -> None:
    assert all_say(302, answers(Client(), PUBLISHED))
    assert Client().get(reader("rules"))["Location"].startswith("/app/account/sign-in?next=")
    assert all_say(404, answers(signed_in_as(stranger), PUBLISHED))
    assert all_say(200, answers(signed_in_as(viewer), PUBLISHED))
    assert all_say(405, answers(reading, PUBLISHED, some="thing"))
    assert all_say(404, answers(reading, [*NOTHING, "files/exe"]))


def test_what_is_not_published_is_refused(
    published: Review, owner: Person, superuser: Person, signed_in_as: As
) -> None:
    for state, person in (("waiting", owner), ("in-review", superuser), ("withdrawn", owner)):
        Review.objects.update(state=state)
        assert all_say(403, answers(signed_in_as(person), PUBLISHED[1:])), state


def test_before_publication_the_front_page_says_where_it_is_and_no_number(
    review: Review, reading: Client
) -> None:
    page = shown(reading, reader(""))
    assert "waits for a reviewer" in page
    assert "%" not in page


def test_a_withdrawn_report_shows_the_reason_and_no_number(
    published: Review, reviewer: Person, reading: Client
) -> None:
    publishing.withdraw(published, reviewer, "Forged records.", "", NOW)
    page = shown(reading, reader(""))
    assert "Forged records." in page
    assert "%" not in page


def test_the_desk_is_open_to_a_reviewer_without_a_share_in_the_survey_alone(
    review: Review,
    partial: Person,
    superuser: Person,
    signed_in_as: As,
    reading: Client,
    judging: Client,
) -> None:
    # A reviewer is led there from the waiting page.
    assert desk("rules") in judging.get(reader("")).content.decode()
    assert desk("rules") not in signed_in_as(partial).get(reader("")).content.decode()
    assert all_say(302, answers(Client(), WHOLE, desk))
    assert Client().get(desk("report"))["Location"].startswith("/app/admin/login/?next=")
    assert all_say(403, answers(signed_in_as(partial), WHOLE, desk))
    assert all_say(403, answers(signed_in_as(superuser), ["report", "rules/1", "publish"], desk))
    assert all_say(302, answers(reading, WHOLE, desk))
    assert reading.get(desk("report"), follow=True).status_code == 403
    assert all_say(200, answers(judging, WHOLE, desk))
    assert all_say(404, answers(judging, NOTHING, desk))
    # What changes something takes only a POST, and what only shows takes none.
    changing = ["rules/decide", "rules/1/decide", "rules/1/judge", "rules/1/undo", "backtest", "front-test"]
    assert all_say(405, answers(judging, changing, desk))
    assert all_say(405, answers(judging, WHOLE[:-2], desk, some="thing"))


def test_only_a_reviewer_without_a_share_in_it_changes_something(
    review: Review, partial: Person, superuser: Person, signed_in_as: As, reading: Client
) -> None:
    data = {"verdict": "accept", "which": "fitting", "fitting": "4", "reason": "No."}
    assert all_say(302, answers(Client(), POSTS, desk, **data))
    assert all_say(302, answers(reading, POSTS, desk, **data))
    assert all_say(403, answers(signed_in_as(partial), POSTS, desk, **data))
    some = ["rules/decide", "rules/1/judge", "publish", "withdraw"]
    assert all_say(403, answers(signed_in_as(superuser), some, desk, **data))
    assert Review.objects.get().state == "waiting"
    assert not Decision.objects.exists()
