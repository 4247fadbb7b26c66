"""What a researcher answers before the first question, and the draft that these answers make."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from builder.planning.forecast import ASSOCIATION, AVERAGE, DIFFERENCE, SHARE, Forecast, forecast
from privacy.guarantee.presets import Preset
from surveys.kinds.grouped.draft import GroupedDraft, is_grouped
from surveys.kinds.number.draft import MEAN, ClassesDraftQuestion, NumberDraft
from surveys.kinds.number.proposals import propose
from surveys.kinds.presets import with_preset
from surveys.questionnaire.blocks import copied, new_name
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.questionnaire import Questionnaire

GOALS: dict[str, str | Promise] = {
    SHARE: _("A share: how many people say yes"),
    AVERAGE: _("An average: the mean of a number"),
    DIFFERENCE: _("A difference: between the shares of two groups"),
    ASSOCIATION: _("An association: whether two sensitive answers go together"),
}


@dataclass(frozen=True)
class Answers:
    """`share` of people who say yes, with four decimals; `low` and `high` are the ends of a number."""

    goal: str
    respondents: int
    preset: Preset
    share: str
    low: int
    high: int


def designed(draft: Questionnaire, answers: Answers) -> Questionnaire:
    """`draft`, a new one, with the sections that these answers need; refused where its numbers do not fit."""
    asked_of_all = tuple(section for section in draft.sections if not section.sensitive)
    empty = replace(draft, expected=answers.respondents, sections=asked_of_all)
    designs = [
        with_preset(replace(empty, sections=(*asked_of_all, *sections)), answers.preset)
        for sections in _sections(draft, answers)
    ]
    return min(designs, key=lambda design: _order(forecast(design, answers.goal)))


def _order(forecast: Forecast) -> tuple[float, bool]:
    """The narrower first; of those that show nothing yet one that would with more answers."""
    return forecast.width, not forecast.is_asked


def _sections(draft: Questionnaire, answers: Answers) -> Iterator[tuple[DraftSection, ...]]:
    """Each of the ways to ask for it; the best is taken."""
    if answers.goal == AVERAGE:
        numbers = ClassesDraftQuestion(name=new_name(draft), low=answers.low, high=answers.high)
        section = NumberDraft(questions=(numbers,))
        yield (propose(section, MEAN, answers.preset.limit, answers.respondents),)
        return
    disguised = next(filter(is_grouped, draft.sections))
    first = replace(disguised.questions[0], share=answers.share)
    if answers.goal != ASSOCIATION:
        yield (GroupedDraft(questions=(first,)),)
        return
    (second,) = copied(draft, [first])
    yield (GroupedDraft(questions=(first, second)),)
    yield GroupedDraft(questions=(first,)), GroupedDraft(questions=(second,))
