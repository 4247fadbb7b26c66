"""The share that a researcher expects of each question that is disguised with others; 10 % where none is given."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from surveys.draft import DEFAULT_SHARE, SHARE
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.percent_fields import ProbabilityField, as_percent, as_probability


def share_fields(section: Node) -> Iterator[tuple[str, ProbabilityField, str]]:
    """The name, the field and the initial value of each."""
    for row, question in enumerate(_questions(section)):
        words = next(iter(question["text"].values()), "") or question["name"]
        field = ProbabilityField(
            label=_("Expected share (%%): %(question)s") % {"question": words}, required=False
        )
        yield _name(row), field, as_percent(question.get(SHARE, DEFAULT_SHARE))


def shares_of(section: Node) -> list[str]:
    """What a save can change."""
    return [question.get(SHARE, DEFAULT_SHARE) for question in _questions(section)]


def with_shares(section: Node, cleaned: Mapping[str, Any]) -> Node:
    """An empty field is the preset share."""
    questions = [
        _with_share(question, cleaned.get(_name(row))) for row, question in enumerate(_questions(section))
    ]
    return {**section, "questions": questions} if questions else section


def _with_share(question: Node, percent: Any) -> Node:
    rest = {key: value for key, value in question.items() if key != SHARE}
    share = as_probability(percent) if percent else DEFAULT_SHARE
    return rest if share == DEFAULT_SHARE else {**rest, SHARE: share}


def _name(row: int) -> str:
    return f"share{row}"


def _questions(section: Node) -> list[Node]:
    return list(section["questions"])
