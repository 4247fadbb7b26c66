"""What superusers, reviewers and nobody else see under /admin/, in the bracketed language."""

from typing import Any

import pytest

from jobs.models import Lease, Worker
from people import roles
from people.models import REVIEWERS, Person
from tests import bracketed
from tests.config.walk import NOW, PASSWORD, Walk

pytestmark = pytest.mark.slow


def test_no_word_was_forgotten_at_the_reviewers_desk(walk: Walk) -> None:
    review = walk.report()
    reviewer = Person.objects.create_user("008", "8@1.23", PASSWORD, name="0 0 8")
    roles.give(reviewer, REVIEWERS, by=None)
    walk.client.force_login(reviewer)

    def desk(page: str, *more: int, **data: str) -> Any:
        route = f"admin:reports_review_{page}"
        return walk.post(route, review.pk, *more, **data) if data else walk.get(route, review.pk, *more)

    pages = ("shares", "groups", "itemsets", "rules", "pictures", "publish", "withdraw")
    answers = [desk(page) for page in pages]
    answers += [desk("decide", which="0"), desk("decide_one", 1, verdict="reject"), desk("rule", 1)]
    answers += [
        desk("backtest", do="1"),
        desk("publish", groups="1"),
        desk("publish"),
        desk("withdraw", reason=""),
    ]
    answers += [desk("withdraw", reason="1"), desk("rules"), walk.get("reports:shares", review.pk)]
    for answer in answers:
        assert answer.status_code == 200
        assert bracketed.forgotten(answer.content.decode()) == []


def test_no_word_was_forgotten_of_places_at_the_reviewers_desk(walk: Walk) -> None:
    review = walk.placed()
    reviewer = Person.objects.create_user("008", "8@1.23", PASSWORD, name="0 0 8")
    roles.give(reviewer, REVIEWERS, by=None)
    walk.client.force_login(reviewer)
    for page in ("places", "groups", "publish"):
        answer = walk.get(f"admin:reports_review_{page}", review.pk)
        assert answer.status_code == 200
        assert bracketed.forgotten(answer.content.decode()) == []


# How Django's own templates call three of their pictures, in every language.
DJANGOS = {"Search", "True", "False"}


def read(answers: list[Any]) -> None:
    """Each is a page, in the bracketed language and with no bare word in it."""
    for answer in answers:
        where = f"{answer.wsgi_request.path} ({answer.status_code})"
        assert answer.status_code == 200, where
        assert answer["Content-Language"] == "xx"
        assert set(bracketed.forgotten(answer.content.decode())) <= DJANGOS, where


def test_no_word_was_forgotten_where_people_are_created(walk: Walk) -> None:
    walk.staff.set_unusable_password()  # or its hash would be shown, which is no language
    walk.staff.save()
    walk.as_staff()
    invited = Person.objects.create_user("008", "8@1.23", name="0 0 8")
    new = {"username": "009", "language": "xx"}
    many = {"action": "invite", "_selected_action": str(walk.staff.pk), "index": "0"}
    read(
        [
            walk.get("admin:index"),
            walk.get("admin:people_person_changelist", role="Researchers", q="7"),
            walk.get("admin:people_person_add"),
            walk.post("admin:people_person_add"),
            walk.post("admin:people_person_add", **new),
            walk.post("admin:people_person_add", **new, password1="1", password2="2"),
            walk.post("admin:people_person_add", **new, email="9@[192.0.2.1]"),
            walk.get("admin:people_person_change", invited.pk),
            walk.get("admin:people_person_change", walk.staff.pk),
            walk.post("admin:people_person_change", invited.pk, username="007", email="1"),
            walk.get("admin:people_person_history", invited.pk),
            walk.get("admin:auth_user_password_change", invited.pk),
            walk.post("admin:auth_user_password_change", invited.pk, password1="1", password2="2"),
            walk.post("admin:people_person_changelist", **many),
            walk.post("admin:people_person_changelist", **{**many, "_selected_action": str(invited.pk)}),
        ]
    )


def test_no_word_was_forgotten_where_reviewers_look_at_people(walk: Walk) -> None:
    reviewer = Person.objects.create_user("008", "8@1.23", PASSWORD, name="0 0 8")
    roles.give(reviewer, REVIEWERS, by=None)
    walk.client.force_login(reviewer)
    read(
        [
            walk.get("admin:index"),
            walk.get("admin:app_list", "people"),
            walk.get("admin:people_person_changelist"),
            walk.get("admin:people_person_change", walk.staff.pk),
        ]
    )


def test_no_word_was_forgotten_where_background_work_is_looked_at(walk: Walk) -> None:
    worker = Worker.objects.create(name="1", heard=NOW, warm=True)
    lease = Lease.objects.create(name="1", holder="1", until=NOW)
    walk.as_staff()
    shown = [walk.get("admin:jobs_trial_change", pk) for pk in walk.trials()]
    shown += [walk.get(f"admin:jobs_{kind}_changelist") for kind in ("worker", "lease", "trial")]
    shown += [
        walk.get("admin:jobs_trial_changelist", state__exact="done"),
        walk.get("admin:app_list", "jobs"),
    ]
    shown += [walk.get("admin:jobs_worker_change", worker.pk), walk.get("admin:jobs_lease_change", lease.pk)]
    read(shown)
