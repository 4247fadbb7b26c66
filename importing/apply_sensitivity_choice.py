"""Makes imported questions sensitive unless a person ticked them as plain; for files that do not state which
are sensitive."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from django.utils.translation import gettext as _

from privacy.guarantee.presets import DEFAULT
from surveys.kinds.grouped.draft import GroupedDraft
from surveys.kinds.number.draft import NumberDraft
from surveys.kinds.number.editing import number_section_from_bands, number_section_from_scale
from surveys.kinds.read_draft import read_questionnaire
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.plain_number_bands import takes_number
from surveys.questionnaire.question_block_editing import adapt_block_to_section
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.quotas import answer_obstacle, quota_in_words


def make_unticked_sensitive(
    draft: Questionnaire, unmarked_rows: Sequence[Sequence[str]], ticked: Collection[int]
) -> Questionnaire:
    """Returns the draft in which only the `ticked` rows of `unmarked_rows` stay plain; the other rows become sensitive.

    `unmarked_rows`: the question names of each row whose file says neither plain nor sensitive. `ticked`: indices of
    such rows. Show-if rules and quotas on questions that become sensitive are deleted.
    """
    hidden = {name for number, names in enumerate(unmarked_rows) if number not in ticked for name in names}
    if not hidden:
        return draft

    parts = (part for section in draft.sections for part in _split_by_sensitivity(section, hidden))
    made = replace(draft, sections=tuple(parts)).change_each_question(partial(without_rules_on, hidden))
    # A battery that was cut gets a name for each of its parts.
    whole = read_questionnaire(made.as_json())
    return replace(
        whole,
        quotas=tuple(
            quota
            for quota in whole.quotas
            if answer_obstacle(draft, quota) or not answer_obstacle(whole, quota)
        ),
    )


def without_rules_on(names: Collection[str], question: DraftQuestion) -> DraftQuestion:
    """Returns the question without its show-if rules on answers to these questions."""
    rules = {name: allowed for name, allowed in question.show_if.items() if name not in names}
    return replace(question, show_if=rules)


def sensitivity_warnings(draft: Questionnaire, changed: Questionnaire) -> list[str]:
    """Returns a message about the quotas that `make_unticked_sensitive` deleted from the draft; none if it kept all."""
    deleted = [quota for quota in draft.quotas if quota not in changed.quotas]
    if not deleted:
        return []
    words = _(
        "These quotas are left out, since a question of theirs is sensitive or comes after a sensitive one: %(quotas)s."
    )
    answers = ("; ".join(map(" ".join, quota_in_words(draft, quota))) for quota in deleted)
    return [words % {"quotas": ", ".join(answers)}]


def _split_by_sensitivity(section: DraftSection, hidden: Collection[str]) -> Iterator[DraftSection]:
    """Yields the parts of a section, split between plain questions and those named in `hidden`, which become sensitive.

    A sensitive question that takes a number, or has a numeric scale, becomes a section of its own.
    """
    if not any(question.name in hidden for question in section.questions):
        yield section
        return
    intro = section.intro

    def sensitivity_and_number_section(question: DraftQuestion) -> tuple[bool, NumberDraft | None]:
        is_hidden = question.name in hidden
        if is_hidden and takes_number(question):
            return is_hidden, number_section_from_bands(question)
        return is_hidden, number_section_from_scale(question) if is_hidden else None

    for (is_hidden, scale), together in groupby(section.questions, sensitivity_and_number_section):
        grouped = GroupedDraft(preset=DEFAULT.name, pairs=True)
        if scale:
            yield replace(scale, intro=intro)
        elif is_hidden:
            yield replace(
                grouped, intro=intro, questions=tuple(adapt_block_to_section(list(together), grouped))
            )
        else:
            yield replace(section, intro=intro, questions=tuple(together))
        intro = {}


def dependents_by_question(draft: Questionnaire) -> dict[str, list[str]]:
    """Returns, for each question named in show-if rules, the names of the questions with these rules.

    The rules are lost if the named question becomes sensitive.
    """
    names: dict[str, list[str]] = {}
    for question in draft.all_questions:
        for name in question.show_if:
            names.setdefault(name, []).append(question.name)
    return names
