"""Which questions of a form from elsewhere are plain: those that a person ticks; the others become sensitive."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from privacy.guarantee.presets import DEFAULT
from surveys.kinds.grouped.draft import GroupedDraft
from surveys.kinds.number.draft import NumberDraft
from surveys.kinds.number.editing import number_section_from_bands, number_section_from_scale
from surveys.kinds.read_draft import read_questionnaire
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.number_bands import takes_number
from surveys.questionnaire.question_blocks import adapt_block_to_section
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.quotas import quota_obstacle


def agreed(draft: Questionnaire, unmarked: Sequence[Sequence[str]], ticked: Collection[int]) -> Questionnaire:
    """The draft in which only the ticked ones of the unmarked questions are plain. Rules on the others are left out, as
    are quotas that nobody can count then."""
    hidden = {name for number, names in enumerate(unmarked) if number not in ticked for name in names}
    if not hidden:
        return draft

    def without_rules(question: DraftQuestion) -> DraftQuestion:
        rules = {name: allowed for name, allowed in question.show_if.items() if name not in hidden}
        return replace(question, show_if=rules)

    parts = (part for section in draft.sections for part in _parts(section, hidden))
    made = replace(draft, sections=tuple(parts)).change_each_question(without_rules)
    # A battery that was cut gets a name for each of its parts.
    whole = read_questionnaire(made.as_json())
    return replace(whole, quotas=tuple(quota for quota in whole.quotas if not quota_obstacle(whole, quota)))


def _parts(section: DraftSection, hidden: Collection[str]) -> Iterator[DraftSection]:
    """The section, cut where plain and sensitive questions of it meet, and round each scale of numbers."""
    if not any(question.name in hidden for question in section.questions):
        yield section
        return
    intro = section.intro

    def kind(question: DraftQuestion) -> tuple[bool, NumberDraft | None]:
        is_hidden = question.name in hidden
        if is_hidden and takes_number(question):
            return is_hidden, number_section_from_bands(question)
        return is_hidden, number_section_from_scale(question) if is_hidden else None

    for (is_hidden, scale), together in groupby(section.questions, kind):
        grouped = GroupedDraft(preset=DEFAULT.name)
        if scale:
            yield replace(scale, intro=intro)
        elif is_hidden:
            yield replace(
                grouped, intro=intro, questions=tuple(adapt_block_to_section(list(together), grouped))
            )
        else:
            yield replace(section, intro=intro, questions=tuple(together))
        intro = {}


def looked_at(draft: Questionnaire) -> dict[str, list[str]]:
    """By question the names of those whose rules look at it, which are lost if it becomes sensitive."""
    names: dict[str, list[str]] = {}
    for question in draft.all_questions:
        for name in question.show_if:
            names.setdefault(name, []).append(question.name)
    return names
