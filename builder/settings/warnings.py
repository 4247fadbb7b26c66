"""Warnings about the settings of a draft, each with quick fixes: buttons that set what would help."""

from collections.abc import Iterator
from math import ceil

from django.utils.translation import gettext as _

from builder.settings.arms import LEAST_ARM, small_arm
from privacy.grammar.node import PARTS
from surveys.kinds.registry import known_kind
from surveys.kinds.settings import (
    QuickFix,
    SettingsWarning,
    close_open_answers,
    expect,
    rounded_up,
    two_decimals,
)
from surveys.lifecycle.counts import due_at
from surveys.questionnaire.laws import laws
from surveys.questionnaire.protection import (
    PRIOR,
    USUAL,
    combinations,
    person_protection,
    plain_questions,
    unique,
)
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.weakness import MOST_EPSILON
from ui.numbers import count

MANY_UNIQUE = 0.01


def settings_warnings(draft: Questionnaire) -> list[SettingsWarning]:
    warnings = list(_of_person(draft))
    for number, section in enumerate(draft.sections):
        if kind := known_kind(section):
            warnings += kind.warnings(draft, number)
    return warnings


def _of_person(draft: Questionnaire) -> Iterator[SettingsWarning]:
    person = person_protection(draft, PRIOR)
    alone = [law for _number, law in laws(draft) if not USUAL.admits(law.gamma)]
    if person and person.epsilon > MOST_EPSILON and not alone:
        words = _("A record contains all sections. Together their ε is %(epsilon)s (limit: %(most)s).")
        cures = (
            QuickFix(_("Strengthen every section until ε = %(most)s") % {"most": MOST_EPSILON}, "share"),
        )
        yield SettingsWarning(
            "sum", words % {"epsilon": two_decimals(person.epsilon), "most": MOST_EPSILON}, cures
        )
    respondents, least = draft.respondents, draft.batch_size
    if respondents < due_at(least):
        words = _(
            "You expect %(expected)s answers. Nothing can be counted while the survey is open before there are "
            "%(many)s, and nothing at all if it closes with fewer than %(least)s."
        )
        said = {"expected": count(respondents), "many": count(due_at(least)), "least": count(least)}
        yield SettingsWarning("few", words % said, (expect(due_at(least)),))
    if small := small_arm(draft):
        words = _(
            "You expect %(direct)s answers asked directly and %(disguised)s disguised ones. With fewer than "
            "%(least)s in one of the groups, the comparison says little."
        )
        said = {"direct": count(small.asked_directly), "disguised": count(small.disguised)}
        needed = rounded_up(ceil(LEAST_ARM * PARTS / min(small.direct, PARTS - small.direct)))
        yield SettingsWarning("arms", words % {**said, "least": LEAST_ARM}, (expect(needed),))
    if draft.open_answers:
        alone_with = unique(respondents, combinations(plain_questions(draft)))
        if alone_with >= MANY_UNIQUE * respondents:
            words = _(
                "If all combinations of answers that are not disguised were equally likely, about "
                "%(unique)s of %(expected)s people would be the only ones with theirs. If one of them "
                "chooses no disguise, anyone who knows these answers can read all their others."
            )
            said = {"expected": count(respondents), "unique": count(round(alone_with))}
            yield SettingsWarning("unique", words % said, (close_open_answers(),))
