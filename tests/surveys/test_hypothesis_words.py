"""How hypotheses name questions and answers."""

import pytest

from surveys.study.hypothesis_sentences import HypothesisWords
from tests.privacy.questionnaires import classes, design, plain


def option(name: str, label: str) -> dict[str, object]:
    choices = ["no", {"name": "yes", "label": {"en": label}}]
    return {"name": name, "form": "many", "of": "help", "text": {"en": "Who helps?"}, "choices": choices}


WORDS = HypothesisWords(
    design(
        plain(
            option("family", "Family"), option("friends", "Friends"), {"name": "age", "choices": ["a", "b"]}
        )
    ),
    "en",
)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("family", "Help: Family"),
        ("friends", "Help: Friends"),
        ("family*friends", "Help: Family × Help: Friends"),
    ],
)
def test_options_of_one_group_are_told_apart(name: str, said: str) -> None:
    assert WORDS.covariate_text(name) == said


def test_an_answer_names_its_option_once() -> None:
    assert WORDS.item_text("friends=yes") == "Help: Friends"


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("debt=>=500", "Debt: 500 euros or more"),
        ("debt=>=500 <2000", "Debt: 500 to under 2,000 euros"),
        ("debt=<500", "Debt: under 500 euros"),
        ("mood=>=2 <3", "Mood: 2"),
    ],
)
def test_an_item_of_a_number_says_its_limits(item: str, said: str) -> None:
    of = design(
        classes("debt", "0.5", 0, 500, 2000, unit={"en": "euros"}),
        classes("mood", "0.5", 1, 2, 3, unit={"en": "points"}),
    )
    assert HypothesisWords(of, "en").item_text(item) == said
