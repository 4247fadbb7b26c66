"""The settings page: of a draft its editors', of an opened survey its owner's, and never overwritten unseen."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from surveys.models import Survey
from tests.cast import As
from tests.surveys.conftest import changed, post, shown

pytestmark = pytest.mark.page
CLOSES = "2090-01-01T10:00"


def base(client: Client, survey: Survey) -> str:
    """What the page says that it shows."""
    found = re.search(r'name="base" value="(\w+)"', shown(client, survey, "settings"))
    assert found
    return found[1]


def send(client: Client, survey: Survey, **sent: str) -> Any:
    """`base` is what the page shows now unless it is given."""
    given = {"closes": "", "cap": "", "destroy_on": "2099-12-31", "least": "100", "invited": "no"} | sent
    if "base" not in sent:
        given["base"] = base(client, survey)
    return post(client, survey, "settings", **given)


def test_those_of_a_draft_are_its_editors_too(draft: Survey, editor: Person, signed_in_as: As) -> None:
    theirs = signed_in_as(editor)
    numbers = {"cap": "500", "at_once": "20000", "least": "150"}
    answer = send(theirs, draft, **numbers, destroy_on="2098-01-01", invited="yes", closes=CLOSES)
    assert answer.status_code == 302
    assert (draft.cap, draft.at_once, draft.least, draft.invited) == (500, 20_000, 150, True)
    assert draft.draft["retention"] == "2098-01-01"
    assert draft.draft["title"] == {"en": "Work and health"}
    assert draft.closes is not None
    assert draft.closes.year == 2090


def test_those_of_an_opened_survey_are_its_owners_and_never_overwritten_unseen(
    opened: Survey, editor: Person, client: Client, signed_in_as: As
) -> None:
    seen = base(client, opened)
    assert send(signed_in_as(editor), opened, cap="700", base=seen).status_code == 403
    assert send(client, opened, cap="500", base=seen).status_code == 302
    late = send(client, opened, closes=CLOSES, base=seen)
    assert late.status_code == 409
    assert ("Maximum number of answers", "500") in late.context["theirs"]
    assert (opened.cap, opened.closes) == (500, None)
    assert send(client, opened, closes=CLOSES, cap="500", base=late.context["base"]).status_code == 302
    assert opened.cap == 500
    assert opened.closes is not None


def test_nobody_overwrites_them_unseen(
    draft: Survey, editor: Person, client: Client, signed_in_as: As
) -> None:
    """Nor through a mistake, after which the page still says what it showed."""
    seen = base(client, draft)
    send(signed_in_as(editor), draft, cap="300", closes=CLOSES, base=seen)
    mistaken = send(client, draft, cap="5", base=seen)
    assert mistaken.context["base"] == seen
    assert send(client, draft, cap="700", base="").status_code == 409
    late = send(client, draft, cap="700", closes=CLOSES, base=seen)
    assert late.status_code == 409
    assert "This was changed elsewhere meanwhile" in late.text
    assert late.context["theirs"] == [("Maximum number of answers", "300")]
    assert 'value="700"' in late.text
    assert draft.cap == 300
    assert send(client, draft, cap="700", closes=CLOSES, base=late.context["base"]).status_code == 302
    assert draft.cap == 700


def test_a_change_withdraws_the_opening_time_and_says_so(draft: Survey, client: Client) -> None:
    changed(draft, opens=timezone.now() + timedelta(days=1))
    words = "The opening time was set for others, so it is withdrawn."
    for invited, withdrawn in (("no", False), ("yes", True)):
        answer = send(client, draft, invited=invited)
        assert (words in client.get(answer["Location"]).text) is withdrawn


def test_an_opened_survey_takes_no_day_of_destruction_that_has_come(opened: Survey, client: Client) -> None:
    today, before = timezone.localdate(), Survey.objects.values().get(pk=opened.pk)
    assert f'min="{today + timedelta(days=1)}"' in shown(client, opened, "settings")
    for days in (-365, 0):
        day = (today + timedelta(days=days)).isoformat()
        response = send(client, opened, destroy_on=day, sure=day)
        assert response.context["form"].errors["destroy_on"] == ["Must be a future date."]
    assert Survey.objects.values().get(pk=opened.pk) == before


def test_what_does_not_fit_a_draft_is_refused_at_its_field(draft: Survey, client: Client) -> None:
    today = timezone.localdate()
    assert f'min="{today + timedelta(days=1)}"' in shown(client, draft, "settings")
    for field, *values in (
        ("least", "19"),
        ("cap", "99"),
        ("closes", "2020-01-01T10:00"),
        ("destroy_on", "soon", "", today.isoformat(), (today - timedelta(days=365)).isoformat()),
    ):
        for value in values:
            response = send(client, draft, **{field: value})
            assert response.status_code == 200
            assert field in response.context["form"].errors
            assert (draft.cap, draft.closes, draft.least) == (None, None, 100)
            assert draft.draft["retention"] == "2099-12-31"


def test_an_opened_survey_is_destroyed_sooner_if_one_is_sure_of_it(opened: Survey, client: Client) -> None:
    """Nor does its batch change."""
    assert 'name="sure"' not in shown(client, opened, "settings")
    assert "earlier, never later" in send(client, opened, destroy_on="2100-01-01").text
    asked = send(client, opened, destroy_on="2089-12-31").text
    assert "Yes, delete everything on 31 December 2089" in asked
    assert "The date was 31 December 2099" in asked
    another = send(client, opened, destroy_on="2088-12-31", sure="2089-12-31")
    assert "sure" in another.context["form"].errors
    assert str(opened.destroy_on) == "2099-12-31"
    answer = send(client, opened, least="20", destroy_on="2099-01-01", sure="2099-01-01")
    assert answer.status_code == 302
    assert (opened.least, str(opened.destroy_on)) == (100, "2099-01-01")


def test_what_cannot_change_any_more_is_not_offered(finished: Survey, client: Client) -> None:
    page = shown(client, finished, "settings")
    assert "nothing of it can be set" in page
    assert 'name="cap"' not in page
