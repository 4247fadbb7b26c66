"""Every page: the wrong method, nobody signed in, somebody else's survey, seen but not allowed, and the happy path."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from surveys.lifecycle.opening import open_survey_now
from surveys.models import Collaborator, PeopleInvitation, Survey
from tests.cast import As
from tests.surveys import drafts

pytestmark = pytest.mark.page
Answers = Callable[..., None]


@dataclass(frozen=True)
class Page:
    """`forbidden` names somebody who sees the survey and may not do this; "" where whoever sees it may."""

    name: str
    path: str
    methods: str
    forbidden: str = ""


PAGES = [
    Page("overview", "", "GET"),
    Page("settings", "settings", "GET POST", "viewer"),
    Page("history", "history", "GET"),
    Page("open", "open", "GET POST", "editor"),
    Page("withdraw the opening time", "open/withdraw", "POST", "editor"),
    Page("close", "close", "GET POST", "editor"),
    Page("reopen", "reopen", "GET POST", "editor"),
    Page("pause", "pause", "GET POST", "editor"),
    Page("resume", "resume", "GET POST", "editor"),
    Page("finish", "finish", "GET POST", "editor"),
    Page("destroy", "destroy", "GET POST", "editor"),
    Page("duplicate", "duplicate", "GET POST", "viewer"),
    Page("ask", "ask", "GET POST", "editor"),
    Page("review", "review", "GET POST", "owner"),
]


def address(survey: Survey, page: Page) -> str:
    return f"/app/surveys/{survey.pk}/{page.path}"


def send(client: Client, method: str, path: str) -> int:
    return int(getattr(client, method.lower())(path).status_code)


def test_the_wrong_method_is_refused(draft: Survey, owner: Person, signed_in_as: As) -> None:
    client = signed_in_as(owner)
    for page in PAGES:
        wrong = {"GET", "POST", "PUT", "DELETE", "PATCH"} - set(page.methods.split())
        assert {send(client, method, address(draft, page)) for method in wrong} == {405}, page


def test_who_is_not_signed_in_is_sent_to_the_sign_in(draft: Survey, client: Client) -> None:
    for page in PAGES:
        for method in page.methods.split():
            response = getattr(client, method.lower())(address(draft, page))
            assert response.status_code == 302, page
            assert response["Location"].startswith("/app/account/sign-in"), page


def test_somebody_elses_survey_and_one_that_never_was_are_not_there(
    draft: Survey, stranger: Person, owner: Person, signed_in_as: As
) -> None:
    theirs, mine = signed_in_as(stranger), signed_in_as(owner)
    for page in PAGES:
        for method in page.methods.split():
            assert send(theirs, method, address(draft, page)) == 404, page
        for number in (0, 999_999, 10**30):
            path = f"/app/surveys/{number}/{page.path}"
            assert send(mine, page.methods.split()[0], path) == 404, path


def test_who_sees_it_but_may_not_is_forbidden(
    draft: Survey, owner: Person, viewer: Person, editor: Person, signed_in_as: As
) -> None:
    clients = {"owner": signed_in_as(owner), "viewer": signed_in_as(viewer), "editor": signed_in_as(editor)}
    before = Survey.objects.values().get(pk=draft.pk)
    for page in PAGES:
        for method in page.methods.split() if page.forbidden else ():
            assert send(clients[page.forbidden], method, address(draft, page)) == 403, page
    assert Survey.objects.values().get(pk=draft.pk) == before


@pytest.mark.at_push(9)
@pytest.mark.parametrize("fixture", ["draft", "opened", "closed", "finished", "destroyed"])
@pytest.mark.parametrize(
    "page", [page for page in PAGES if "GET" in page.methods], ids=lambda page: page.name
)
def test_every_page_can_be_looked_at_in_every_state(
    page: Page, fixture: str, signed_in_as: As, request: pytest.FixtureRequest
) -> None:
    survey: Survey = request.getfixturevalue(fixture)
    person: Person = request.getfixturevalue("reviewer" if page.name == "review" else "owner")
    before = Survey.objects.values().get(pk=survey.pk)
    response = signed_in_as(person).get(address(survey, page))
    assert response.status_code == 200
    assert "Work and health" in response.text
    assert "private" in response["Cache-Control"]
    assert Survey.objects.values().get(pk=survey.pk) == before


class TestTheList:
    def test_is_for_people_who_are_signed_in(self, client: Client) -> None:
        assert client.get("/app/surveys/").status_code == 302
        assert client.post("/app/surveys/").status_code == 405

    def test_offers_a_first_survey_to_a_researcher(self, owner: Person, signed_in_as: As) -> None:
        response = signed_in_as(owner).get("/app/surveys/")
        assert "No survey yet" in response.text
        assert 'href="/app/surveys/new"' in response.text

    def test_tells_somebody_without_a_role_what_to_do(self, reviewer: Person, signed_in_as: As) -> None:
        response = signed_in_as(reviewer).get("/app/surveys/")
        assert "cannot create surveys" in response.text
        assert "/app/surveys/new" not in response.text

    def test_shows_state_sealed_answers_and_what_to_do_next(
        self, opened: Survey, owner: Person, signed_in_as: As, answers: Answers
    ) -> None:
        answers(opened, sealed=1234, waiting=7)
        response = signed_in_as(owner).get("/app/surveys/")
        assert "Work and health" in response.text
        # How many answered openly is told once it is finished: with the number of reports it would follow.
        assert "1,200" in response.text
        assert "Count and mine the answers" in response.text
        assert "1,241" not in response.text

    def test_shows_only_what_one_may_see(self, draft: Survey, stranger: Person, signed_in_as: As) -> None:
        assert "Work and health" not in signed_in_as(stranger).get("/app/surveys/?state=all").text

    def test_lists_what_is_finished_since_its_results_come_then(
        self, finished: Survey, owner: Person, signed_in_as: As
    ) -> None:
        client = signed_in_as(owner)
        for state in ("", "finished", "all"):
            assert "Work and health" in client.get(f"/app/surveys/?state={state}").text

    def test_is_searched_by_title_in_any_language(self, owner: Person, signed_in_as: As) -> None:
        Survey.objects.create(owner=owner, draft=drafts.bilingual())
        client = signed_in_as(owner)
        for search, found in {"HEALTH": True, "工作": True, "wealth": False, " work ": True}.items():
            text = client.get("/app/surveys/", {"search": search}).text
            assert ("Work and health" in text, "No surveys match" in text) == (found, not found), search

    def test_asks_the_database_no_more_for_many_than_for_few(
        self, draft: Survey, owner: Person, signed_in_as: As, django_assert_max_num_queries: object
    ) -> None:
        for _ in range(10):
            Survey.objects.create(owner=owner, draft=draft.draft)
        client = signed_in_as(owner)
        with django_assert_max_num_queries(10):  # type: ignore[operator]
            assert client.get("/app/surveys/").text.count("Work and health") >= 11

    def test_marks_a_rehearsal(self, owner: Person, signed_in_as: As, draft: Survey) -> None:
        client = signed_in_as(owner)
        assert "rehearsal" not in client.get("/app/surveys/").text
        client.post(f"/app/surveys/{draft.pk}/duplicate", {"kind": "rehearsal"})
        assert "rehearsal" in client.get("/app/surveys/").text


class TestANewSurvey:
    def test_is_begun_by_a_researcher(self, owner: Person, signed_in_as: As) -> None:
        client = signed_in_as(owner)
        assert client.get("/app/surveys/new").status_code == 200
        response = client.post("/app/surveys/new", {"title": "Work", "language": "zh-hans"})
        survey = Survey.objects.get()
        assert response.status_code == 302
        assert response["Location"].startswith(f"/app/surveys/{survey.pk}/")
        assert survey.draft["title"] == {"zh-hans": "Work"}

    def test_needs_a_title(self, owner: Person, signed_in_as: As) -> None:
        response = signed_in_as(owner).post("/app/surveys/new", {"title": " ", "language": "en"})
        assert response.status_code == 200
        assert not Survey.objects.exists()

    def test_is_not_for_everybody(self, reviewer: Person, client: Client, signed_in_as: As) -> None:
        assert client.get("/app/surveys/new").status_code == 302
        for method in ("get", "post"):
            assert getattr(signed_in_as(reviewer), method)("/app/surveys/new").status_code == 403
        assert not Survey.objects.exists()


class TestTheOverview:
    def test_of_a_draft_names_what_is_missing(self, draft: Survey, owner: Person, signed_in_as: As) -> None:
        Survey.objects.filter(pk=draft.pk).update(draft={**draft.draft, "contact": "", "retention": ""})
        page = signed_in_as(owner).get(f"/app/surveys/{draft.pk}/").text
        assert "2 things are missing" in page
        assert f'href="/app/surveys/{draft.pk}/settings#id_destroy_on"' in page

    def test_of_an_open_survey_gives_its_address_and_fingerprint(
        self, opened: Survey, owner: Person, signed_in_as: As
    ) -> None:
        page = signed_in_as(owner).get(f"/app/surveys/{opened.pk}/").text
        assert f'value="http://testserver/a/{opened.slug}"' in page
        assert str(opened.design_id) in page

    def test_shows_the_way_to_the_first_batch_in_tenths_only(
        self, opened: Survey, owner: Person, signed_in_as: As, answers: Answers
    ) -> None:
        client = signed_in_as(owner)
        for waiting, thousandths in {0: 0, 24: 0, 25: 100, 49: 100, 249: 900}.items():
            answers(opened, waiting=waiting)
            page = client.get(f"/app/surveys/{opened.pk}/").text
            assert f'value="{thousandths}" max="1000"' in page, waiting

    def test_a_bar_of_incoming_answers_moves_in_steps_of_a_batch_unless_counts_are_hidden(
        self,
        opened: Survey,
        owner: Person,
        signed_in_as: As,
        answers: Answers,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        answers(opened, sealed=1234)
        monkeypatch.setattr(Survey, "expected", 2000)
        client, address = signed_in_as(owner), f"/app/surveys/{opened.pk}/"
        assert "Incoming answers" not in client.get(address).text
        monkeypatch.setattr(Survey, "has_rounded_counts", False)
        for cap, words, thousandths in (
            (None, "1,200 of 2,000 expected answers", 600),
            (3000, "1,200 of the 3,000", 400),
        ):
            Survey.objects.filter(pk=opened.pk).update(cap=cap)
            page = client.get(address).text
            assert words in page
            assert f'value="{thousandths}" max="1000"' in page

    def test_says_what_to_do_next_in_tenths_too(
        self, opened: Survey, owner: Person, signed_in_as: As, answers: Answers
    ) -> None:
        client = signed_in_as(owner)
        for waiting, words in (
            (0, "Share the survey link"),
            (24, "Share the survey link"),
            (25, "Wait for answers"),
        ):
            answers(opened, waiting=waiting)
            assert words in client.get(f"/app/surveys/{opened.pk}/").text
            assert words in client.get("/app/surveys/").text

    def test_follows_what_was_done(self, opened: Survey, owner: Person, signed_in_as: As) -> None:
        client = signed_in_as(owner)
        before = opened.draft
        for changed, words in (
            ({"invited": True}, "Send invitations"),
            ({"invited": True, "invitations_made": 20}, "Wait for answers"),
            ({"invited": False, "invitations_sent": 3}, "Wait for answers"),
            ({"draft": {**before, "rehearsal": True}}, "Simulate answers"),
        ):
            survey = Survey.objects.create(owner=owner, draft=before)
            survey.draft = changed.pop("draft", before)
            for name, value in changed.items():
                setattr(survey, name, value)
            survey.save()
            open_survey_now(survey, owner, timezone.now())
            assert f">{words}" in client.get(f"/app/surveys/{survey.pk}/").text

    def test_is_for_all_who_may_see_it_and_offers_none_of_them_to_close_it(
        self,
        opened: Survey,
        viewer: Person,
        editor: Person,
        reviewer: Person,
        superuser: Person,
        signed_in_as: As,
    ) -> None:
        for person in (viewer, editor, reviewer, superuser):
            page = signed_in_as(person).get(f"/app/surveys/{opened.pk}/")
            assert page.status_code == 200, person
            assert f"/app/surveys/{opened.pk}/close" not in page.text, person

    def test_marks_a_rehearsal_to_everybody(self, draft: Survey, viewer: Person, signed_in_as: As) -> None:
        Survey.objects.filter(pk=draft.pk).update(draft={**draft.draft, "rehearsal": True})
        for path in ("", "people", "history"):
            page = signed_in_as(viewer).get(f"/app/surveys/{draft.pk}/{path}").text
            assert "This is a rehearsal" in page


class TestPeople:
    path = "/app/surveys/{}/people"

    def test_can_be_seen_by_all_who_see_the_survey(
        self, draft: Survey, viewer: Person, client: Client, stranger: Person, signed_in_as: As
    ) -> None:
        path = self.path.format(draft.pk)
        assert client.get(path).status_code == 302
        assert signed_in_as(stranger).get(path).status_code == 404
        page = signed_in_as(viewer).get(path)
        assert "Olga Owner" in page.text
        assert 'name="who"' not in page.text

    @pytest.mark.parametrize("who", ["stranger", "stranger@example.org", " STRANGER@example.org "])
    def test_are_added_by_name_or_once_they_accept_by_address(
        self, draft: Survey, owner: Person, stranger: Person, signed_in_as: As, who: str
    ) -> None:
        response = signed_in_as(owner).post(self.path.format(draft.pk), {"who": who, "may_edit": "on"})
        assert response.status_code == 302
        for invitation in PeopleInvitation.objects.all():
            assert not draft.may(stranger, "see")
            signed_in_as(stranger).post(f"/app/surveys/invited/{invitation.pk}/answer", {"accept": "yes"})
        assert draft.may(stranger, "edit")

    def test_who_cannot_be_added_are_refused(
        self, draft: Survey, owner: Person, stranger: Person, signed_in_as: As
    ) -> None:
        Person.objects.filter(pk=stranger.pk).update(username="gone", is_active=False)
        client = signed_in_as(owner)
        for who in ("nobody", "owner", "", "gone"):
            response = client.post(self.path.format(draft.pk), {"who": who})
            assert response.status_code == 200
            assert response.context["form"].errors, who
        assert not draft.collaborators.exists()

    def test_are_changed_by_the_owner_alone(
        self,
        draft: Survey,
        viewer: Person,
        editor: Person,
        reviewer: Person,
        superuser: Person,
        signed_in_as: As,
    ) -> None:
        one = f"{self.path.format(draft.pk)}/{viewer.pk}"
        for person in (viewer, editor, reviewer, superuser):
            client = signed_in_as(person)
            assert client.post(self.path.format(draft.pk), {"who": "owner"}).status_code == 403, person
            assert client.post(one, {"remove": "yes"}).status_code == 403, person
        assert draft.may(viewer, "see")

    def test_lose_and_gain_rights(
        self, draft: Survey, owner: Person, viewer: Person, signed_in_as: As
    ) -> None:
        client, path = signed_in_as(owner), f"{self.path.format(draft.pk)}/{viewer.pk}"
        client.post(path, {"may_edit": "yes"})
        assert Collaborator.objects.get().may_edit
        client.post(path, {"may_edit": "no"})
        assert not Collaborator.objects.get().may_edit
        client.post(path, {"remove": "yes"})
        assert not Collaborator.objects.exists()
        assert client.post(path, {"remove": "yes"}).status_code == 404
        assert client.get(path).status_code == 405

    def test_of_another_survey_cannot_be_reached_through_this_one(
        self, draft: Survey, viewer: Person, stranger: Person, signed_in_as: As
    ) -> None:
        theirs = Survey.objects.create(owner=stranger)
        response = signed_in_as(stranger).post(
            f"{self.path.format(theirs.pk)}/{viewer.pk}", {"remove": "yes"}
        )
        assert response.status_code == 404
        assert draft.may(viewer, "see")


def test_the_history_tells_who_did_what_and_nothing_of_others(
    opened: Survey, owner: Person, viewer: Person, signed_in_as: As
) -> None:
    page = signed_in_as(viewer).get(f"/app/surveys/{opened.pk}/history").text
    assert "Olga Owner" in page
    assert "opened the survey" in page
    assert f"<code>{str(opened.design_id)[:12]}</code>" in page
