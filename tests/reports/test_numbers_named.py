"""How reports say the items of a number."""

import pytest
from django.utils import translation

from accounts.models import Person
from reports.answer_labels import Labels
from reports.models import Review
from reports.pages import table_rows
from reports.review.publishing import create_reviews_of_finished_runs
from reports.review.report_page_data import ReportPage
from tests.reports import made_nodes
from tests.surveys.conftest import NOW
from ui.unit_format import decimal_places_for, format_quantity, format_rounded


def labels(language: str = "en") -> Labels:
    with translation.override(language):
        return Labels(made_nodes.numbers_design().mined)


@pytest.mark.parametrize(
    ("name", "short", "marked"),
    [
        ("debt=>=500", "Debt: 500 euros or more", "500 euros or more · Debt"),
        ("debt=<10000", "Debt: under 10,000 euros", None),
        ("debt=>=500 <1000", "Debt: 500 to under 1,000 euros", None),
        ("overtime=>=5", "Overtime: 5 hours or more", "5 hours or more · Overtime"),
        ("overtime=<20", "Overtime: under 20 hours", "under 20 hours · Overtime"),
    ],
)
def test_an_item_is_said_with_its_unit(name: str, short: str, marked: str | None) -> None:
    answer = labels().answer(name)
    assert answer.short == short
    assert marked in (None, answer.marked)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("mood=<2", "1"),
        ("mood=>=3 <4", "3"),
        ("mood=>=5", "5"),
        ("mood=>=3", "3 points or more"),
        ("mood=<4", "under 4 points"),
    ],
)
def test_a_class_of_a_scale_is_said_as_its_value(name: str, short: str) -> None:
    with translation.override("en"):
        assert Labels(made_nodes.scale().mined).answer(name).choice == short


def test_a_limit_is_said_in_the_readers_language() -> None:
    with translation.override("zh-hans"):
        answer = Labels(made_nodes.numbers_design().mined).answer("debt=>=10000")
        assert answer.question == "您欠多少钱？"
        assert "10,000 欧元" in answer.choice
        assert "euros" not in answer.choice


def test_a_number_has_items_by_name_and_a_place() -> None:
    names = labels()
    assert names.names[5:8] == ["debt=>=500", "debt=>=1000", "debt=>=2000"]
    assert "income" not in "".join(names.names)
    assert [names.question_index(name) for name in ("age", "debt", "overtime", "income")] == [0, 2, 3, 4]
    assert names.is_asked_if_shown("debt=>=500")
    assert not names.is_asked_if_shown("works=yes")


@pytest.mark.parametrize(
    ("number", "unit", "said"),
    [
        (1000, "euros", "1,000 euros"),
        (-2500, "", "−2,500"),
        (0, "°C", "0 °C"),
        (1, "hours", "1 hour"),
        (1, "hours a week", "1 hour a week"),
        (1, "Stunden", "1 Stunde"),
        (1, "drinks", "1 (drinks)"),
    ],
)
def test_a_number_is_written_with_separators_and_a_minus_sign(number: int, unit: str, said: str) -> None:
    assert format_quantity(number, unit) == said


@pytest.mark.parametrize(
    ("value", "se", "said"),
    [
        (1834.56, 83.2, "1,835"),
        (1834.56, 830.0, "1,835"),
        (12.3456, 0.83, "12.35"),
        (-0.001, 0.02, "0.001"),
        (-12.3456, 3.1, "−12.3"),
        (7.5, 0.0, "8"),
    ],
)
def test_an_estimate_has_as_many_places_as_its_error_lets_it(value: float, se: float, said: str) -> None:
    assert format_rounded(value, decimal_places_for(se)).replace("−0.001", "0.001") == said


def test_the_answers_page_lists_all_limits_of_a_number_under_one_heading(owner: Person) -> None:
    made_nodes.numbers_run(made_nodes.numbers_survey(owner))
    create_reviews_of_finished_runs(NOW)
    found = table_rows.question_shares(ReportPage(Review.objects.get(), whole=True), sensitive=True)
    assert [(one.name, len(one.shares), one.is_asked_if_shown, one.may_be_hidden) for one in found] == [
        ("debt", 9, True, False),
        ("overtime", 5, True, True),
    ]
    labels = Labels(Review.objects.get().run.mined_design)
    assert [labels.answer(share.item).choice for share in found[1].shares] == [
        "5 hours or more",
        "10 hours or more",
        "20 hours or more",
        "5 to under 10 hours",
        "10 to under 20 hours",
    ]
