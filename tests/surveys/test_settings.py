"""The settings page: of a draft its editors', of an opened survey its owner's, and never overwritten unseen."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from surveys.models import Survey
from tests.cast import As

pytestmark = pytest.mark.page


class TestSettings:
    def form(self, **other: str) -> dict[str, str]:
        given = {"closes": "", "cap": "", "destroy_on": "2099-12-31", "least": "100", "invited": "no"}
        return given | other

    def base(self, client: Client, draft: Survey) -> str:
        """What the page says that it shows."""
        found = re.search(r'name="base" value="(\w+)"', client.get(f"/app/surveys/{draft.pk}/settings").text)
        assert found
        return found[1]

    def test_of_a_draft_are_its_editors_too(self, draft: Survey, editor: Person, signed_in_as: As) -> None:
        given = self.form(
            cap="500",
            at_once="20000",
            least="150",
            destroy_on="2098-01-01",
            invited="yes",
            closes="2090-01-01T10:00",
        )
        client = signed_in_as(editor)
        given["base"] = self.base(client, draft)
        assert client.post(f"/app/surveys/{draft.pk}/settings", given).status_code == 302
        draft.refresh_from_db()
        assert (draft.cap, draft.at_once, draft.least, draft.invited) == (500, 20_000, 150, True)
        assert draft.draft["retention"] == "2098-01-01"
        assert draft.draft["title"] == {"en": "Work and health"}
        assert draft.closes is not None
        assert draft.closes.year == 2090

    def test_of_a_draft_are_never_overwritten_unseen(
        self, draft: Survey, owner: Person, editor: Person, signed_in_as: As
    ) -> None:
        mine, theirs, path = signed_in_as(owner), signed_in_as(editor), f"/app/surveys/{draft.pk}/settings"
        seen = self.base(mine, draft)
        theirs.post(path, self.form(cap="300", closes="2090-01-01T10:00", base=seen))
        late = mine.post(path, self.form(cap="700", closes="2090-01-01T10:00", base=seen))
        assert late.status_code == 409
        assert "This was changed elsewhere meanwhile" in late.text
        assert late.context["theirs"] == [("Maximum number of answers", "300")]
        assert 'value="700"' in late.text
        draft.refresh_from_db()
        assert draft.cap == 300
        again = self.form(cap="700", closes="2090-01-01T10:00", base=late.context["base"])
        assert mine.post(path, again).status_code == 302
        draft.refresh_from_db()
        assert draft.cap == 700

    def test_of_a_draft_stay_unseen_through_a_mistake(
        self, draft: Survey, owner: Person, editor: Person, signed_in_as: As
    ) -> None:
        mine, path = signed_in_as(owner), f"/app/surveys/{draft.pk}/settings"
        seen = self.base(mine, draft)
        signed_in_as(editor).post(path, self.form(cap="300", base=seen))
        mistaken = mine.post(path, self.form(cap="5", base=seen))
        assert mistaken.context["base"] == seen
        assert mine.post(path, self.form(cap="700")).status_code == 409

    def test_that_change_withdraw_the_opening_time_and_say_so(
        self, draft: Survey, owner: Person, signed_in_as: As
    ) -> None:
        Survey.objects.filter(pk=draft.pk).update(opens=timezone.now() + timedelta(days=1))
        client, path = signed_in_as(owner), f"/app/surveys/{draft.pk}/settings"
        same = client.post(path, self.form(base=self.base(client, draft)), follow=True)
        assert "withdrawn" not in same.text
        other = client.post(path, self.form(invited="yes", base=self.base(client, draft)), follow=True)
        assert "The opening time was set for others, so it is withdrawn." in other.text

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("least", "19"),
            ("cap", "99"),
            ("closes", "2020-01-01T10:00"),
            ("destroy_on", "soon"),
            ("destroy_on", ""),
        ],
    )
    def test_that_do_not_fit_are_refused_at_their_field(
        self, draft: Survey, owner: Person, signed_in_as: As, field: str, value: str
    ) -> None:
        response = signed_in_as(owner).post(f"/app/surveys/{draft.pk}/settings", self.form(**{field: value}))
        assert response.status_code == 200
        assert field in response.context["form"].errors
        draft.refresh_from_db()
        assert (draft.cap, draft.closes, draft.least) == (None, None, 100)

    def test_of_an_opened_survey_are_its_owners(
        self, opened: Survey, editor: Person, owner: Person, signed_in_as: As
    ) -> None:
        path = f"/app/surveys/{opened.pk}/settings"
        given = self.form(cap="700", base=self.base(signed_in_as(owner), opened))
        assert signed_in_as(editor).post(path, given).status_code == 403
        assert signed_in_as(owner).post(path, given).status_code == 302
        opened.refresh_from_db()
        assert opened.cap == 700

    def test_of_an_opened_survey_are_never_overwritten_unseen(
        self, opened: Survey, owner: Person, signed_in_as: As
    ) -> None:
        client, path = signed_in_as(owner), f"/app/surveys/{opened.pk}/settings"
        seen = self.base(client, opened)
        assert client.post(path, self.form(cap="500", base=seen)).status_code == 302
        late = client.post(path, self.form(closes="2090-01-01T10:00", base=seen))
        assert late.status_code == 409
        assert ("Maximum number of answers", "500") in late.context["theirs"]
        opened.refresh_from_db()
        assert (opened.cap, opened.closes) == (500, None)
        decided = self.form(closes="2090-01-01T10:00", cap="500", base=late.context["base"])
        assert client.post(path, decided).status_code == 302
        opened.refresh_from_db()
        assert opened.cap == 500
        assert opened.closes is not None

    def test_of_an_opened_survey_never_put_destruction_back_or_change_the_batch(
        self, opened: Survey, owner: Person, signed_in_as: As
    ) -> None:
        client, path = signed_in_as(owner), f"/app/surveys/{opened.pk}/settings"
        base = self.base(client, opened)
        assert "earlier, never later" in client.post(path, self.form(destroy_on="2100-01-01", base=base)).text
        given = self.form(least="20", destroy_on="2099-01-01", sure="2099-01-01", base=base)
        assert client.post(path, given).status_code == 302
        opened.refresh_from_db()
        assert (opened.least, str(opened.destroy_on)) == (100, "2099-01-01")

    def test_of_an_opened_survey_destroy_it_sooner_only_for_whoever_says_so_of_that_day(
        self, opened: Survey, owner: Person, signed_in_as: As
    ) -> None:
        client, path = signed_in_as(owner), f"/app/surveys/{opened.pk}/settings"
        assert 'name="sure"' not in client.get(path).text
        asked = client.post(path, self.form(destroy_on="2089-12-31")).text
        assert "Yes, delete everything on 31 December 2089" in asked
        assert "The date was 31 December 2099" in asked
        another = client.post(path, self.form(destroy_on="2088-12-31", sure="2089-12-31"))
        assert "sure" in another.context["form"].errors
        opened.refresh_from_db()
        assert str(opened.destroy_on) == "2099-12-31"

    @pytest.mark.parametrize("fixture", ["draft", "opened"])
    @pytest.mark.parametrize("days", [-365, 0])
    def test_take_no_day_of_destruction_that_has_come(
        self, fixture: str, days: int, owner: Person, signed_in_as: As, request: pytest.FixtureRequest
    ) -> None:
        survey: Survey = request.getfixturevalue(fixture)
        client, path = signed_in_as(owner), f"/app/surveys/{survey.pk}/settings"
        today = timezone.localdate()
        assert f'min="{today + timedelta(days=1)}"' in client.get(path).text
        day = (today + timedelta(days=days)).isoformat()
        before = Survey.objects.values().get(pk=survey.pk)
        sent = self.form(destroy_on=day, sure=day, base=self.base(client, survey))
        response = client.post(path, sent)
        assert response.context["form"].errors["destroy_on"] == ["Must be a future date."]
        assert Survey.objects.values().get(pk=survey.pk) == before

    def test_that_cannot_change_any_more_are_not_offered(
        self, finished: Survey, owner: Person, signed_in_as: As
    ) -> None:
        page = signed_in_as(owner).get(f"/app/surveys/{finished.pk}/settings").text
        assert "nothing of it can be set" in page
        assert 'name="cap"' not in page
