import pytest
from django.utils import translation

from mining.reports.naming import Naming, shortened
from tests.intake import asked
from tests.mining.reports import made

SUBSTANCES = {
    "kind": "plain",
    "questions": [
        {
            "name": f"used-{name}",
            "form": "many",
            "of": "used",
            "text": {"en": "What have you used?"},
            "choices": [{"name": "no"}, {"name": "yes", "label": {"en": label}}],
        }
        for name, label in (("tea", "Tea"), ("rum", "Rum"))
    ],
}


def test_an_item_has_a_name_and_a_number() -> None:
    naming = Naming(made.design())
    assert naming.names == made.ITEMS
    assert [naming.named(number) for number in range(8)] == made.ITEMS
    assert naming.number("late=yes") == made.LATE


@pytest.mark.parametrize(
    ("name", "short", "marked"),
    [
        ("theft=yes", "Have you taken something home? Yes", "Yes · Have you taken something home?"),
        ("late=no", "Do you come late: No", "No · Do you come late"),
        ("age=40+", "How old are you? 40 or older", "40 or older · How old are you?"),
        ("cash=yes", "cash: Yes", "Yes · cash"),
    ],
)
def test_an_answer_is_said_as_it_was_asked(name: str, short: str, marked: str) -> None:
    answer = Naming(made.design()).answer(name)
    assert (answer.short, answer.marked) == (short, marked)


def test_an_option_of_a_group_is_named_by_its_label_and_so_is_leaving_it_out() -> None:
    naming = Naming(asked.written(SUBSTANCES))
    assert naming.answer("used-tea=yes").choice == "Tea"
    assert naming.answer("used-rum=no").choice == "not: Rum"
    assert naming.answer("used-rum=no").question == "What have you used?"


def test_the_readers_language_is_spoken_where_the_survey_knows_it() -> None:
    with translation.override("zh-hans"):
        naming = Naming(made.design())
        assert naming.answer("theft=yes").question == "您带走过东西吗？"
        assert naming.answer("late=yes").question == "Do you come late"


def test_a_long_question_is_cut_for_a_table_and_whole_elsewhere() -> None:
    text = "Have you, in the last twelve months, taken something home from work that was not yours?"
    section = {
        "kind": "plain",
        "questions": [{"name": "a", "text": {"en": text}, "choices": ["no", "yes"]}],
    }
    answer = Naming(asked.written(section)).answer("a=yes")
    assert answer.question == text
    assert answer.asked == shortened(text)
    assert len(answer.asked) == 60
    assert answer.short.endswith("… Yes")


def test_a_rule_reads_from_left_to_right() -> None:
    naming = Naming(made.design())
    assert naming.rule(["cash=yes", "late=no"], ["age=40+"]) == (
        "cash: Yes and Do you come late: No → How old are you? 40 or older"
    )
