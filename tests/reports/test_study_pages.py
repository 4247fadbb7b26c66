"""The pages of a study: the plan, the arms and the control items, for reviewers and, once published, for readers."""

import json
import re
from collections.abc import Callable
from html import unescape

import pytest
from django.test import Client

from accounts.models import Person
from mining.parameters import Parameters
from mining.report.study_nodes import HypothesisResult
from privacy.designs import parse
from reports.answer_labels import Labels
from reports.models import Review
from reports.review import publishing
from reports.texts import hypothesis_texts, report_facts
from runs.models import Run
from surveys.models import Survey
from tests.reports import made
from tests.reports.paged import desk, reader, shown
from tests.runs import sealed, working
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page

Start = Callable[[Survey], Run]


@pytest.fixture
def start(owner: Person) -> Start:
    """A run that a worker has done, which waits for its reviewer."""

    def run(survey: Survey) -> Run:
        wanted = Parameters(min_support=0.3, min_confidence=0.5, max_size=2)
        done = working.mined(survey, owner, wanted)
        made.waiting(done)
        return done

    return run


@pytest.fixture
def survey(owner: Person) -> Survey:
    return sealed.study_survey(owner, sealed.study(plan=sealed.PLAN), [500, 300])


@pytest.fixture
def run(survey: Survey, start: Start) -> Run:
    return start(survey)


@pytest.fixture
def desked(run: Run, judging: Client) -> Client:
    return judging


def said(client: Client, address: str) -> str:
    return unescape(shown(client, address))


def cells(page: str, heading: str) -> list[list[str]]:
    """The cells of the table with this label, row by row."""
    start = page.index(f'aria-label="{heading}"')
    table = page[start : page.index("</table>", start)]
    rows = table.split("<tbody>")[1].split("</tr>")[:-1]
    return [
        [
            " ".join(unescape(re.sub(r"<[^>]+>", " ", cell)).split())
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in rows
    ]


def test_the_plan_stands_before_everything_explored(desked: Client) -> None:
    page = said(desked, desk("report"))
    assert (
        page.index("What was found") < page.index("Planned before the survey opened") < page.index("Of all,")
    )
    assert "Everything else in this report was explored" in page
    assert "Everything else in this report was explored" in said(desked, desk("rules"))


def test_each_hypothesis_stands_with_p_holm_and_whether_it_is_met_in_words(desked: Client, run: Run) -> None:
    page = said(desked, desk("study"))
    assert sealed.PLAN.fingerprint in page
    assert sealed.PLAN.salt in page
    rows = cells(desked.get(desk("study")).content.decode(), "The plan")
    assert "The coefficient of “Age: old” in the linear model" in rows[4][0]
    assert "the versions of “Version”" in rows[2][0]
    found = run.findings["plan"]["hypotheses"]
    assert rows[0][0].startswith("many steal The share of")
    assert len(rows) == len(found) == 6
    for row, one in zip(rows, found, strict=True):
        assert row[-1] == ("met" if one["met"] else "not met")
        assert row[-2] == (f"{one['holm']:.3f}" if one["holm"] >= 0.001 else "< 0.001")
    assert rows[-1][1:] == [
        "cannot be computed, counts as p = 1 'age' is not drawn from two choices",
        "1.000",
        "not met",
    ]


def why_of_the_last(page: str) -> str:
    """As it stands on the page, with its element."""
    last = page[page.index(sealed.HYPOTHESES[-1]["name"]) :]
    return unescape(last[last.index('<span class="beside"', last.index("</th>")) :].split("</span>")[0])


def test_why_a_hypothesis_cannot_be_computed_is_said_in_the_language_of_the_reader(desked: Client) -> None:
    page = desked.get(desk("study"), headers={"accept-language": "zh-hans"}).content.decode()
    assert why_of_the_last(page) == "<span class=\"beside\">'age' 不是从两个选项中抽取的"


def test_a_reason_that_was_stored_as_a_sentence_is_shown_as_the_english_that_it_is(
    desked: Client, run: Run
) -> None:
    plan = run.findings["plan"]
    stored = [{key: one[key] for key in one if key != "reason"} for one in plan["hypotheses"]]
    run.findings["plan"] = {**plan, "hypotheses": stored}
    run.save(update_fields=["findings"])
    page = desked.get(desk("study"), headers={"accept-language": "zh-hans"}).content.decode()
    assert why_of_the_last(page) == '<span class="beside" lang="en">by: \'age\' is not drawn from two choices'


def test_a_coefficient_of_a_product_is_said_in_words() -> None:
    found = HypothesisResult(
        "H1", "coefficient", item="theft=yes", model="linear", covariates=("age*arm",), of="age=old*arm"
    )
    assert hypothesis_texts.hypothesis_text(Labels(sealed.study(), "en"), found) == (
        "The coefficient of “Age: old × Disguised arm” in the linear model of “Theft: Yes” is not 0."
    )


def test_who_left_stands_above_the_arms_with_every_number_of_them(desked: Client, run: Run) -> None:
    page = desked.get(desk("study")).content.decode()
    arms = run.findings["arms"]
    assert page.index("Who left") < page.index('aria-label="By arm"')
    for n in (arms["direct"], arms["disguised"]):
        assert str(n) in page
    assert f"{arms['completion']['completion']:.2f}" in page
    rows = cells(page, "By arm")
    assert len(rows) == len(arms["items"]) == 4
    for row, one in zip(rows, arms["items"], strict=True):
        _answer, direct, disguised, compared, chances, smallest = row
        around, bounds = compared.split(" if people left: ")
        difference, interval = around.split(" ", 1)
        p, holm = chances.split(" Holm: ")
        for arm, said in (("direct", direct), ("disguised", disguised)):
            share, ends = said.split(" From ")[0].split(" % ", 1)
            assert number(share) == round(100 * one[arm], 1)
            low, high = (round(100 * one[f"{arm}_{end}"], 1) for end in ("low", "high"))
            assert ends == f"{low} % to {high} %"
            assert said.endswith(f" From {one[f'n_{arm}']} records.")
        assert number(difference) == round(100 * one["difference"], 1)
        assert list(map(number, interval.split(" to "))) == [
            round(100 * one[end], 1) for end in ("low", "high")
        ]
        assert (p, holm) == tuple(
            f"{one[name]:.3f}" if one[name] >= 0.001 else "< 0.001" for name in ("p", "holm")
        )
        signed = one["smallest_more"], one["smallest_fewer"] and -one["smallest_fewer"]
        found = [round(100 * each, 1) for each in signed if each is not None]
        assert list(map(number, smallest.split())) == found
        assert list(map(number, bounds.split(" to "))) == [round(100 * end, 1) for end in one["bounds"]]


def number(text: str) -> float:
    return float(text.strip().replace("−", "-"))


def test_corrected_shares_stand_beside_the_others(desked: Client, run: Run) -> None:
    rows = cells(desked.get(desk("study")).content.decode(), "Corrected shares")
    found = run.findings["controls"]["items"]
    assert len(rows) == len(found) == 4
    for row, one in zip(rows, found, strict=True):
        _answer, n, share, _interval, corrected, around = row
        assert n == str(round(one["n"]))
        assert number(share.split("%")[0]) == round(100 * one["share"], 1)
        if 0 <= round(one["corrected"], 3) <= 1:
            assert number(corrected.split("%")[0]) == round(100 * one["corrected"], 1)
        else:
            assert corrected.startswith("too noisy to say")
        assert number(around.split("%")[0]) == round(100 * one["corrected_low"], 1)


def test_under_each_table_stands_what_it_assumes(desked: Client) -> None:
    page = said(desked, desk("study"))
    for assumption in (
        "This assumes that more is truer",
        "This assumes that careless people answer at random",
        "This assumes that the versions differ in nothing but the secret.",
        "This assumes that each device drew as the questionnaire says.",
        "This assumes that people who answer at random do so alike in both arms.",
    ):
        assert assumption in page


def test_direct_records_are_told_apart_in_the_facts(desked: Client, run: Run) -> None:
    page = said(desked, desk("report"))
    assert (
        f"Asked directly {run.findings['arms']['direct']} more, used in the comparison of the arms alone"
        in page
    )
    assert "Of these open" not in page
    # Nobody is said to have chosen a group where a draw decided.
    assert "Estimator of the disguised arm alone" in page
    assert "people chose no disguise" not in page


def test_a_report_says_what_answering_all_waves_reveals(owner: Person, start: Start, judging: Client) -> None:
    """By hand: gamma (.7 + .3/8) / (.3/8) = 59/3 of three questions, 3 of the crosswise one; 59^2, 2 ln 59 = 8.155."""
    first = sealed.study_survey(owner, sealed.study(title={"en": "The first"}), [])
    # With the same secret again nothing could be promised.
    again = json.dumps(sealed.study_json(follows=first.design_id)).replace("mother's", "father's")
    start(sealed.study_survey(owner, parse(again), [500]))
    page = said(judging, desk("report"))
    assert "Asked before in The first" in page
    assert (
        "People disguised in all of them all records together make an answer at most 3,481.0 times as likely "
        "(epsilon 8.16)"
    ) in page


@pytest.mark.django_db
def test_of_an_earlier_wave_that_is_not_stored_nothing_is_promised() -> None:
    design = sealed.study(follows="0" * 64)
    (fact,) = report_facts.wave_facts(design, Labels(design, "en"))
    assert (fact.label, fact.value) == ("Asked before in", "a survey that is not stored here")


def test_a_survey_that_follows_none_has_nothing_to_say_of_waves() -> None:
    assert report_facts.wave_facts(sealed.study(), Labels(sealed.study(), "en")) == []


def test_researchers_see_nothing_before_it_is_published(run: Run, reviewer: Person, reading: Client) -> None:
    assert reading.get(reader("study")).status_code == 403
    made.publish(Review.objects.get(), reviewer)
    page = said(reading, reader("study"))
    assert sealed.PLAN.salt in page
    assert len(cells(reading.get(reader("study")).content.decode(), "By arm")) == 4


def test_a_report_without_a_study_has_no_such_page(owner: Person, judging: Client) -> None:
    made.run(made.survey(owner))
    publishing.create_reviews_of_finished_runs(NOW)
    assert judging.get(desk("study")).status_code == 404
    page = said(judging, desk("report"))
    assert "explored" not in page
    assert " Study " not in page


def test_too_few_records_say_so(owner: Person, start: Start, judging: Client) -> None:
    few = sealed.study_survey(owner, sealed.study(), [])
    sealed.seal_study(few, 100, direct=95)
    start(few)
    page = judging.get(desk("study")).content.decode()
    assert "No answer has enough records in both arms" in page
    assert 'aria-label="By arm"' not in page
