"""A second wave begins with what changed, for whoever may read a report of both; everybody else is told nothing of it.

In the first survey 10 % of 500 people have stolen, in the second 60 % of 600; half are young in both.
"""

import io
import json
import re
from html import unescape
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from django.test import Client

from accounts.models import Person
from deposits import recompute_report
from intake.disclosure.models import Disclosure
from mining.parameters import Parameters
from privacy.designs import Design, parse_design
from privacy.designs.hypothesis_plan import Plan, parse_plan
from privacy.simulation.population import Independent, Population
from reports.models import Publication, Review
from reports.review import public_page_switch, report_state_changes
from reports.review.report_page_data import desk_page, published_page, readable_page
from runs import run_start
from surveys.models import Collaborator, Plan as PlanRow, Survey
from tests.cast import As, kept_row
from tests.deposits.conftest import FORM, files_of
from tests.privacy.questionnaires import HALF, plain, question, sensitive
from tests.reports import made
from tests.reports.conftest import page_text, reader
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page

WANTED = Parameters(min_support=0.3, min_confidence=0.5, max_size=2)
AGE = {"name": "age", "choices": ["young", "old"]}
RISEN = re.compile(
    r"Since the earlier round, at least \d\d percentage points more answered “Theft: Yes”, among 500 people then "
    r"and 600 now"
)
HYPOTHESES = [
    {"name": "H1", "kind": "change", "item": "theft=yes", "direction": "more"},
    {"name": "H2", "kind": "share", "item": "late=yes", "than": "0.1000"},
]
PLAN = parse_plan(json.dumps({"format": "candor-plan/1", "salt": "01" * 16, "hypotheses": HYPOTHESES}))


def asking(**more: Any) -> Design:
    """The age, and two sensitive questions."""
    sections = [plain(AGE), sensitive("0.7", question("theft", *HALF), question("late", *HALF))]
    said = {"format": "candor-design/1", "open_answers": False, "least": 50, "sections": sections}
    return parse_design(json.dumps({**said, **more}))


def survey(owner: Person, of: Design, n: int, share: float, plan: Plan | None = None) -> Survey:
    def make() -> Survey:
        made_survey = sealed.survey(owner, of, [])
        alike = Independent(((0.5, 0.5), (1 - share, share), (0.7, 0.3)))

        def people(design: Design, rng: np.random.Generator) -> sealed.People:
            return Population(alike).draw(design, n, rng)

        sealed.seal_people(made_survey, people)
        if plan:
            PlanRow.objects.create(survey=made_survey, json=plan.canonical)
        return made_survey

    return kept_row(("changed", owner.pk, of.fingerprint, n), make)


def review_of_mined_survey(of: Survey, owner: Person) -> Review:
    return made.waiting_review(sealed.mine_sealed(of, owner, WANTED))


@pytest.fixture
def earlier_review(owner: Person) -> Review:
    """A report that no reviewer has published yet."""
    return review_of_mined_survey(survey(owner, asking(title={"en": "First"}), 500, 0.1), owner)


@pytest.fixture
def later_review(earlier_review: Review, owner: Person, reviewer: Person) -> Review:
    """A published report of the survey that follows."""
    of = asking(title={"en": "Second"}, follows=earlier_review.survey.design_id)
    review = review_of_mined_survey(survey(owner, of, 600, 0.6), owner)
    made.publish(review, reviewer)
    return Review.objects.with_surveys().get(pk=review.pk)


@pytest.fixture
def planned_review(earlier_review: Review, owner: Person, reviewer: Person) -> Review:
    of = asking(title={"en": "Second"}, follows=earlier_review.survey.design_id, plan=PLAN.fingerprint)
    review = review_of_mined_survey(survey(owner, of, 600, 0.6, PLAN), owner)
    made.publish(review, reviewer)
    return Review.objects.with_surveys().get(pk=review.pk)


def headline(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page.partition("<h1>")[2].partition("</h1>")[0]))


def without_marks(text: str) -> str:
    return unescape(text).translate(dict.fromkeys([0x2060, *range(0x2066, 0x206A)])).replace("\u00a0", " ")


def mentions_earlier_round(text: str) -> bool:
    return "earlier round" in text


def files(review: Review, client: Client) -> dict[str, bytes]:
    return {kind: client.get(reader(f"files/{kind}", review)).content for kind in ("json", "csv", "excel")}


def test_change_is_shown_first_to_readers_of_both_reports(
    earlier_review: Review, later_review: Review, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    made.publish(earlier_review, reviewer)
    client = signed_in_as(owner)
    for address in (reader("", later_review), reader("print", later_review)):
        page = without_marks(client.get(address).text)
        assert RISEN.search(headline(page)), address
    for address in ("/app/account/home", "/app/surveys/"):
        assert RISEN.search(without_marks(re.sub(r"<[^>]+>", "", client.get(address).text))), address
    told = files(later_review, client)
    waves = json.loads(told["json"])["report"]["study"]["waves"]
    assert (waves["earlier"], waves["later"], waves["same_people"]) == (500, 600, True)
    about = json.loads(ZipFile(io.BytesIO(told["csv"])).read("about.json"))
    assert {"waves_difference", "waves_holm"} <= about["formulas"].keys()
    rows = {row["item"]: row for row in waves["items"]}
    assert list(rows) == ["age=young", "age=old", "theft=yes", "late=yes"]
    theft = rows["theft=yes"]
    shares = {share["items"][0]: share for share in json.loads(told["json"])["report"]["shares"]}
    before = {one.item: one.support for one in published_page(owner, earlier_review.pk).content.shares}
    assert theft["later"] == pytest.approx(shares["theft=yes"]["support"])
    assert theft["earlier"] == pytest.approx(before["theft=yes"])
    table = ZipFile(io.BytesIO(told["csv"])).read("waves.csv").decode("utf-8-sig").splitlines()
    assert table[0] == ("item,item_in_words,earlier,later,difference,low,high,p,holm,n_earlier,n_later,among")
    assert len(table) == 5
    assert "xl/worksheets/sheet4.xml" in ZipFile(io.BytesIO(told["excel"])).namelist()
    assert b'name="Data waves"' in ZipFile(io.BytesIO(told["excel"])).read("xl/workbook.xml")
    report_state_changes.withdraw(earlier_review, reviewer, "Wrong.", "http://localhost", NOW)
    assert not mentions_earlier_round(client.get(reader("", later_review)).text)
    assert desk_page(later_review, reviewer).earlier is None


def test_change_and_earlier_survey_are_hidden_from_others(
    earlier_review: Review,
    later_review: Review,
    owner: Person,
    reviewer: Person,
    stranger: Person,
    signed_in_as: As,
) -> None:
    """Before the earlier report is published, and of those who work on the later survey alone afterwards, too."""
    Collaborator.objects.create(survey=later_review.survey, person=stranger, may_edit=False)
    assert "study" not in Publication.objects.get(run=later_review.run_id).content
    for person in (owner, stranger):
        client = signed_in_as(person)
        assert not mentions_earlier_round(client.get(reader("", later_review)).text)
        assert "study" not in json.loads(files(later_review, client)["json"])["report"]
    made.publish(earlier_review, reviewer)
    client = signed_in_as(stranger)
    for address in (
        reader("", later_review),
        reader("print", later_review),
        "/app/account/home",
        "/app/surveys/",
    ):
        assert not mentions_earlier_round(client.get(address).text), address
    told = files(later_review, client)
    assert "study" not in json.loads(told["json"])["report"]
    assert "waves.csv" not in ZipFile(io.BytesIO(told["csv"])).namelist()
    assert "There is nothing to compare with" in page_text(client, reader("study", later_review))


def test_a_reviewer_reads_it_before_the_earlier_report_is_published_but_in_no_file(
    earlier_review: Review, later_review: Review, reviewer: Person, signed_in_as: As
) -> None:
    page = readable_page(later_review, reviewer)
    assert page
    assert page.content.study.waves
    assert RISEN.search(headline(without_marks(signed_in_as(reviewer).get(reader("", later_review)).text)))
    assert published_page(reviewer, later_review.pk).content.study.waves is None


def test_the_level_of_the_front_and_the_run_do_not_depend_on_the_earlier_report(
    earlier_review: Review, later_review: Review, owner: Person, reviewer: Person
) -> None:
    """Age in two answers, theft and late: m is 4, in a run before and after the publication."""
    assert later_review.run.findings["statements"]["changes"] == 4
    made.publish(earlier_review, reviewer)
    again = sealed.work(run_start.repeat_run(later_review.run, owner, NOW))
    assert again.digest == later_review.run.digest
    # .05 over pairs, groups and changes, and over the four: 2.87 standard errors.
    page = readable_page(later_review, owner)
    assert page
    families = [many for many in page.about.statements.values() if many]
    assert len(families) == 3
    rows = {one.item: one for one in page.content.study.waves.items} if page.content.study.waves else {}
    width = {item: (one.high or 0) - (one.low or 0) for item, one in rows.items()}
    # What stands on the front has its interval in the table, too: 2.87 in place of 1.96.
    assert width["theft=yes"] > 1.35 * width["late=yes"]


def test_the_public_page_tells_it_where_everybody_reads_the_earlier_report(
    earlier_review: Review, later_review: Review, owner: Person, reviewer: Person
) -> None:
    def page() -> str:
        token = Review.objects.get(pk=later_review.pk).public_token
        return without_marks(Client().get(f"/public/{token}?lang=en").text)

    made.publish(earlier_review, reviewer)
    public_page_switch.open_page(later_review, owner, NOW)
    assert not mentions_earlier_round(page())
    public_page_switch.open_page(earlier_review, owner, NOW)
    assert RISEN.search(headline(page()))
    assert RISEN.search(page().partition('property="og:title"')[2][:400])
    public_page_switch.close_page(earlier_review, owner, NOW)
    assert not mentions_earlier_round(page())


def test_a_deposit_tells_it_where_its_owner_may_share_both_reports(
    earlier_review: Review, later_review: Review, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    made.publish(earlier_review, reviewer)
    files = files_of(signed_in_as(owner).post(f"/app/reports/{later_review.pk}/deposit", FORM))
    assert json.loads(files["report.json"])["report"]["study"]["waves"]
    assert b"theft=yes" in files["tables/waves.csv"]


def test_who_only_reads_the_earlier_report_cannot_give_it_away_by_a_deposit(
    owner: Person, viewer: Person, reviewer: Person, signed_in_as: As
) -> None:
    """The world reads a deposit, so the earlier report must have a public page."""
    first = review_of_mined_survey(survey(viewer, asking(title={"en": "Of others"}), 500, 0.1), viewer)
    Collaborator.objects.create(survey=first.survey, person=owner, may_edit=False)
    of = asking(title={"en": "Second"}, follows=first.survey.design_id)
    second = review_of_mined_survey(survey(owner, of, 600, 0.6), owner)
    for review in (first, second):
        made.publish(review, reviewer)

    def deposited_report() -> dict[str, Any]:
        content = files_of(signed_in_as(owner).post(f"/app/reports/{second.pk}/deposit", FORM))
        return dict(json.loads(content["report.json"])["report"])

    assert mentions_earlier_round(signed_in_as(owner).get(reader("", second)).text)
    assert "study" not in deposited_report()
    public_page_switch.open_page(Review.objects.with_surveys().get(pk=first.pk), viewer, NOW)
    assert deposited_report()["study"]["waves"]


def test_change_report_is_recomputed_from_other_numbers(
    earlier_review: Review, later_review: Review, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    made.publish(earlier_review, reviewer)
    document = json.loads(files(later_review, signed_in_as(owner))["json"])
    computed = dict(recompute_report._derive_numbers(document, later_review.run.mined_design))
    items = document["report"]["study"]["waves"]["items"]
    for index, item in enumerate(items):
        path = ("report", "study", "waves", "items", index)
        assert computed[(*path, "difference")] == pytest.approx(item["difference"])
        assert computed[(*path, "holm")] == pytest.approx(item["holm"])
    for name in ("low", "p", "n_earlier"):
        assert ("report", "study", "waves", "items", 0, name) not in computed


def test_a_planned_change_is_tested_in_the_plan_once_both_reports_may_be_read(
    earlier_review: Review, planned_review: Review, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    stored = planned_review.run.findings["plan"]["hypotheses"]
    assert [one.get("withheld", False) for one in stored] == [True, False]
    # m counts what the plan does not name.
    assert planned_review.run.findings["statements"]["changes"] == 3
    page = page_text(client, reader("study", planned_review))
    assert "needs the share of this answer in a report of the earlier survey that you may read" in page
    assert "Met: 1" in page
    # What is not told counts as p = 1, so the smaller p of two is doubled.
    assert stored[1]["holm"] == pytest.approx(2 * stored[1]["p"])
    made.publish(earlier_review, reviewer)
    known = readable_page(planned_review, owner)
    assert known
    assert known.content.study.plan
    assert known.content.study.waves
    change, other = known.content.study.plan.hypotheses
    row = next(one for one in known.content.study.waves.items if one.item == "theft=yes")
    assert (change.estimate, change.low, change.high, change.p) == (row.difference, row.low, row.high, row.p)
    assert (change.met, row.holm) == (True, None)
    # Now the smaller of both, and no adjusted one is below it.
    smaller, larger = sorted((change.p or 0, other.p or 0))
    holm = [2 * smaller, max(2 * smaller, larger)]
    assert sorted((change.holm, other.holm)) == pytest.approx(holm)
    said = without_marks(client.get(reader("", planned_review)).text)
    # What was planned was not chosen among many: its estimate stands first.
    planned_words = (
        r"Since the earlier round, \d\d percentage points \(\d\d–\d\d\) more answered “Theft: Yes”"
    )
    assert re.search(planned_words, headline(said))
    assert (
        "Planned before the survey opened: More answered “Theft: Yes” than in the earlier round. Met;"
        in re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", said))
    )
    assert "A change since the earlier survey is met where its interval lies" in page_text(
        client, reader("study", planned_review)
    )


def test_a_report_of_a_survey_that_follows_none_says_nothing_of_changes(
    earlier_review: Review, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    made.publish(earlier_review, reviewer)
    assert "changes" not in earlier_review.run.findings["statements"]
    page = signed_in_as(owner).get(reader("", earlier_review)).text
    assert not mentions_earlier_round(page)
    assert desk_page(earlier_review, reviewer).earlier is None
    assert Disclosure.objects.filter(survey=earlier_review.survey).count() == 1
