import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Group
from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy, override

from accounts import history_texts
from accounts.activity_log import log_activity
from accounts.insert_only_tables import InsertOnly, InsertOnlyViolation
from accounts.models import History, Person
from surveys.models import Plan
from tests.cast import As

PAGE = reverse("accounts:history")
pytestmark = [pytest.mark.django_db, pytest.mark.page]


@pytest.fixture
def history_entry(researcher: Person, stranger: Person) -> History:
    return log_activity(researcher, "accounts.name-changed", stranger, "because")


def shown_acts(client: Client, **filters: str) -> list[str]:
    return [act.what for act in client.get(PAGE, filters).context["page_obj"]]


def test_history_entry_has_person_time_action_subject_and_reason(
    researcher: Person, stranger: Person
) -> None:
    """The thing keeps the name that it had then."""
    before = timezone.now()
    act = History.objects.get(pk=log_activity(researcher, "accounts.name-changed", stranger, "because").pk)
    assert (act.who, act.what, act.note) == (researcher, "accounts.name-changed", "because")
    assert (act.thing_app, act.thing_model, act.thing_id) == ("accounts", "person", str(stranger.pk))
    assert act.thing_name == "Sam Stranger"
    assert before <= act.when <= timezone.now()
    Person.objects.filter(pk=stranger.pk).update(name="Somebody Else")
    act.refresh_from_db()
    assert act.thing_name == "Sam Stranger"
    assert list(History.objects.about(stranger)) == [act]


def test_person_who_takes_anothers_name_is_shown_apart_in_the_history(
    history_entry: History, researcher: Person, reviewer: Person, signed_in_as: As
) -> None:
    Person.objects.filter(pk=researcher.pk).update(name=reviewer.name)
    page = signed_in_as(reviewer).get(PAGE).content.decode()
    assert f"{reviewer.name} ({researcher.username})" in page
    assert f"{reviewer.name} ({reviewer.username})" not in page


def test_timed_action_has_no_person_and_long_names_are_cut(stranger: Person) -> None:
    stranger.name = "x" * 300
    act = log_activity(None, "accounts.deactivated", stranger)
    assert (act.who, act.thing_name) == (None, "x" * 200)


def test_history_refuses_an_action_without_wording(stranger: Person) -> None:
    with pytest.raises(ValueError, match="never announced"):
        log_activity(stranger, "accounts.creatde", stranger)


def test_history_names_actions_in_the_readers_language(
    stranger: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_texts, "_words", {})
    history_texts.register_action_texts({"test.done": gettext_lazy("Password")})
    act = log_activity(stranger, "test.done", stranger)
    with override("zh-hans"):
        assert act.words == "密码"
    with override("en"):
        assert act.words == "Password"


def test_history_shows_entries_of_a_removed_app(reviewer: Person, signed_in_as: As) -> None:
    History.objects.create(who=None, what="gone.done", thing_app="gone", thing_model="relic", thing_name="It")
    page = signed_in_as(reviewer).get(PAGE).content.decode()
    assert "gone.done" in page
    assert "It <span" in page


CHANGES: dict[str, Callable[[History], object]] = {
    "save": lambda act: act.save(),
    "delete": lambda act: act.delete(),
    "update": lambda act: History.objects.update(note=""),
    "queryset delete": lambda act: History.objects.all().delete(),
    "bulk update": lambda act: History.objects.bulk_update([act], ["note"]),
    "update or create": lambda act: History.objects.update_or_create(pk=act.pk, defaults={"note": ""}),
    "through the person": lambda act: act.who and act.who.acts.all().delete(),
    "taking it from the person": lambda act: act.who and act.who.acts.update(who=None),
}


def test_models_cannot_change_a_history_entry(history_entry: History) -> None:
    for way, change in CHANGES.items():
        with pytest.raises(InsertOnlyViolation):
            change(history_entry)
        assert History.objects.get(pk=history_entry.pk).note == "because", way


def test_history_entry_is_not_overwritten_by_save_or_bulk_create(history_entry: History) -> None:
    forged = History(pk=history_entry.pk, what="forged", note="forged")
    over: dict[str, Any] = {"update_conflicts": True, "unique_fields": ["id"], "update_fields": ["note"]}
    writes: list[Callable[[], object]] = [forged.save, lambda: History.objects.bulk_create([forged], **over)]
    for write in writes:
        with pytest.raises(IntegrityError), transaction.atomic():
            write()
        assert History.objects.get(pk=history_entry.pk).note == "because"


def test_person_with_history_entries_cannot_be_deleted(history_entry: History, researcher: Person) -> None:
    with pytest.raises(ProtectedError):
        researcher.delete()


STATEMENTS = [
    "UPDATE accounts_history SET note = ''",
    "UPDATE accounts_history SET who_id = NULL",
    "UPDATE accounts_history SET id = id + 1000",
    "DELETE FROM accounts_history",
    "REPLACE INTO accounts_history SELECT * FROM accounts_history",
    "INSERT OR REPLACE INTO accounts_history SELECT * FROM accounts_history",
    "INSERT INTO accounts_history SELECT * FROM accounts_history WHERE 1 ON CONFLICT (id) DO UPDATE SET note = ''",
]


def test_database_refuses_changes_of_history(history_entry: History) -> None:
    for statement in STATEMENTS:
        refused = pytest.raises(IntegrityError, match="insert-only")
        with refused, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
        assert History.objects.get(pk=history_entry.pk).note == "because", statement


def test_write_once_tables_have_triggers_after_all_migrations() -> None:
    tables = {model for model in apps.get_models() if issubclass(model, InsertOnly)}
    assert {History, Plan} <= tables
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        found = {name for (name,) in cursor.fetchall()}
    wanted = {
        f"{model._meta.db_table}_no_{event}" for model in tables for event in ("update", "delete", "insert")
    }
    gone_with_others = {
        f"{table}_no_delete"
        for table in (
            *("reports_decision", "reports_publication", "releases_releasedtable"),
            *("disclosure_disclosure", "releases_releasedupload"),
            *("runs_margins", "runs_model", "reports_modeldecision", "reports_modelpublication"),
        )
    }
    assert wanted - gone_with_others <= found
    assert not gone_with_others & found


def test_history_page_is_for_signed_in_people_and_is_read_only(
    client: Client, reviewer: Person, signed_in_as: As
) -> None:
    assert client.get(PAGE).headers["Location"].startswith(reverse("accounts:sign-in"))
    for method in ("post", "put", "delete"):
        assert getattr(signed_in_as(reviewer), method)(PAGE).status_code == 405, method


def test_staff_see_the_history_of_everybody(
    history_entry: History, reviewer: Person, signed_in_as: As
) -> None:
    page = signed_in_as(reviewer).get(PAGE).content.decode()
    for words in ("Robin", "changed the name", "Sam Stranger", "because"):
        assert words in page


def test_history_page_shortens_fingerprints_like_the_survey_page(reviewer: Person, signed_in_as: As) -> None:
    log_activity(reviewer, "accounts.name-changed", reviewer, note=f"{'0123456789ab' + 'c' * 52} for <now>")
    page = signed_in_as(reviewer).get(PAGE).text
    assert "<code>0123456789ab</code> for &lt;now&gt;" in page
    assert "c" * 20 not in page


def test_people_see_their_own_entries_and_those_of_what_they_may_see(
    history_entry: History, researcher: Person, stranger: Person, superuser: Person, signed_in_as: As
) -> None:
    log_activity(superuser, "accounts.email-changed", researcher)
    log_activity(superuser, "accounts.deactivated", Group.objects.create(name="a thing without rules"))
    mine = {"accounts.made-researcher", "accounts.name-changed", "accounts.email-changed"}
    assert set(shown_acts(signed_in_as(researcher))) == mine
    assert shown_acts(signed_in_as(stranger)) == ["accounts.name-changed"]


def test_history_shows_the_latest_entry_first(
    history_entry: History, stranger: Person, reviewer: Person, signed_in_as: As
) -> None:
    log_activity(stranger, "accounts.password-changed", stranger)
    shown = shown_acts(signed_in_as(reviewer))
    assert (shown[0], shown[-1]) == ("accounts.password-changed", "accounts.made-researcher")


def test_history_is_filtered_by_action_person_and_day(
    history_entry: History, researcher: Person, stranger: Person, reviewer: Person, signed_in_as: As
) -> None:
    now = timezone.now()
    log_activity(stranger, "accounts.password-changed", stranger, when=now - dt.timedelta(days=40))
    client = signed_in_as(reviewer)
    day = f"{now - dt.timedelta(days=20):%Y-%m-%d}"
    assert shown_acts(client, what="accounts.name-changed") == ["accounts.name-changed"]
    assert shown_acts(client, who=str(researcher.pk)) == ["accounts.name-changed"]
    assert shown_acts(client, until=day) == ["accounts.password-changed"]
    assert "accounts.password-changed" not in shown_acts(client, since=day)
    assert shown_acts(client, since=day, who=str(stranger.pk)) == []


def test_invalid_history_filter_is_named_and_breaks_nothing(
    history_entry: History, reviewer: Person, signed_in_as: As
) -> None:
    client = signed_in_as(reviewer)
    for name, value in (
        ("since", "yesterday"),
        ("what", "x"),
        ("who", "999999"),
        ("page", "-3"),
        ("who", "x"),
    ):
        response = client.get(PAGE, {name: value})
        assert response.status_code == 200
        assert ("There is a problem" in response.content.decode()) == (name != "page"), (name, value)


def test_history_filter_reveals_no_other_people(
    history_entry: History, stranger: Person, reviewer: Person, signed_in_as: As
) -> None:
    log_activity(reviewer, "accounts.password-changed", reviewer)
    page = signed_in_as(stranger).get(PAGE).content.decode()
    assert "Ruth" not in page


def test_history_pagination_keeps_the_filter(
    researcher: Person, stranger: Person, reviewer: Person, signed_in_as: As
) -> None:
    for _ in range(51):
        log_activity(researcher, "accounts.name-changed", stranger)
    client = signed_in_as(reviewer)
    first = client.get(PAGE, {"what": "accounts.name-changed"}).content.decode()
    assert "what=accounts.name-changed&amp;page=2" in first
    assert shown_acts(client, what="accounts.name-changed", page="2") == ["accounts.name-changed"]


def test_history_page_needs_as_many_queries_for_ten_entries_as_for_one(
    history_entry: History, researcher: Person, reviewer: Person, signed_in_as: As
) -> None:
    client = signed_in_as(reviewer)
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            client.get(PAGE)
        counts.append(len(queries))
        for _more in range(9):
            log_activity(researcher, "accounts.name-changed", reviewer)
    assert counts[0] == counts[1]
