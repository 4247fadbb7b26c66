"""What the protection page says of a draft: of the stored one, and of what a preset or proposal would make of it.

One function computes both, so that nothing is promised that the page does not say after it is applied.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from builder.planning.direct_arm import LEAST_ARM, small_arm
from privacy.grammar.node import PARTS
from surveys.kinds.forms.margins import rounded_up
from surveys.kinds.forms.settings_warning import (
    USELESS,
    QuickFix,
    SettingsWarning,
    closed,
    expect,
    points,
    written,
)
from surveys.kinds.grouped.precision import Expectation, precision
from surveys.kinds.registry import kind_of, known_kind
from surveys.lifecycle.counts import due_at
from surveys.lifecycle.draft_problems import problems
from surveys.questionnaire.laws import laws
from surveys.questionnaire.presets import preset_of_new
from surveys.questionnaire.problems import Problem
from surveys.questionnaire.protection import (
    PRIOR,
    USUAL,
    Protection,
    combinations,
    person_protection,
    plain_questions,
    unique,
)
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.weakness import MOST_EPSILON
from ui.numbers import count, percent


@dataclass(frozen=True)
class ProtectionSummary:
    draft: Questionnaire
    prior: Fraction = PRIOR

    @cached_property
    def person(self) -> Protection | None:
        return person_protection(self.draft, self.prior)

    @cached_property
    def expectations(self) -> list[Expectation]:
        return precision(self.draft)

    @cached_property
    def warnings(self) -> list[SettingsWarning]:
        return settings_warnings(self.draft)

    @property
    def respondents(self) -> int:
        return self.draft.respondents

    @property
    def words(self) -> list[str]:
        """The margins of error of one, two and three answers, in words."""
        return [each.words for each in self.expectations]

    @cached_property
    def margin(self) -> float:
        """The largest margin of error of a share."""
        return max((warning.margin for warning in self.warnings), default=0.0)

    @cached_property
    def keeps_promise(self) -> bool:
        """Whether all sections together are within the preset of the draft."""
        return self.person is None or preset_of_new(self.draft).limit.admits(self.person.guarantee.gamma)

    @cached_property
    def alone(self) -> list[str]:
        """What the numbers and places show."""
        sections = [each for each in self.draft.sections if each.is_known and each.holds_one]
        return [kind_of(section).words(section, self.respondents) for section in sections]


def side_effects(before: Questionnaire, after: Questionnaire) -> list[str]:
    """What a command did to the whole person or to another section, in sentences, where that is bad."""
    was, now = ProtectionSummary(before), ProtectionSummary(after)
    effects = []
    if now.person and was.keeps_promise and not now.keeps_promise:
        words = _("All answers of a person together are now less protected: %(before)s can become %(after)s.")
        effects.append(words % {"before": percent(float(PRIOR), 0), "after": now.person.posterior_words})
    if was.margin <= USELESS < now.margin:
        words = _("A share now has a margin of error of ± %(points)s points: see Protection.")
        effects.append(words % {"points": points(now.margin)})
    return effects


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
            "sum", words % {"epsilon": written(person.epsilon), "most": MOST_EPSILON}, cures
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
            yield SettingsWarning("unique", words % said, (closed(),))


def missing_in(draft: Questionnaire) -> list[Problem]:
    return problems(draft.as_json(), timezone.localdate(), settings.LEAST_FLOOR)


def missing_text(draft: Questionnaire) -> str:
    items = missing_in(draft)
    if not items:
        margin = max((warning.margin for warning in settings_warnings(draft)), default=0.0)
        if margin > USELESS:
            return _("Nothing is missing, but a margin of error is ± %(points)s points") % {
                "points": points(margin)
            }
        return _("Nothing is missing")
    words = ngettext("%(count)s thing is missing", "%(count)s things are missing", len(items))
    return words % {"count": len(items)}
