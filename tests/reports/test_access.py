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


def answers(client: Client, pages: list[str], address: Any = reader, **post: Any) -> dict[str, int]:
    """Each page's status, to a GET or, where there is something to post, to a POST."""
    found = {}
    for page in pages:
        answer = client.post(address(page), post) if post else client.get(address(page))
        found[page] = answer.status_code
    return found


def all_say(status: int, found: dict[str, int]) -> bool:
    return set(found.values()) == {status}


def test_nobody_is_sent_to_the_sign_in_page(published: Review) -> None:
    assert all_say(302, answers(Client(), PUBLISHED))
    assert Client().get(reader("rules"))["Location"].startswith("/app/account/sign-in?next=")


def test_another_researcher_finds_no_such_page(published: Review, stranger: Person, signed_in_as: As) -> None:
    assert all_say(404, answers(signed_in_as(stranger), PUBLISHED))


def test_whoever_may_see_the_survey_reads_what_is_published(
    published: Review, viewer: Person, signed_in_as: As
) -> None:
    assert all_say(200, answers(signed_in_as(viewer), PUBLISHED))


def test_a_page_takes_no_other_method(published: Review, reading: Client) -> None:
    assert all_say(405, answers(reading, PUBLISHED, some="thing"))


@pytest.mark.at_push(1)
@pytest.mark.parametrize("state", ["waiting", "in-review", "withdrawn"])
def test_what_is_not_published_is_refused(
    published: Review, owner: Person, superuser: Person, signed_in_as: As, state: str
) -> None:
    Review.objects.update(state=state)
    for person in (owner, superuser):
        assert all_say(403, answers(signed_in_as(person), PUBLISHED[1:]))


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


def test_a_reviewer_is_led_from_the_waiting_page_to_the_report(
    review: Review, partial: Person, signed_in_as: As, judging: Client
) -> None:
    assert desk("rules") in judging.get(reader("")).content.decode()
    assert desk("rules") not in signed_in_as(partial).get(reader("")).content.decode()


def test_nobody_gets_to_the_reviewers_desk(review: Review) -> None:
    assert all_say(302, answers(Client(), WHOLE, desk))
    assert Client().get(desk("report"))["Location"].startswith("/app/admin/login/?next=")


def test_neither_researchers_nor_those_with_a_share_in_it_get_there(
    review: Review, partial: Person, superuser: Person, signed_in_as: As, reading: Client
) -> None:
    assert all_say(403, answers(signed_in_as(partial), WHOLE, desk))
    assert all_say(403, answers(signed_in_as(superuser), WHOLE, desk))
    assert all_say(302, answers(reading, WHOLE, desk))
    assert reading.get(desk("report"), follow=True).status_code == 403


def test_a_reviewer_sees_the_whole_run(review: Review, judging: Client) -> None:
    assert all_say(200, answers(judging, WHOLE, desk))


def test_what_changes_something_takes_only_a_post(review: Review, judging: Client) -> None:
    changing = ["rules/decide", "rules/1/decide", "rules/1/judge", "rules/1/undo", "backtest", "front-test"]
    assert all_say(405, answers(judging, changing, desk))


def test_what_only_shows_takes_no_post(review: Review, judging: Client) -> None:
    assert all_say(405, answers(judging, WHOLE[:-2], desk, some="thing"))


def test_only_a_reviewer_without_a_share_in_it_changes_something(
    review: Review, partial: Person, superuser: Person, signed_in_as: As, reading: Client
) -> None:
    data = {"verdict": "accept", "which": "fitting", "fitting": "4", "reason": "No."}
    assert all_say(302, answers(Client(), POSTS, desk, **data))
    assert all_say(302, answers(reading, POSTS, desk, **data))
    for person in (partial, superuser):
        assert all_say(403, answers(signed_in_as(person), POSTS, desk, **data))
    assert Review.objects.get().state == "waiting"
    assert not Decision.objects.exists()


def test_what_does_not_exist_is_not_found(published: Review, reading: Client, judging: Client) -> None:
    nothing = ["rules/9", "rules/0", "pictures/nothing.svg", "pictures/nothing.csv"]
    assert all_say(404, answers(reading, [*nothing, "files/exe"]))
    assert all_say(404, answers(judging, nothing, desk))
