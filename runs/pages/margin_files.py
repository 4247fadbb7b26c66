"""Stores uploaded margins, and lists those of a survey."""

from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts.history import log_activity
from mining.studies.margins import read_margins
from runs.models import Margins
from runs.weighting import margins_of
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

MOST_BYTES = 1_000_000
BETWEEN = " × "


def store(
    survey: Survey, person: "Person", name: str, content: BytesIO, file_name: str, now: datetime
) -> Margins:
    """A `InputError` names the line of the file that is wrong."""
    assert survey.design
    read_margins(content, file_name, survey.design.content.mined)
    text = content.getvalue().decode("utf-8-sig")
    try:
        with transaction.atomic():
            stored = Margins.objects.create(survey=survey, name=name, csv=text)
            log_activity(person, "mining.margins", survey, note=name, when=now)
    except IntegrityError:
        raise NotAllowed(_("This survey has weights of that name already. Choose another name.")) from None
    return stored


@dataclass(frozen=True)
class ListedMargins:
    """`questions`: the names of the questions of each margin, as `age × sex`."""

    name: str
    questions: tuple[str, ...]


@dataclass(frozen=True)
class MarginColumn:
    """A question that can have a margin: its column in a file, and the names of its choices with their words."""

    name: str
    text: str
    choices: tuple[tuple[str, str], ...]


def columns(survey: Survey, language: str) -> list[MarginColumn]:
    assert survey.design
    sections = survey.design.content.mined.sections
    plain = [question for section in sections if not section.sensitive for question in section.questions]
    return [
        MarginColumn(
            question.name,
            question.text.in_language(language),
            tuple((choice.name, choice.label.in_language(language)) for choice in question.choices),
        )
        for question in plain
        if question.choices and not question.show_if
    ]


def listed(survey: Survey) -> list[ListedMargins]:
    assert survey.design
    design = survey.design.content.mined
    return [
        ListedMargins(
            row.name,
            tuple(
                BETWEEN.join(design.questions[index].name for index in questions)
                for questions, _shares in margins_of(row, design)
            ),
        )
        for row in survey.margins.order_by("pk")
    ]
