"""Every page: the wrong method, nobody signed in, somebody else's survey, seen but not allowed, and the happy path."""

from collections.abc import Callable
from dataclasses import dataclass
from unittest.mock import patch

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from accounts.models import Person
from surveys import home_cards
from surveys.draft_json import Draft
from surveys.kinds.read_draft import read_stored_questionnaire
from surveys.lifecycle import design_from_draft, survey_creation
from surveys.lifecycle.opening import open_survey_now
from surveys.lifecycle.ready_made_questionnaires import mark_ready_made
from surveys.models import Collaborator, PeopleInvitation, Survey
from surveys.templatetags.surveys import language_names
from tests.cast import As
from tests.surveys import drafts
from tests.surveys.conftest import NOW, Answers, People, address, page_text, post, reload, update_row
from tests.surveys.drafts import drawn_question, options, plain, put, question, sensitive

pytestmark = pytest.mark.page
LIST = "/app/surveys/"


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


def send(client: Client, method: str, path: str) -> int:
    return int(getattr(client, method.lower())(path).status_code)


def test_every_page_refuses_wrong_methods_and_people(draft: Survey, people: People, signed_in_as: As) -> None:
    clients = {role: signed_in_as(person) for role, person in people.items()}
    nobody, theirs, mine = Client(), clients["stranger"], clients["owner"]
    before = Survey.objects.values().get(pk=draft.pk)
    for page in PAGES:
        path, methods = address(draft, page.path), page.methods.split()
        wrong = {"GET", "POST", "PUT", "DELETE", "PATCH"} - set(methods)
        assert {send(mine, method, path) for method in wrong} == {405}, page
        for method in methods:
            response = getattr(nobody, method.lower())(path)
            assert response.status_code == 302, page
            assert response["Location"].startswith("/app/account/sign-in"), page
            assert send(theirs, method, path) == 404, page
            if page.forbidden:
                assert send(clients[page.forbidden], method, path) == 403, page
        for number in (0, 999_999, 10**30):
            assert send(mine, methods[0], f"{LIST}{number}/{page.path}") == 404, page
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
    response = signed_in_as(person).get(address(survey, page.path))
    assert response.status_code == 200
    assert "Work and health" in response.text
    assert "private" in response["Cache-Control"]
    assert Survey.objects.values().get(pk=survey.pk) == before


class TestTheList:
    def test_survey_list_is_for_signed_in_people_with_their_next_step(
        self, client: Client, reviewer: Person, signed_in_as: As
    ) -> None:
        assert (Client().get(LIST).status_code, Client().post(LIST).status_code) == (302, 405)
        page = client.get(LIST).text
        assert "No survey yet" in page
        assert 'href="/app/surveys/new"' in page
        page = signed_in_as(reviewer).get(LIST).text
        assert "cannot create surveys" in page
        assert "/app/surveys/new" not in page

    def test_survey_list_shows_answers_and_the_next_step(
        self, opened: Survey, client: Client, answers: Answers
    ) -> None:
        answers(opened, sealed=1234, waiting=7)
        page = client.get(LIST).text
        assert "Work and health" in page
        # How many answered openly is told once it is finished: with the number of reports it would follow.
        assert "1,200" in page
        assert "Count and mine the answers" in page
        assert "1,241" not in page

    def test_survey_list_shows_only_visible_and_recently_finished_surveys(
        self, finished: Survey, client: Client, stranger: Person, signed_in_as: As
    ) -> None:
        for state in ("", "finished", "all"):
            assert "Work and health" in client.get(f"{LIST}?state={state}").text
        assert "Work and health" not in signed_in_as(stranger).get(f"{LIST}?state=all").text

    def test_survey_list_folds_rehearsals_under_their_survey(self, owner: Person, client: Client) -> None:
        survey = Survey.objects.create(owner=owner, draft=drafts.bilingual())
        rehearsal = survey_creation.duplicate_survey(survey, owner, NOW, rehearsal=True)
        page = client.get(LIST).text
        assert page.count('<th scope="row">') == 1
        assert f'href="{rehearsal.get_absolute_url()}">Rehearsal {rehearsal.pk}</a>' in page
        assert [card.url for card in home_cards.newest_survey_cards(owner)] == [survey.get_absolute_url()]
        # A rehearsal of another title stands alone.
        update_row(rehearsal, draft={**rehearsal.draft, "title": {"en": "Other"}})
        assert (
            client.get(LIST).text.count('<th scope="row">')
            == len(list(home_cards.newest_survey_cards(owner)))
            == 2
        )

    def test_survey_list_is_searched_by_title_and_marks_rehearsals(
        self, owner: Person, client: Client
    ) -> None:
        survey = Survey.objects.create(owner=owner, draft=drafts.bilingual())
        for search, found in {"HEALTH": True, "工作": True, "wealth": False, " work ": True}.items():
            text = client.get(LIST, {"search": search}).text
            assert ("Work and health" in text, "No surveys match" in text) == (found, not found), search
        assert "rehearsal" not in client.get(LIST).text
        post(client, survey, "duplicate", kind="rehearsal")
        assert "rehearsal" in client.get(LIST).text

    def test_survey_list_freezes_each_draft_once_with_constant_queries(
        self, owner: Person, client: Client
    ) -> None:
        def add(count: int, draft: Callable[[], Draft]) -> None:
            titles = ({"en": f"Survey {number}"} for number in range(count))
            Survey.objects.bulk_create(
                Survey(owner=owner, draft={**draft(), "title": title}) for title in titles
            )

        add(3, drafts.complete)
        design_from_draft._freeze_text.cache_clear()
        with patch.object(design_from_draft, "freeze_design", wraps=design_from_draft.freeze_design) as spy:
            pages = [client.get(LIST, {"time": time}).text for time in ("first", "second")]
        assert spy.call_count == 3
        assert [page.count("Open survey") for page in pages] == [3, 3]
        asked = []
        for count in (2, 10):
            add(count, drafts.complete)
            add(count, drafts.weak_draft)
            with CaptureQueriesContext(connection) as queries:
                client.get(LIST)
            asked.append(len(queries))
        assert asked[0] == asked[1] <= 11


@pytest.mark.parametrize(("reader", "names"), [("en", "English, German"), ("zh-hans", "英语、德语")])
def test_languages_stand_between_commas_of_the_readers_language(reader: str, names: str) -> None:
    with translation.override(reader):
        assert language_names(["en", "de"]) == names


def test_researchers_begin_a_survey_with_a_title(client: Client, reviewer: Person, signed_in_as: As) -> None:
    new = "/app/surveys/new"
    assert (Client().get(new).status_code, client.get(new).status_code) == (302, 200)
    assert [send(signed_in_as(reviewer), method, new) for method in ("get", "post")] == [403, 403]
    assert client.post(new, {"title": " ", "language": "en"}).status_code == 200
    assert not Survey.objects.exists()
    response = client.post(new, {"title": "Work", "language": "zh-hans"})
    survey = Survey.objects.get()
    assert response.status_code == 302
    assert response["Location"].startswith(address(survey))
    assert survey.draft["title"] == {"zh-hans": "Work"}


class TestTheOverview:
    def test_overview_names_what_is_missing_or_its_address(
        self, draft: Survey, owner: Person, client: Client
    ) -> None:
        before = draft.draft
        update_row(draft, draft={**before, "contact": "", "retention": ""})
        page = page_text(client, draft)
        assert "2 things are missing" in page
        assert f'href="{address(draft, "settings#id_destroy_on")}"' in page
        open_survey_now(update_row(draft, draft=before), owner, timezone.now())
        page = page_text(client, draft)
        assert f'value="http://testserver/a/{draft.slug}"' in page
        assert str(draft.design_id) in page

    def test_overview_reports_the_first_batch_in_tenths(
        self, opened: Survey, client: Client, answers: Answers
    ) -> None:
        for waiting, thousandths in {0: 0, 24: 0, 25: 100, 49: 100, 249: 900}.items():
            answers(opened, waiting=waiting)
            words = "Share the survey link" if thousandths == 0 else "Wait for answers"
            page = page_text(client, opened)
            assert f'value="{thousandths}" max="1000"' in page, waiting
            assert words in page, waiting
            assert words in client.get(LIST).text, waiting

    def test_a_bar_of_incoming_answers_moves_in_steps_of_a_batch_unless_counts_are_hidden(
        self, opened: Survey, client: Client, answers: Answers, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answers(opened, sealed=1234)
        monkeypatch.setattr(Survey, "expected", 2000)
        assert "Incoming answers" not in page_text(client, opened)
        monkeypatch.setattr(Survey, "has_rounded_counts", False)
        for cap, words, thousandths in (
            (None, "1,200 of 2,000 expected answers", 600),
            (3000, "1,200 of the 3,000", 400),
        ):
            page = page_text(client, update_row(opened, cap=cap))
            assert words in page
            assert f'value="{thousandths}" max="1000"' in page

    def test_overview_follows_the_state(self, owner: Person, client: Client) -> None:
        for done, words in (
            ({"invited": True}, "Send invitations"),
            ({"invited": True, "invitations_made": 20}, "Wait for answers"),
            ({"invited": False, "invitations_sent": 3}, "Wait for answers"),
            ({"draft": drafts.complete(rehearsal=True)}, "Simulate answers"),
        ):
            survey = Survey.objects.create(**{"owner": owner, "draft": drafts.complete()} | done)
            open_survey_now(survey, owner, timezone.now())
            assert f">{words}" in page_text(client, survey)

    def test_overview_is_for_all_members_and_marks_a_rehearsal(
        self, draft: Survey, people: People, signed_in_as: As
    ) -> None:
        """It offers none of them to close the survey."""
        update_row(draft, draft={**draft.draft, "rehearsal": True})
        viewer = signed_in_as(people["viewer"])
        for path in ("", "people", "history"):
            assert "This is a rehearsal" in page_text(viewer, draft, path)
        open_survey_now(draft, people["owner"], timezone.now())
        for role in ("viewer", "editor", "reviewer", "superuser"):
            page = signed_in_as(people[role]).get(address(draft))
            assert page.status_code == 200, role
            assert address(draft, "close") not in page.text, role
        history = page_text(viewer, draft, "history")
        for words in ("Olga Owner", "opened the survey", f"<code>{str(draft.design_id)[:12]}</code>"):
            assert words in history


def test_a_survey_without_an_expected_number_is_not_read_for_a_forecast(
    draft: Survey, client: Client
) -> None:
    without = {key: value for key, value in draft.draft.items() if key != "expected"}
    with patch.object(home_cards, "read_stored_questionnaire", wraps=read_stored_questionnaire) as spy:
        for stored, reads in ((draft.draft, 1), (without, 0)):
            update_row(draft, draft=stored)
            spy.reset_mock()
            page = client.get("/app/account/home").text
            assert (spy.call_count, "interval of a share" in page) == (reads, bool(reads))


def test_all_pages_count_the_same_questions(
    draft: Survey, owner: Person, superuser: Person, client: Client, reviewer: Person, signed_in_as: As
) -> None:
    """The lines of a table and the options of a question count once, a drawn question and the check of understanding
    not. A question may be called like a group."""
    buses = (*options("use", "bus", "car"), question("use"))
    table = [question(name, form="scale", of="often") for name in ("theft", "fraud")]
    sections = plain(question("age"), drawn_question("wording"), *buses), sensitive(question("debt"), *table)
    put(draft, *sections, understanding=True)
    mark_ready_made(draft, superuser, timezone.now())
    assert "3 not disguised, 2 sensitive" in page_text(client, draft)
    assert "5 questions, 2 of them sensitive." in client.get(f"{LIST}new").text
    assert "<dt>Questions</dt><dd>5</dd>" in page_text(signed_in_as(reviewer), draft, "review")
    open_survey_now(draft, owner, timezone.now())
    assert "<dt>Questions</dt><dd>5</dd>" in page_text(signed_in_as(reviewer), draft, "review")
    page = Client().get(draft.address).text
    assert "Up to 5 questions." in page
    assert "sensitive questions (2 of 5)" in page


class TestPeople:
    @pytest.mark.parametrize("who", ["stranger", "stranger@example.org", " STRANGER@example.org "])
    def test_collaborators_are_added_by_name_or_by_accepted_invitation(
        self, draft: Survey, client: Client, stranger: Person, signed_in_as: As, who: str
    ) -> None:
        assert post(client, draft, "people", who=who, may_edit="on").status_code == 302
        for invitation in PeopleInvitation.objects.all():
            assert not draft.may(stranger, "see")
            signed_in_as(stranger).post(f"{LIST}invited/{invitation.pk}/answer", {"accept": "yes"})
        assert reload(draft).may(stranger, "edit")

    def test_collaborators_lose_and_gain_rights(self, draft: Survey, client: Client, viewer: Person) -> None:
        one = f"people/{viewer.pk}"
        for may_edit in ("yes", "no"):
            post(client, draft, one, may_edit=may_edit)
            assert Collaborator.objects.get().may_edit is (may_edit == "yes")
        post(client, draft, one, remove="yes")
        assert not Collaborator.objects.exists()
        assert post(client, draft, one, remove="yes").status_code == 404
        assert client.get(address(draft, one)).status_code == 405
