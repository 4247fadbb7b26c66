"""Summarises a draft: its protection and precision, warnings with quick fixes, and what is missing before
opening.

The same functions summarise the stored draft and a draft with a preset or a proposal applied, so that a
proposal promises exactly what the page will show afterwards.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from builder.planning.direct_arm import LEAST_ARM, chosen_arm
from privacy.grammar.json_node import PARTS
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.expected_error import LEAST_BASE
from privacy.guarantee.presets import PRESETS
from surveys.draft_json import Draft
from surveys.kinds.apply_protection_presets import set_preset
from surveys.kinds.grouped.draft import is_grouped_section
from surveys.kinds.grouped.guarantee_and_errors import ItemsetMargin, itemset_margins_of_draft
from surveys.kinds.protection_page_elements import (
    NEVER,
    USELESS,
    QuickFix,
    SettingsWarning,
    close_open_answers_fix,
    expected_answers_fix,
    percentage_points_text,
    round_up_to_two_figures,
    two_decimals_text,
)
from surveys.kinds.read_draft import read_stored_questionnaire
from surveys.kinds.registry import get_kind, get_kind_if_known
from surveys.lifecycle.draft_problems import draft_problems
from surveys.lifecycle.record_counts import records_that_fill_a_batch
from surveys.questionnaire.problems_and_refusals import Problem
from surveys.questionnaire.protection import (
    MOST_EPSILON,
    PRIOR,
    USUAL,
    Protection,
    count_combinations,
    expected_unique_people,
    person_protection,
    plain_questions,
    preset_for_new_section,
    section_laws,
)
from surveys.questionnaire.questionnaire import Questionnaire
from ui.number_format import format_count, format_percent
from ui.sentence_joining import join_sentences

MANY_UNIQUE = 0.01
"""Share of people with a unique combination of plain answers above which a warning is shown."""


@dataclass(frozen=True)
class ProtectionSummary:
    """Protection, precision and warnings of a draft; `prior` is the probability of a suspicion whose possible
    growth is stated."""

    draft: Questionnaire
    prior: Fraction = PRIOR

    @cached_property
    def person_protection(self) -> Protection | None:
        """Protection of all answers of a person together; None if nothing is disguised."""
        return person_protection(self.draft, self.prior)

    @cached_property
    def itemset_margins(self) -> list[ItemsetMargin]:
        """Margins of error of one, two and three answers together, of the questions that are disguised together."""
        return itemset_margins_of_draft(self.draft)

    @cached_property
    def warnings(self) -> list[SettingsWarning]:
        return settings_warnings(self.draft)

    @cached_property
    def widest_margin(self) -> float:
        """Largest margin of error that a warning of the draft is about; 0 if no warning is about one."""
        return max((warning.margin for warning in self.warnings), default=0.0)

    @property
    def is_within_preset(self) -> bool:
        """True if all sections together are within the draft's preset."""
        return self.is_within(preset_for_new_section(self.draft).limit)

    def is_within(self, limit: GammaLimit) -> bool:
        """True if all sections together are within the limit of gamma."""
        return self.person_protection is None or limit.admits(self.person_protection.guarantee.gamma)

    @property
    def single_question_lines(self) -> list[str]:
        """Sentences on the protection of sections with a single question, such as a number or a place; one
        for each section."""
        sections = [section for section in self.draft.sections if section.is_known and section.holds_one]
        return [
            get_kind(section).one_question_section_text(section, self.draft.disguised_respondents)
            for section in sections
        ]


def weakening_warnings(before: Questionnaire, after: Questionnaire) -> list[str]:
    """Returns warnings if a command weakened a person's protection beyond the preset, or made a share's
    margin too wide to be useful.

    `before` and `after`: the draft before and after the command.
    """
    was, now = ProtectionSummary(before), ProtectionSummary(after)
    effects = []
    if now.person_protection and was.is_within_preset and not now.is_within_preset:
        words = _("All answers of a person together are now less protected: %(before)s can become %(after)s.")
        effects.append(
            words
            % {"before": format_percent(float(PRIOR), 0), "after": now.person_protection.posterior_words}
        )
    if was.widest_margin <= USELESS < now.widest_margin:
        words = _("A share now has a margin of error of ±%(points)s points: see Protection.")
        effects.append(words % {"points": percentage_points_text(now.widest_margin)})
    return effects


def all_opening_problems(draft: Questionnaire) -> list[Problem]:
    """Returns everything that keeps the draft from being opened."""
    return draft_problems(draft.as_json(), timezone.localdate(), settings.LEAST_FLOOR)


def opening_problems_sentence(draft: Questionnaire, problems: Sequence[Problem] | None = None) -> str:
    """Returns the sentence above every page of the builder: how many problems must be fixed before opening, or that
    nothing is missing.

    If nothing is missing, it warns of a margin of error that is too wide. `problems`: all of them, where the caller has
    them already.
    """
    number = len(all_opening_problems(draft) if problems is None else problems)
    if number:
        words = ngettext("%(count)s thing is missing", "%(count)s things are missing", number)
        return words % {"count": number}
    margin = ProtectionSummary(draft).widest_margin
    if margin > USELESS:
        words = _("Nothing is missing, but a margin of error is ±%(points)s points")
        return words % {"points": percentage_points_text(margin)}
    return _("Nothing is missing")


def settings_warnings(draft: Questionnaire) -> list[SettingsWarning]:
    """Returns the warnings about all answers of a person, then the warnings about each section."""
    warnings = list(_draft_wide_warnings(draft))
    for number, section in enumerate(draft.sections):
        if kind := get_kind_if_known(section):
            warnings += kind.warnings(draft, number)
    return warnings


def opening_warnings(draft: Draft) -> list[SettingsWarning]:
    """Returns the warnings about a stored draft, the gravest first."""
    return sorted(settings_warnings(read_stored_questionnaire(draft)), key=lambda one: one.kind != NEVER)


def never_counted_sentence(draft: Questionnaire) -> str:
    """Returns the warning that fewer answers are expected than a batch needs, with what would work, each way with its
    margin of error of a share."""
    few, least, preset = (
        max(draft.respondents, LEAST_BASE),
        draft.minimum_batch_size,
        preset_for_new_section(draft),
    )
    words = _("You expect %(expected)s answers. With fewer than %(least)s none of them is ever counted.")
    values = {"expected": format_count(draft.respondents), "least": format_count(least)}
    values["few"] = format_count(few)
    grouped = [
        section for section in draft.sections if is_grouped_section(section) and section.disguise_law()
    ]
    parts = [words]
    if few < least:
        words = _(
            "What works: at least %(least)s people; or a minimum batch size of %(few)s, which a reviewer approves, and "
            "at least as many people."
        )
        parts.append(words)
    if grouped:
        alone = replace(draft, sections=(replace(grouped[0], questions=grouped[0].questions[:1], asked=1),))
        ways = {
            "larger": replace(draft, expected=least),
            "smaller": replace(draft, expected=few),
            "alone": replace(set_preset(alone, preset), expected=few),
            "weaker": replace(set_preset(draft, PRESETS["weaker"]), expected=few),
        }
        for name, way in ways.items():
            values[name] = percentage_points_text(itemset_margins_of_draft(way)[0].half_width or 0.0)
        words = _(
            "A share is then known to ±%(larger)s points from %(least)s answers and to ±%(smaller)s from %(few)s; with "
            "one sensitive question alone to ±%(alone)s, with the weaker disguise to ±%(weaker)s."
        )
        parts.append(words)
    return join_sentences([part % values for part in parts])


def _draft_wide_warnings(draft: Questionnaire) -> Iterator[SettingsWarning]:
    """Yields the warnings about all answers of a person together."""
    person = person_protection(draft, PRIOR)
    is_section_weak = any(not USUAL.admits(law.gamma) for _number, law in section_laws(draft))
    if person and person.epsilon > MOST_EPSILON and not is_section_weak:
        words = _("A record contains all sections. Together their ε is %(epsilon)s (limit: %(most)s).")
        words %= {"epsilon": two_decimals_text(person.epsilon), "most": MOST_EPSILON}
        cure = _("Strengthen every section until ε = %(most)s") % {"most": MOST_EPSILON}
        yield SettingsWarning("sum", words, (QuickFix(cure, "share"),))
    respondents, least = draft.respondents, draft.minimum_batch_size
    if respondents < least:
        yield SettingsWarning(NEVER, never_counted_sentence(draft), (expected_answers_fix(least),))
    elif respondents < records_that_fill_a_batch(least):
        words = _(
            "You expect %(expected)s answers. Nothing can be counted while the survey is open before there are "
            "%(many)s, and nothing at all if it closes with fewer than %(least)s."
        )
        words %= {
            "expected": format_count(respondents),
            "many": format_count(records_that_fill_a_batch(least)),
            "least": format_count(least),
        }
        yield SettingsWarning("few", words, (expected_answers_fix(records_that_fill_a_batch(least)),))
    arm = chosen_arm(draft)
    if arm and arm.is_small:
        words = _(
            "You expect %(direct)s answers asked directly and %(disguised)s disguised ones. With fewer than "
            "%(least)s in one of the groups, the comparison says little."
        )
        words %= {
            "direct": format_count(arm.asked_directly),
            "disguised": format_count(arm.disguised),
            "least": LEAST_ARM,
        }
        needed = round_up_to_two_figures(ceil(LEAST_ARM * PARTS / min(arm.direct, PARTS - arm.direct)))
        yield SettingsWarning("arms", words, (expected_answers_fix(needed),))
    people = expected_unique_people(respondents, count_combinations(plain_questions(draft)))
    if draft.open_answers and people >= MANY_UNIQUE * respondents:
        words = _(
            "If all combinations of answers that are not disguised were equally likely, about "
            "%(unique)s of %(expected)s people would be the only ones with theirs. If one of them "
            "chooses no disguise, anyone who knows these answers can read all their others."
        )
        words %= {"expected": format_count(respondents), "unique": format_count(round(people))}
        yield SettingsWarning("unique", words, (close_open_answers_fix(),))
