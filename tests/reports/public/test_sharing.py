"""Who opens and closes the public page, and who only reads of it."""

import pytest
from django.test import Client

from accounts.models import History, Person
from reports.models import Review
from reports.review import public_page_switch as links
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As
from tests.reports.paged import reader, shown
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
SWITCHES = ["public/open", "public/close"]


def test_the_owner_opens_it_and_gets_its_address(published: Review, reading: Client) -> None:
    assert "Open a public page" in shown(reading, reader("files"))
    assert reading.post(reader("public/open"))["Location"] == reader("files")
    token = Review.objects.get().public_token
    assert token
    page = reading.get(reader("files")).content.decode()
    assert f'value="http://testserver/public/{token}"' in page
    assert Client().get(f"/public/{token}").status_code == 200


def test_an_address_has_128_random_bits(published: Review, owner: Person) -> None:
    tokens = set()
    for _time in range(3):
        links.open_page(published, owner, NOW)
        token = Review.objects.get().public_token
        assert token
        assert len(token) == 22  # 16 bytes in base64
        tokens.add(token)
        links.close_page(published, owner, NOW)
    assert len(tokens) == 3


def test_it_is_closed_after_a_question(shared: Review, reading: Client) -> None:
    assert "Close the public page?" in shown(reading, reader("public/close"))
    assert Review.objects.get().public_token
    reading.post(reader("public/close"))
    assert Review.objects.get().public_token is None
    assert "Open a public page" in shown(reading, reader("files"))


def test_the_history_says_who_opened_and_closed_it(shared: Review, owner: Person) -> None:
    links.close_page(shared, owner, NOW)
    said = History.objects.filter(what__startswith="reports.public").order_by("pk")
    assert [(row.what, row.who) for row in said] == [
        ("reports.public-opened", owner),
        ("reports.public-closed", owner),
    ]


def test_pressed_twice_it_stays_as_it_is(shared: Review, reading: Client) -> None:
    assert "has a public page already" in words_of(reading, "public/open")
    assert Review.objects.get().public_token == shared.public_token
    reading.post(reader("public/close"))
    assert "has no public page" in words_of(reading, "public/close")


def words_of(client: Client, switch: str) -> str:
    return client.post(reader(switch), follow=True).content.decode()


def test_nobody_is_sent_to_the_sign_in_page(published: Review) -> None:
    for switch in SWITCHES:
        assert Client().post(reader(switch))["Location"].startswith("/app/account/sign-in?next=")
    assert Review.objects.get().public_token is None


def test_a_stranger_finds_no_such_page(shared: Review, stranger: Person, signed_in_as: As) -> None:
    for switch in SWITCHES:
        assert signed_in_as(stranger).post(reader(switch)).status_code == 404


def test_only_the_owner_switches_it(
    shared: Review, viewer: Person, partial: Person, reviewer: Person, superuser: Person, signed_in_as: As
) -> None:
    for person in (viewer, partial, reviewer, superuser):
        for switch in SWITCHES:
            assert signed_in_as(person).post(reader(switch)).status_code == 403
        with pytest.raises(NotAllowed):
            links.close_page(shared, person, NOW)
    assert Review.objects.get().public_token == shared.public_token


def test_whoever_reads_the_report_sees_that_there_is_a_public_page(
    shared: Review, viewer: Person, signed_in_as: As
) -> None:
    page = shown(signed_in_as(viewer), reader("files"))
    assert "Address of the public page" in page
    assert "Close the public page" not in page


@pytest.mark.parametrize("state", ["waiting", "in-review", "withdrawn"])
def test_what_is_not_published_is_not_opened(
    published: Review, owner: Person, state: str, reading: Client
) -> None:
    Review.objects.update(state=state)
    assert reading.post(reader("public/open")).status_code == 403
    with pytest.raises(NotAllowed):
        links.open_page(published, owner, NOW)


def test_opening_takes_only_a_post(published: Review, reading: Client) -> None:
    assert reading.get(reader("public/open")).status_code == 405
    assert reading.put(reader("public/close")).status_code == 405
