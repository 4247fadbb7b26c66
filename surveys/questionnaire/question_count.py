"""Counts the questions of a survey as its pages state the number to respondents, researchers and reviewers."""

from collections.abc import Iterable

from privacy.designs import Design
from privacy.grammar.question import DRAWN
from privacy.kinds.section import Section
from surveys.questionnaire.draft_section import DraftSection


def count_questions(section: Section | DraftSection) -> int:
    """Returns how many questions the pages count in a section: the lines of a table or the options of one question
    once, questions that the device answers (drawn questions) not."""
    # A group and a question may have the same name.
    asked = (question for question in section.questions if question.form != DRAWN)
    return len({(question.of, question.of or question.name) for question in asked})


def count_plain_and_sensitive_questions(sections: Iterable[Section | DraftSection]) -> tuple[int, int]:
    counts = [0, 0]
    for section in sections:
        counts[section.sensitive] += count_questions(section)
    plain, sensitive = counts
    return plain, sensitive


def count_design_questions(design: Design) -> tuple[int, int]:
    """Returns the numbers of plain and of sensitive questions of a design, without the check of understanding."""
    plain, sensitive = count_plain_and_sensitive_questions(design.sections)
    return plain - design.understanding, sensitive
