"""Creates the sections of a survey for a researcher's goal; used by the planning page."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from builder.planning.precision_forecast import ASSOCIATION, AVERAGE, forecast_precision
from privacy.guarantee.presets import Preset
from surveys.kinds.apply_protection_presets import set_preset
from surveys.kinds.grouped.draft import GroupedDraft
from surveys.kinds.number.draft import MEAN, ClassesDraftQuestion, NumberDraft
from surveys.kinds.number.proposals import propose_law
from surveys.questionnaire.choice_question_kinds import new_block
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.question_block_editing import copy_block, unused_question_name
from surveys.questionnaire.questionnaire import Questionnaire


@dataclass(frozen=True)
class PlanAnswers:
    """Answers that a researcher has entered on the planning page.

    `share` is the expected share of people who say yes, with four decimals; `low` and `high` are the ends of a number.
    `is_together`: everybody is asked both questions of an association, however many sections follow.
    """

    goal: str
    respondents: int
    preset: Preset
    share: str
    low: int
    high: int
    is_together: bool = False


def draft_with_planned_sections(draft: Questionnaire, answers: PlanAnswers) -> Questionnaire:
    """Returns the draft with the sections that reach the goal with the least error; refused if the numbers do
    not fit."""
    questions = tuple(new_block(draft, "one", sensitive=False))
    plain = [replace(section, questions=questions) for section in draft.sections if not section.sensitive]
    draft = replace(draft, sections=tuple(plain))
    designs = [
        set_preset(replace(draft, expected=answers.respondents, sections=(*plain, *sections)), answers.preset)
        for sections in _possible_sections(draft, answers)
    ]
    forecasts = [forecast_precision(design, answers.goal) for design in designs]
    # The narrower first; of those that show nothing yet one that would with more answers.
    best = min(forecasts, key=lambda result: (result.width, not result.is_asked))
    return designs[forecasts.index(best)]


def _possible_sections(draft: Questionnaire, answers: PlanAnswers) -> Iterator[tuple[DraftSection, ...]]:
    """Yields the possible disguised sections for the goal, as a tuple for each way to ask."""
    if answers.goal == AVERAGE:
        number = ClassesDraftQuestion(name=unused_question_name(draft), low=answers.low, high=answers.high)
        section = NumberDraft(questions=(number,))
        yield (propose_law(section, MEAN, answers.preset.limit, answers.respondents),)
        return
    (asked,) = new_block(draft, "yes-no", sensitive=True)
    first = replace(asked, share=answers.share)
    if answers.goal != ASSOCIATION:
        yield (GroupedDraft(questions=(first,)),)
        return
    one = replace(draft, sections=(*draft.sections, GroupedDraft(questions=(first,))))
    (second,) = copy_block(one, [first])
    yield (GroupedDraft(questions=(first, second), together=answers.is_together),)
    if not answers.is_together:
        yield GroupedDraft(questions=(first,)), GroupedDraft(questions=(second,))
