"""What was used, destroyed or brought forward after a backup stays so, whatever is restored where."""

from dataclasses import dataclass, field, replace

import pytest

from tests.config.backup.conftest import Instance, Make, hashes, read_files, take_list, values_in_content

pytestmark = pytest.mark.server

BOTH = pytest.mark.parametrize(
    "make", ["sqlite", pytest.param("postgresql", marks=pytest.mark.night)], indirect=True
)
"""What is remembered is the same of either database; test_restoring restores on PostgreSQL at each push."""
SQLITE = pytest.mark.parametrize("make", ["sqlite"], indirect=True)

LINKS = "from accounts import password_links\nfrom django.contrib.auth.tokens import default_token_generator"
OPEN = f"""
{LINKS}
from tests.config.backup.conftest import TELLTALE, answer
today = timezone.localdate()
owner = Person.objects.create_user("owner", "owner@example.org", "a-long-password")
invited = Person(username="invited", email="invited@example.org")
invited.set_unusable_password()
invited.save()
survey = asked.survey(TELLTALE, invited=True)
tokens = create_tokens(survey, 100)
days = {{"doomed": 900, "nearer": 900, "kept": 900, "overdue": -1}}
rows = {{name: asked.survey(TELLTALE, destroy_on=today + timedelta(days=n)).pk for name, n in days.items()}}
answers = {{name: answer(Survey.objects.get(pk=pk), 25) for name, pk in rows.items()}}
rows["draft"] = Survey.objects.create(owner=owner, draft={{"title": {{"en": "A draft"}}}}).pk
links = [password_links.invitations.make_token(invited), default_token_generator.make_token(owner)]
"""
ANSWER = """
from secrets import randbelow
survey = Survey.objects.get(pk={survey})
asks = survey.design.content
sent = [asked.envelope(asks, randbelow(8**asks.width), token=token) for token in {tokens!r}]
statuses = [asked.post(survey, each).status_code for each in sent]
"""
LATE = "late = Survey.objects.create(owner=Person.objects.get(username='owner'))"
NEXT = f"""
with transaction.atomic():
    {LATE}
    number = late.pk
    transaction.set_rollback(True)
"""
SPENT = "from config.backup.irreversible_changes import read_irreversible_changes"
END = """
from surveys.questionnaire.closing_settings import EndSettings
now = timezone.now()
doomed, nearer, draft = (Survey.objects.get(pk=pk) for pk in ({doomed}, {nearer}, {draft}))
lifecycle.close_survey(doomed, None, now)
lifecycle.destroy_survey(doomed, None, now)
lifecycle.destroy_survey(draft, None, now)
terms = EndSettings(nearer.closes, nearer.cap, timezone.localdate(now) + timedelta(days=30))
lifecycle.change_end_settings(nearer, nearer.owner, terms, nearer.end_settings.digest, now)
for username in ("owner", "invited"):
    person = Person.objects.get(username=username)
    person.set_password("another-long-password")
    person.save()
"""
FOUND = """
{imports}
from intake.models import Batch, Inbox
rows, (invitation, reset) = {rows!r}, {links!r}
by_name = {{name: Survey.objects.get(pk=pk) for name, pk in rows.items()}}
owner, invited = (Person.objects.get(username=name) for name in ("owner", "invited"))
found = {{
    "states": {{name: survey.state for name, survey in by_name.items()}},
    "left": [name for name, survey in by_name.items() if any(
        table.objects.filter(survey=survey).exists() for table in (Batch, FreshKey, Inbox, SeenKeys))],
    "nearer": (by_name["nearer"].destroy_on - by_name["kept"].destroy_on).days,
    "links": [password_links.invitations.check_token(invited, invitation),
              default_token_generator.check_token(owner, reset)],
    "password": owner.check_password("a-long-password"),
}}
"""
TELL = """
from intake.disclosure import ledger
from intake.disclosure.models import DisclosureKind
survey = Survey.objects.get(pk={survey})
key = f"run {{ledger.next_ledger_number(survey)}}"
row = ledger.ProposedDisclosure(DisclosureKind.REPORT, key, "Run", 0, "disguised")
ledger.write_disclosure(survey, row, None, timezone.now())
"""
TICK = "from config.backup import irreversible_changes\nirreversible_changes.on_tick(timezone.now())"


def state_query(survey: int) -> str:
    return f"list(Survey.objects.filter(pk={survey}).values_list('state', flat=True))"


@dataclass
class Asked:
    """An instance in which people answer by invitation, and surveys that will not live as long.

    `doomed` are the records of one of these, `sent` what people sent by invitation, as records lie in the inbox.
    """

    home: Instance
    survey: int
    tokens: list[str]
    rows: dict[str, int]
    links: list[str]
    doomed: list[str]
    sent: list[str] = field(default_factory=list)

    def answer(self, tokens: list[str], on: Instance | None = None) -> list[int]:
        program = ANSWER.format(survey=self.survey, tokens=tokens)
        records = "['1' + each.record.answers for each in sent]"
        statuses, sent = (on or self.home).shell(program, f"[statuses, {records}]")
        self.sent += sent
        return list(statuses)

    def end_requests(self) -> None:
        self.home.shell(END.format(**self.rows))

    def make_late_survey(self, tokens: int = 0) -> tuple[list[str], int]:
        """A survey that no earlier backup knows, and so many more invitations to the one that people answer."""
        more = f"create_tokens(Survey.objects.get(pk={self.survey}), {tokens})" if tokens else "[]"
        invitations, late = self.home.shell(LATE, f"[{more}, late.pk]")
        return invitations, late

    def what_is_found(self, on: Instance | None = None) -> dict[str, object]:
        program = FOUND.format(imports=LINKS, rows=self.rows, links=self.links)
        found: dict[str, object] = (on or self.home).shell(program, "found")
        return found


@pytest.fixture(scope="module")
def sent_survey(make: Make) -> Asked:
    """The one that every test has a copy of."""
    home = make(migrated=True)
    return Asked(home, *home.shell(OPEN, "[survey.pk, tokens, rows, links, answers['doomed']]"))


@pytest.fixture
def copy_of_survey(make: Make, sent_survey: Asked) -> Asked:
    return replace(sent_survey, home=make(copy_of=sent_survey.home), sent=[])


AFTER = {
    "states": dict.fromkeys(["nearer", "kept"], "open")
    | dict.fromkeys(["doomed", "overdue", "draft"], "destroyed"),
    "left": ["nearer", "kept"],
    "nearer": 30 - 900,
    "links": [False, False],
    "password": True,
}


@pytest.mark.night
def test_restore_over_a_live_database_revives_nothing_deleted(
    copy_of_survey: Asked, request: pytest.FixtureRequest
) -> None:
    """Nor where the wrong backup is restored before the right one: what happened after the newer one is known, although
    the older one knows nothing of the invitations and the survey that were made in between."""
    assert set(copy_of_survey.answer(copy_of_survey.tokens[:3])) == {201}
    older = copy_of_survey.home.back_up("older")
    made_later, late = copy_of_survey.make_late_survey(tokens=10)
    assert set(copy_of_survey.answer([*copy_of_survey.tokens[3:45], *made_later[:2]])) == {201}
    newer = copy_of_survey.home.back_up("newer")
    # 40 are sealed in two turns, the last ones wait; all are used.
    assert set(copy_of_survey.answer([*copy_of_survey.tokens[45:50], *made_later[2:4]])) == {201}
    copy_of_survey.end_requests()
    copy_of_survey.home.shell(
        f"lifecycle.destroy_survey(Survey.objects.get(pk={late}), None, timezone.now())"
    )
    done = copy_of_survey.home.restore(older, "--replace", "--yes")
    assert done.json["used_invitations"] == 47
    assert done.json["void_invitations"] == 0
    gone = sorted(copy_of_survey.rows[name] for name in ("doomed", "overdue", "draft"))
    assert sorted(done.json["destroyed"]) == gone
    assert done.json["older"]["surveys"][0] == {
        "number": copy_of_survey.survey,
        "title": "",
        "records": [3, 54],
    }
    assert copy_of_survey.what_is_found() == AFTER
    content = read_files(copy_of_survey.home, request)
    waiting, since = copy_of_survey.sent[:3], copy_of_survey.sent[3:]
    assert values_in_content(content, waiting) == waiting
    assert values_in_content(content, copy_of_survey.doomed + since) == []
    assert (
        values_in_content(
            content,
            hashes(copy_of_survey.home, copy_of_survey.survey, copy_of_survey.tokens[3:50] + made_later),
        )
        == []
    )
    assert set(copy_of_survey.answer([*copy_of_survey.tokens[:50], *made_later])) == {403}
    assert set(copy_of_survey.answer(copy_of_survey.tokens[50:60])) == {201}
    assert copy_of_survey.home.shell("", state_query(late)) == []
    # The number that it had is not given again.
    assert copy_of_survey.home.shell(NEXT, "number") == late + 1
    copy_of_survey.home.restore(newer, "--replace", "--yes")
    assert copy_of_survey.home.shell("", state_query(late)) == ["destroyed"]
    assert copy_of_survey.what_is_found() == AFTER
    assert set(copy_of_survey.answer([*copy_of_survey.tokens[:60], *made_later[:4]])) == {403}
    assert set(copy_of_survey.answer([*copy_of_survey.tokens[60:], *made_later[4:]])) == {201}


@BOTH
def test_list_of_deletions_prevents_revival_on_a_new_machine(
    copy_of_survey: Asked, make: Make, request: pytest.FixtureRequest
) -> None:
    assert set(copy_of_survey.answer(copy_of_survey.tokens[:5])) == {201}
    path = copy_of_survey.home.back_up()
    used = copy_of_survey.tokens[5:55]
    assert set(copy_of_survey.answer(used)) == {201}
    copy_of_survey.end_requests()
    copy_of_survey.home.shell(TELL.format(survey=copy_of_survey.survey) + TICK)
    new = make()
    done = new.restore(path, "--list", str(take_list(copy_of_survey.home, new)))
    assert copy_of_survey.what_is_found(new) == AFTER
    assert done.json["complete"] is True
    assert done.json["told_since"] == [copy_of_survey.survey]
    content = read_files(new, request)
    assert values_in_content(content, copy_of_survey.sent[:5]) == copy_of_survey.sent[:5]
    assert values_in_content(content, copy_of_survey.doomed) == []
    # Fifty people had answered at the last sealing. What was used since waited when the disk was lost, is nowhere, and
    # may be sent again.
    links = hashes(new, copy_of_survey.survey, used)
    assert values_in_content(content, links) == links[45:]
    assert done.json["used_invitations"] == 45
    assert copy_of_survey.answer(copy_of_survey.tokens, new) == [403] * 50 + [201] * 50


@pytest.mark.night
@pytest.mark.parametrize("make", ["postgresql"], indirect=True)
def test_restore_without_the_list_is_refused_unless_invitations_are_left_out(
    copy_of_survey: Asked, make: Make
) -> None:
    path = copy_of_survey.home.back_up()
    assert set(copy_of_survey.answer(copy_of_survey.tokens[:50])) == {201}
    copy_of_survey.end_requests()
    new = make()
    assert "--list" in new.refusal_of_restore(path)
    done = new.restore(path, "--without-list")
    assert done.json["complete"] is False
    assert done.json["void_invitations"] == 100
    for name in ("doomed", "nearer", "draft"):
        assert f"survey {copy_of_survey.rows[name]} " in done.said
    assert set(copy_of_survey.answer(copy_of_survey.tokens, new)) == {403}
    found = copy_of_survey.what_is_found(new)
    assert found["states"] == AFTER["states"] | {"doomed": "open", "draft": "draft"}  # type: ignore[operator]
    # Nor do they come back with the next restore, which finds out that nothing is complete for this backup, and takes
    # all of them for used.
    assert "--list" in new.refusal_of_restore(path, "--replace", "--yes")
    assert new.shell(SPENT, "len(read_irreversible_changes().all_spent_digests)") == 100


@SQLITE
def test_list_older_than_the_backup_counts_as_incomplete(copy_of_survey: Asked, make: Make) -> None:
    copy_of_survey.home.back_up("earlier")
    new = make()
    early = take_list(copy_of_survey.home, new)
    later = copy_of_survey.home.back_up("later")
    assert "--without-list" in new.refusal_of_restore(later, "--list", str(early))
    done = new.run_command(
        "restore", str(later), "--list", str(take_list(copy_of_survey.home, new)), "--check"
    )
    assert done.json["complete"] is True


# --- epochs of submission keys

EPOCHS = """
from unittest.mock import patch
asks = asked.design(least=20)
survey, sent = asked.survey(asks), []
for days in (100, 0):
    now = timezone.now() - timedelta(days=days)
    with patch.object(timezone, "now", lambda: now):
        sent.append([asked.envelope(asks) for _ in range(60)])
        assert {asked.post(survey, each).status_code for each in sent[-1]} == {201}
"""
AGAIN = """
survey = Survey.objects.get(pk={survey})
words = [sorted({{asked.post(survey, body).json()["outcome"] for body in some}}) for some in {sent!r}]
rows = {{*SeenKeys.objects.values_list("epoch", flat=True), *FreshKey.objects.values_list("epoch", flat=True)}}
"""
DROP = """
from intake.batches import seen_keys
from intake.endpoint.epochs import epoch_at
seen_keys.delete_keys_before_epoch({survey}, epoch_at(timezone.now()) + 1)
"""


@BOTH
def test_restore_brings_back_epochs_except_due_or_dropped_ones(make: Make) -> None:
    """Of the two numbers of what was dropped, in the backup and in what it replaces, the later one stands."""
    home = make(migrated=True)
    survey, sent = home.shell(EPOCHS, "[survey.pk, [[each.json for each in some] for some in sent]]")
    again = AGAIN.format(survey=survey, sent=sent), "[words, len(rows)]"
    before = home.back_up()
    assert home.restore(before, "--replace", "--yes").json["rows"] > 0
    assert home.shell(*again) == [[["too old"], ["already stored"]], 1]
    home.shell(DROP.format(survey=survey))
    home.restore(before, "--replace", "--yes")
    assert home.shell(*again) == [[["too old"], ["too old"]], 0]


# --- what was told


def is_missing_rows(instance: Instance, survey: int) -> bool:
    missing = f"ledger.is_missing_rows(Survey.objects.get(pk={survey}))"
    return bool(instance.shell("from intake.disclosure import ledger", missing))


@pytest.mark.night
@pytest.mark.parametrize("make", ["sqlite", "postgresql"], indirect=True)
def test_ledger_missing_later_disclosures_says_so_after_every_restore(
    copy_of_survey: Asked, make: Make
) -> None:
    """At each push test_list_of_deletions_prevents_revival_on_a_new_machine asks what was told since."""
    before = copy_of_survey.home.back_up()
    copy_of_survey.home.shell(TELL.format(survey=copy_of_survey.survey))
    after = copy_of_survey.home.back_up("after")
    new = make()
    done = new.restore(before, "--list", str(take_list(copy_of_survey.home, new)))
    assert done.json["told_since"] == [copy_of_survey.survey]
    assert is_missing_rows(new, copy_of_survey.survey)
    assert new.restore(before, "--replace", "--yes").json["told_since"] == [copy_of_survey.survey]
    assert copy_of_survey.home.restore(after, "--replace", "--yes").json["told_since"] == []
    assert not is_missing_rows(copy_of_survey.home, copy_of_survey.survey)


@pytest.mark.night
@SQLITE
def test_restore_remembers_what_an_earlier_restore_lost(copy_of_survey: Asked) -> None:
    """Of two things told, the first backup holds none and the second one; a third is told between both restores."""
    home, tell = copy_of_survey.home, TELL.format(survey=copy_of_survey.survey)
    none = home.back_up("none")
    home.shell(tell)
    one = home.back_up("one")
    home.shell(tell)
    for path in (none, one):
        assert home.restore(path, "--replace", "--yes").json["told_since"] == [copy_of_survey.survey]
    home.shell(tell)
    for path in (one, none):
        assert home.restore(path, "--replace", "--yes").json["told_since"] == [copy_of_survey.survey]


@pytest.mark.night
@SQLITE
def test_disclosures_of_a_survey_newer_than_the_backup_are_known_after_a_restore(
    copy_of_survey: Asked, make: Make
) -> None:
    older = copy_of_survey.home.back_up("older")
    _tokens, late = copy_of_survey.make_late_survey()
    newer = copy_of_survey.home.back_up("newer")
    copy_of_survey.home.shell(TELL.format(survey=late))
    copy_of_survey.home.shell(TICK)
    new = make()
    new.restore(older, "--list", str(take_list(copy_of_survey.home, new)))
    for on in (new, copy_of_survey.home):
        on.restore(older, "--replace", "--yes")
        assert on.restore(newer, "--replace", "--yes").json["told_since"] == [late]
