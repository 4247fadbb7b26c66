import pytest
from django.utils import translation

from reports.answer_labels import Labels
from tests.intake import asked
from tests.reports import made

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
    labels = Labels(made.design())
    assert labels.names == made.ITEMS
    assert [labels.name_of_number(number) for number in range(8)] == made.ITEMS
    assert labels.number("late=yes") == made.LATE


@pytest.mark.parametrize(
    ("name", "short", "marked"),
    [
        ("theft=yes", "Theft: Yes", "Yes · Theft"),
        ("late=no", "Late: No", "No · Late"),
        ("age=40+", "Age: 40 or older", "40 or older · Age"),
        ("cash=yes", "Cash: Yes", "Yes · Cash"),
    ],
)
def test_an_answer_is_named_by_the_short_label_of_its_question(name: str, short: str, marked: str) -> None:
    answer = Labels(made.design()).answer(name)
    assert (answer.short, answer.marked) == (short, marked)


def test_an_option_of_a_group_is_named_by_its_label_and_so_is_leaving_it_out() -> None:
    labels = Labels(asked.written(SUBSTANCES))
    assert labels.answer("used-tea=yes").choice == "Tea"
    assert labels.answer("used-rum=no").choice == "not: Rum"
    assert labels.answer("used-rum=no").question == "What have you used?"


def test_options_of_a_group_are_told_apart_where_they_stand_for_their_question() -> None:
    labels = Labels(asked.written(SUBSTANCES))
    assert [labels.subject(f"used-{name}") for name in ("tea", "rum")] == ["Used: Tea", "Used: Rum"]
    assert Labels(made.design()).subject("age") == "Age"


def test_the_readers_language_is_spoken_where_the_survey_knows_it() -> None:
    with translation.override("zh-hans"):
        labels = Labels(made.design())
        assert labels.answer("theft=yes").question == "您带走过东西吗？"
        assert labels.answer("late=yes").question == "Do you come late"


def test_a_question_goes_by_its_own_label_in_tables_and_is_whole_in_files() -> None:
    text = "Have you, in the last twelve months, taken something home from work that was not yours?"
    section = {
        "kind": "plain",
        "questions": [
            {"name": "a", "text": {"en": text}, "label": {"en": "Took from work"}, "choices": ["no", "yes"]}
        ],
    }
    labels = Labels(asked.written(section))
    answer = labels.answer("a=yes")
    assert answer.question == text
    assert answer.asked == "Took from work"
    assert answer.short == "Took from work: Yes"
    assert labels.join_full(["a=yes"]) == f"{text} Yes"


def test_a_rule_reads_from_left_to_right() -> None:
    labels = Labels(made.design())
    assert labels.rule(["cash=yes", "late=no"], ["age=40+"]) == ("Cash: Yes and Late: No → Age: 40 or older")


def test_a_list_explains_each_label_once_that_is_shorter_than_its_question() -> None:
    labels = Labels(asked.written(SUBSTANCES))
    assert labels.short_label_legend == [("Used", "What have you used?")]
