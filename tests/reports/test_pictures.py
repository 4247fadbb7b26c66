"""What the pictures of errors and of the first findings draw, and that no page shows a thousand without separators.

How they look is seen in the browser's tests; what they say is held here.
"""

import json
import re
from dataclasses import replace
from html import unescape
from math import sqrt
from xml.etree import ElementTree as ET

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone, translation

from accounts.models import Person
from intake.rehearsal.respondent_simulation import simulate
from mining.nodes.report_nodes import Estimate
from mining.parameters import Parameters
from reports.answer_labels import Labels
from reports.models import Review
from reports.pages.first_findings import first_findings
from reports.pages.report_document import ReportDocument
from reports.pictures import expected_error_plots
from reports.pictures.picture import Picture
from reports.pictures.plot import Dots, Line, svg_file
from reports.review.report_page_data import ReportPage
from reports.sentences.sentence_parts import as_text
from runs import run_start
from runs.models import Run
from surveys.draft_json import Draft, draft_with_values, new_draft_with_two_sections
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import opening
from surveys.models import Survey
from surveys.questionnaire.choice_question_kinds import new_block
from tests.cast import kept_row
from tests.intake import asked
from tests.jobs.conftest import attempt
from tests.reports import made
from tests.reports.conftest import PAGES, desk_page, reader
from tests.reports.made_nodes import about_run
from tests.runs import sealed
from tests.runs.sealed import seal

pytestmark = pytest.mark.page


ABOUT = about_run(
    records=1000, n_open=200, disguised=800, estimator="stratified", min_support=0.1, min_confidence=0.5
)


def estimate(*names: str, support: float | None = 0.25, truth: float | None = None) -> Estimate:
    low, high = (None, None) if support is None else (support - 0.05, support + 0.05)
    return Estimate(names, 1000, 200, 0.3, support, 0.02, low, high, 0.26, 0.01, shown=1000, truth=truth)


THEFT, LATE, CASH = "theft=yes", "late=yes", "cash=yes"
SHARES = [estimate(THEFT, truth=0.24), estimate(LATE, support=0.4), estimate(CASH, support=None)]


def all_pictures() -> list[Picture]:
    found = [
        expected_error_plots.error_by_keep_picture(made.design(), SHARES, ABOUT),
        expected_error_plots.error_by_respondents_picture(made.design(), SHARES, ABOUT),
    ]
    assert all(found)
    return [picture for picture in found if picture]


def picture_by_name(name: str) -> Picture:
    return next(picture for picture in all_pictures() if picture.name == name)


def points_of_this_survey(picture: Picture) -> list[tuple[float, float]]:
    """The points of this survey."""
    ((_label, marks),) = picture.drawing.plots
    (dots,) = (mark for mark in marks if isinstance(mark, Dots))
    return list(dots.points)


def test_pictures_are_whole_and_stay_within_their_plots() -> None:
    for picture in all_pictures():
        # The file is well formed and needs nothing from elsewhere.
        drawing = picture.drawing
        file = svg_file(drawing, "Shares < 5 % & more")
        assert ET.fromstring(file).attrib["width"] == "720"
        assert "href" not in file
        assert set(re.findall(r"url\(([^)]*)\)", file)) <= {"#stipple"}
        # A drawing for a page has no colour of its own.
        for _label, svg in drawing.rows():
            assert not re.search(r"style=|#[0-9a-f]{3,6}\b|rgb", svg)
        # No line leaves the plot.
        for line in (mark for _label, marks in drawing.plots for mark in marks if isinstance(mark, Line)):
            assert all(drawing.x.low <= x <= drawing.x.high for x, _y in line.points)
            assert all(drawing.y.low <= y <= drawing.y.high for _x, y in line.points)
        # Each has a table with as many cells as columns.
        assert picture.rows
        assert all(len(row) >= len(picture.columns) for row in picture.rows)
    # Where nothing is known nothing is drawn.
    plain = asked.design()
    assert expected_error_plots.error_by_keep_picture(plain, SHARES, ABOUT) is None
    assert expected_error_plots.error_by_respondents_picture(plain, SHARES, ABOUT) is None


def test_errors_are_those_of_the_design_of_a_survey() -> None:
    # The error of one answer is the one of the stratified mean at this keep. By hand: E z^2 = (1-2c)/p P +
    # c(1-c)/p^2 if disguised, P if open; c = (1-p) .4; P the mean share .325.
    p, mean, k, n = 0.5, 0.325, 0.2, 1000
    c = (1 - p) * 0.4
    second = (1 - k) * ((1 - 2 * c) / p * mean + c * (1 - c) / p**2) + k * mean
    half_width = 1.96 * sqrt((second - mean**2) / n)
    by_keep = {row[1]: row[2] for row in picture_by_name("error-keep").rows if row[0] == "1 answer"}
    assert by_keep[0.5] == pytest.approx(half_width)
    (x, y), *_more = points_of_this_survey(picture_by_name("error-keep"))
    assert x == 0.5
    assert y == pytest.approx(half_width, rel=1e-9)
    # It falls with the square root of respondents.
    rows = {(row[0], row[1]): row[2] for row in picture_by_name("error-respondents").rows}
    assert rows["1 answer", 500] / rows["1 answer", 2000] == pytest.approx(2)


def test_each_section_has_its_line_and_three_answers_none_where_two_are_asked_together() -> None:
    rotating = asked.make_design(sealed.section(*"abc", keep="0.5", asked=2))
    picture = expected_error_plots.error_by_respondents_picture(rotating, SHARES, ABOUT)
    assert picture
    assert {row[0] for row in picture.rows} == {"1 answer", "2 answers together"}
    # With several sections each has its own line with the number that it has everywhere: the plain ones count, as they
    # do for whoever builds and whoever answers. Sections that err alike are one line that names them both.
    a, b, plain = (
        sealed.section("a", keep="0.3"),
        sealed.section("b", keep="0.6"),
        sealed.plain("p", "no", "yes"),
    )
    for sections, lines, keeps in (
        ((a, sealed.plain("age", "18-39", "40+"), b), {"section 1", "section 3"}, [0.3, 0.6]),
        ((plain, a, sealed.plain("r", "no", "yes"), b), {"section 2", "section 4"}, [0.3, 0.6]),
        ((a, sealed.section("b", keep="0.3")), {"section 1, section 2"}, [0.3]),
    ):
        picture = expected_error_plots.error_by_keep_picture(asked.make_design(*sections), SHARES, ABOUT)
        assert picture
        assert {row[0] for row in picture.rows} == lines
        assert [x for x, _y in points_of_this_survey(picture)] == keeps


MANY = 12_345
HIDDEN = re.compile(r"<(script|style|svg)\b.*?</\1>|<[^>]*>", re.DOTALL)

OF_SURVEY = ["", "settings", "history", "invitations", "runs", "runs/forecast", "rehearse", "records"]
OF_SURVEY += ["export"]


@pytest.fixture
def run_of_many_records(owner: Person) -> Run:
    """12,345 records, as many per batch, and as many of everything else."""

    def make() -> Run:
        survey = made.survey(owner)
        Survey.objects.filter(pk=survey.pk).update(cap=MANY, invitations_made=MANY, invitations_sent=MANY)
        seal(survey, MANY)
        run = made.run(survey)
        found = json.loads(re.sub(r"\b1000\b", str(MANY), json.dumps(run.findings)))
        Run.objects.filter(pk=run.pk).update(findings=found, records=MANY)
        return Run.objects.get(pk=run.pk)

    return kept_row(("many of everything",), make)


def words(page: str) -> str:
    return unescape(HIDDEN.sub(" ", page))


def unexplained_numbers(page: str) -> list[str]:
    return re.findall(rf".{{0,60}}\b{MANY}\b.{{0,60}}", words(page))


@pytest.mark.at_push(1)
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_pages_of_a_survey_separate_thousands(
    run_of_many_records: Run, language: str, reading: Client
) -> None:
    reading.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    pages = {page: reading.get(f"/app/surveys/{run_of_many_records.survey_id}/{page}") for page in OF_SURVEY}
    said = {page: answer.content.decode() for page, answer in pages.items() if answer.status_code == 200}
    assert {page: found for page, text in said.items() if (found := unexplained_numbers(text))} == {}
    assert len(said) > 6
    assert "12,345" in words(said[""])


def test_reports_separate_thousands(
    run_of_many_records: Run, reviewer: Person, reading: Client, judging: Client
) -> None:
    review = made.waiting_review(run_of_many_records)
    pages = ["report", *(page for page in PAGES[1:] if "." not in page), "publish"]
    said = {page: judging.get(desk_page(page)).content.decode() for page in pages}
    made.publish(review, reviewer, ["age"], 1)
    read = reading
    said |= {f"read {page}": read.get(reader(page)).content.decode() for page in PAGES if "." not in page}
    said["run"] = read.get(f"/app/runs/{run_of_many_records.pk}/").content.decode()
    assert {page: found for page, text in said.items() if (found := unexplained_numbers(text))} == {}
    assert "12,345" in words(said["report"])


def test_every_picture_lies_within_its_scale_and_shows_the_numbers_of_its_sentence(review: Review) -> None:
    rows = first_findings(ReportPage(review, whole=True))
    assert [row.finding.kind for row in rows] == ["pair", "pair", "share", "pair"]
    for row in rows:
        (picture,) = row.pictures
        assert row.scale is not None
        assert picture.estimate == row.finding.measured.value
        assert picture.high == row.finding.measured.high
        assert all(value is None or 0 <= value <= row.scale.end for value in picture.values)
        assert (picture.state == "filled") is row.finding.is_conclusive
        assert picture.label in as_text(row.finding.sentence)


def test_findings_stand_before_the_answers_in_whole_sentences(review: Review, judging: Client) -> None:
    page = judging.get(desk_page("report", review)).text
    found, answers = page.index('<ol class="findings"'), page.index('<section id="shares"')
    assert found < answers
    section = page[found : page.index("</section>", found)]
    assert section.count("<li>") == section.count('class="iv" height="54"') == 4
    for row in first_findings(ReportPage(review, whole=True)):
        strong = [part.text for part in row.finding.sentence if part.strong]
        assert bool(strong) is row.finding.is_conclusive
        unbroken = section.replace('<span class="nowrap">', "").replace("</span>", "")
        assert all(f"<b>{text}</b>" in unbroken for text in strong)


def test_the_same_document_is_said_in_another_language(review: Review) -> None:
    for language, direction in (("de", "ltr"), ("ar", "rtl")):
        page = ReportDocument(ReportPage(review, whole=True), language).page()
        assert f'<html lang="{language}" dir="{direction}"' in page
        with translation.override(language):
            (first, *_) = first_findings(ReportPage(review, whole=True))
        strong = [part.text for part in first.finding.sentence if part.strong]
        assert any(f"<b>{text}</b>" in page for text in strong)
        assert "What was found" not in page


def test_picture_without_an_estimate_is_empty(
    review: Review, judging: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reports.pages.first_findings.first_findings", lambda report: [])
    monkeypatch.setattr("reports.pages.report_document.first_findings", lambda report: [])
    page = judging.get(desk_page("report", review)).text
    assert '<ol class="findings"' not in page
    assert "Nothing is estimated: too few people answered." in page


def test_what_was_received_lies_on_the_scale_of_whoever_sees_the_evidence(review: Review) -> None:
    report = ReportPage(review, whole=True)
    far = tuple(replace(share, observed=0.97) for share in report.content.shares)
    vars(report)["content"] = replace(report.content, shares=far)
    for has_evidence, received in ((True, 0.97), (False, None)):
        tables = ReportDocument(report, "en", has_evidence=has_evidence).context()["tables"]
        rows = [row for table in tables for group in table.groups for row in group.rows]
        drawn = {picture.received for row in rows for picture in row.pictures}
        # A plain answer has no received share beside its own.
        assert drawn - {None} == {received} - {None}


SENSITIVE = 6
BEHIND_A_RULE = {"q5", "q6", "q7"}
ABSENCES = {"no", "prefer-not-to-say"}


def with_defaults() -> Draft:
    """One plain question, and behind it sensitive ones as the builder makes them; half of them ask the first answer."""
    today = timezone.localdate()
    draft = new_draft_with_two_sections(
        "Work", "en", today, asker="The works council", contact="council@example.org"
    )
    plain, sensitive = draft["sections"]
    plain["questions"] = [
        one.as_json() for one in new_block(read_questionnaire(draft), "one", sensitive=False)
    ]
    while len(sensitive["questions"]) < SENSITIVE:
        added = new_block(read_questionnaire(draft), "yes-no", sensitive=True)
        sensitive["questions"] += [question.as_json() for question in added]
    for number, question in enumerate([*plain["questions"], *sensitive["questions"]]):
        question["text"] = {"en": f"Question {number}"}
        if number > SENSITIVE // 2:
            question["show_if"] = {"q1": ["1"]}
    for choice in plain["questions"][0]["choices"]:
        choice["label"] = {"en": f"Answer {choice['name']}"}
    sensitive["asked"] = 2
    return draft_with_values(draft, why={"en": "To learn."}, rehearsal=True)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("respondents", "max_size", "least"), [(2_000, 2, 5), pytest.param(8_000, 3, 10, marks=pytest.mark.night)]
)
def test_the_builders_defaults_are_listed(owner: Person, respondents: int, max_size: int, least: int) -> None:
    survey = Survey.objects.create(owner=owner, draft=with_defaults())
    opening.open_survey_now(survey, owner, timezone.now())
    simulate(survey, respondents, seed=1)
    run = run_start.start_mining_run(survey, owner, Parameters(0.02, 0.1, max_size=max_size), timezone.now())
    attempt(run)
    run = Run.objects.get()
    labels = Labels(run.content)
    listed = run.rules.order_by("place")[:25]
    assert len(listed) > least
    for rule in listed:
        answers = [labels.names[number].split("=") for side in rule.sides for number in side]
        assert not ABSENCES & {choice for _question, choice in answers}
        asked = {question for question, _choice in answers}
        assert not ("q1" in asked and asked & BEHIND_A_RULE)
