"""Who understood the disguise: on the study page, among the first findings, published, withheld and in files."""

import re
from collections.abc import Callable
from html import unescape

import numpy as np
import pytest
from django.db.models import QuerySet
from django.test import Client
from django.utils import translation

from accounts.models import Person
from intake.disclosure.models import Disclosure, DisclosureKind
from intake.models import Batch
from mining.parameters import Parameters
from privacy.records.batch_bit_columns import pack_batch
from privacy.simulation.disguise import disguise
from reports.models import Review
from reports.pages.report_document import ReportDocument
from reports.review import report_state_changes
from reports.review.report_page_data import ReportPage
from runs.models import Run
from tests.cast import kept_row
from tests.privacy.questionnaires import HALF, UNDERSTOOD, crosswise, design, plain, question, sensitive
from tests.reports import made
from tests.reports.conftest import desk_page, from_csv, from_json, page_text, reader
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page

SURVEY = design(
    plain({"name": "age", "choices": ["young", "old"]}),
    sensitive("0.8", question("theft", *HALF)),
    crosswise("lie", "0.05", secret={"en": "Were you born on a Sunday in May?"}, show_if={"age": ["old"]}),
    UNDERSTOOD,
    open_answers=False,
    least=100,
    understanding=True,
)
AT_ONCE, EXPLAINED, NOT = 600, 250, 150
PARAMETERS = Parameters(min_support=0.3, min_confidence=0.5, max_size=2)
Mine = Callable[..., Run]


@pytest.fixture
def mine(owner: Person) -> Mine:
    """A run over people who understood so; of those who did 1 in 10 stole, of the others 6 in 10."""

    def run(at_once: int = AT_ONCE, explained: int = EXPLAINED, others: int = NOT) -> Run:
        def make() -> Run:
            survey = sealed.survey(owner, SURVEY, [])
            rng = np.random.default_rng(3)
            check = np.repeat([0, 1, 2], [at_once, explained, others])
            n = len(check)
            theft = rng.random(n) < np.where(check == 2, 0.6, 0.1)
            age = np.arange(n) % 2
            lie = np.where(age == 1, rng.random(n) < 0.3, SURVEY.questions[2].true_hidden_code)
            group = np.ones(n, np.uint8)
            codes = disguise(SURVEY, group, np.array([age, theft, lie, check], np.uint8), rng)
            columns = pack_batch(SURVEY, group, codes)
            Batch.objects.create(survey=survey, first=1, last=1, n=n, columns=columns)
            done = sealed.mine_sealed(survey, owner, PARAMETERS)
            report_state_changes.create_reviews_of_finished_runs(NOW)
            return done

        return kept_row(("understood", at_once, explained, others), make, is_computed=True)

    return run


def block(page: str) -> str:
    start = page.index("Did they understand?")
    return page[start : page.index("</main>", start)]


def page_of(client: Client, address: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", block(client.get(address).content.decode()))).split())


def test_the_pages_say_how_many_understood_and_whether_answers_differ(mine: Mine, judging: Client) -> None:
    # The study page says how many understood and of crosswise questions apart.
    run = mine()
    said = page_of(judging, desk_page("study"))
    understood = "85 % (83–87) understood how their answers are protected, at once or after an explanation."
    assert understood in said.replace("\u2060", "")
    # 600, 250 and 150 of 1,000; the crosswise question was shown to every second person.
    shares = r"60.0? % .* {} 25.0? % .* {} 15.0? % .* {}"
    assert re.search(f"All whose answers are disguised 1,000 {shares.format(600, 250, 150)}", said)
    assert re.search(f"Asked in a pair: Lie 500 {shares.format(300, 125, 75)}", said)
    # No plan names such a difference.
    assert "that of a difference which stands among the findings on the first page" in said
    # It says whether answers differ and crosswise answers stand apart.
    first, pairs = said.split("Answers asked in pairs")
    less = r"understood, at least \d+ percentage points fewer answered “\W?Theft: Yes\W?” than of the others"
    assert re.search(less, first)
    assert "Lie" not in first.split("Do their answers differ?")[1]
    assert "It is not shown that people who understood answer" in pairs
    theft, lie = run.findings["understanding"]["items"]
    assert (theft["n_understood"], theft["n_not"], lie["n_understood"], lie["n_not"]) == (850, 150, 425, 75)
    assert theft["holm"] < 0.001
    assert lie["holm"] == lie["p"]
    assert (lie["crosswise"], theft["crosswise"]) == (True, False)
    # It is among the first findings.
    said = page_text(judging, desk_page("report"))
    assert "Of people who understood," in said
    # The check is no question of the survey.
    assert "questions not disguised: 1, sensitive: 2" in said
    # How many understood is no comparison, and has its page.
    assert "understood how their answers are protected" not in said


def test_the_finding_is_said_in_the_language_of_the_page(mine: Mine) -> None:
    mine()
    for language in ("en", "zh-hans"):
        page = ReportDocument(ReportPage(Review.objects.get(), whole=True), language).page()
        with translation.override(language):
            words = translation.gettext(
                "Of people who understood, %(difference)s %(did)s than of the others."
            )
        assert (language == "en") == words.startswith("Of people who understood")
        assert max(re.split(r"%\(\w+\)s", words), key=len).strip() in unescape(page), language


def test_a_reader_gets_what_was_published(mine: Mine, reviewer: Person, reading: Client) -> None:
    mine()
    made.publish(Review.objects.get(), reviewer)
    assert "Of people who understood," in page_of(reading, reader("study"))
    study = from_json(reading)["report"]["study"]
    assert [one["having"] for one in study["understanding"]["counts"][0]["shares"]] == [600, 250, 150]
    disclosed: Disclosure = QuerySet(Disclosure).get(door=DisclosureKind.REPORT)
    # The check alone and beside the question that shows the crosswise one.
    assert {(3,), (0, 3)} <= set(map(tuple, disclosed.tables["told"]))
    # Files have a table of counts and one of differences.
    counts = from_csv(reading, "understanding")
    first = [[one[name] for name in ("question", "item", "having")] for one in counts[:2]]
    assert first == [["", "understood=at-once", "600"], ["", "understood=explained", "250"]]
    assert [one["question"] for one in counts] == [""] * 3 + ["lie"] * 3
    differences = from_csv(reading, "understanding_differences")
    assert [one["item"] for one in differences] == ["theft=yes", "lie=yes"]
    assert float(differences[0]["difference"]) < -0.3


def test_small_understanding_classes_are_withheld(
    mine: Mine, reviewer: Person, reading: Client, judging: Client
) -> None:
    ten = made.published_content(mine(700, 290, 10)).study.understanding
    assert ten
    assert [one.having for one in ten.all_disguised_counts.shares] == [700, 290, 10]

    run = mine(700, 291, 9)
    review = made.waiting_review(run)
    left_out = unescape(page_text(judging, desk_page("publish", review)))
    assert "Understood: explained, not" in left_out.split("Not looked at")[1]
    made.publish(review, reviewer)
    found = from_json(reading, review)["report"]["study"]["understanding"]
    # The smallest goes, and the next smallest with it, so that no subtraction gives it back.
    assert [one["having"] for one in found["counts"][0]["shares"]] == [700, None, None]
    assert found["items"] == []
    said = page_of(reading, reader("study", review))
    assert "Too few people, or a group of fewer than 10, so nothing is said of all of them." in said
    assert "291" not in said


def test_a_run_without_the_check_says_nothing_of_it(owner: Person) -> None:
    run = sealed.mine_sealed(sealed.survey(owner, sealed.small_design(), [300]), owner, PARAMETERS)
    assert "understanding" not in run.findings
