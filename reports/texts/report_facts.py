"""Texts of the facts at the head of a report: records, parameters, estimator, and the test of both groups."""

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _

from intake.pages.true_answer_probabilities import earlier_waves
from mining.disclosure.plain_table_counts import plain_question_indexes
from mining.nodes.report_nodes import About
from mining.reconstruction.open_versus_disguised_sentence import group_test_sentence
from mining.reconstruction.open_versus_disguised_test import GroupTestResult
from mining.studies.single_answer_score_moments import largest_estimator_errors
from reports.texts.design_sentences import say
from surveys.lifecycle.earlier_designs import earlier_designs
from surveys.questionnaire.protection import EPSILON_PLACES
from surveys.questionnaire.question_count import count_design_questions
from ui.number_format import READERS_LANGUAGE, format_count, format_exact_percent, format_percent
from ui.sentence_joining import join_sentences
from ui.templatetags.ui import join_names

if TYPE_CHECKING:
    from reports.review.report_page_data import ReportPage


@dataclass(frozen=True)
class Fact:
    """A label and a value in the list of facts about a report."""

    label: str
    value: str
    url: str = ""
    is_code: bool = False


def report_facts(report: "ReportPage") -> list[Fact]:
    """Returns the facts at the head of a report."""
    about = report.about
    plain, sensitive = count_design_questions(report.design)
    said = {"plain": plain, "sensitive": sensitive}
    return [
        Fact(_("Survey"), report.title, report.survey.get_absolute_url()),
        Fact(_("Asked"), _("questions not disguised: %(plain)s, sensitive: %(sensitive)s") % said),
        Fact(_("Records"), records_and_day_text(about)),
        *open_record_facts(report),
        *asked_to_wait_facts(about),
        *repeated_survey_facts(report),
        Fact(_("Estimator"), say("estimator", report)),
        *estimator_error_facts(report),
        Fact(_("Looked for"), thresholds_text(about)),
        *([Fact(_("Not looked for"), uncounted_sizes_text(report))] if about.stopped_at else []),
        Fact(_("Made by"), run_and_engine_text(about)),
        Fact(_("Fingerprint"), about.fingerprint, is_code=True),
    ]


def estimator_error_facts(report: "ReportPage") -> list[Fact]:
    """Returns the standard errors of two estimators in a rehearsal, if both groups are alike."""
    about = report.about
    errors = largest_estimator_errors(report.design.mined, about.disguised + about.n_open, about.k)
    if not about.rehearsal or not about.n_open or errors is None:
        return []
    numbers = {"stratified": format_percent(errors.stratified), "pooled": format_percent(errors.pooled)}
    return [Fact(_("Standard error for an answer that 10 % have"), say("standard-errors", report, **numbers))]


def open_record_facts(report: "ReportPage") -> list[Fact]:
    """Returns the number of open records; in a survey with arms, that of records asked directly, which only compare the
    arms."""
    about, arms = report.about, report.content.study.arms
    if arms is None:
        return (
            [Fact(_("Of these open"), f"{format_count(about.n_open)} ({format_percent(about.k)})")]
            if about.n_open
            else []
        )
    return [Fact(_("Asked directly"), say("direct", report, records=format_count(arms.direct)))]


def asked_to_wait_facts(about: About) -> list[Fact]:
    """Returns how many people were asked to wait because too many came at once.

    Those who did not come back are in no estimate, and no interval covers that.
    """
    if not about.asked_to_wait:
        return []
    words = _("about %(asked)s people, and up to %(missing)s of them did not come back")
    numbers = {"asked": format_count(about.asked_to_wait), "missing": format_count(about.not_returned)}
    return [Fact(_("Asked to wait"), words % numbers)]


def records_used_text(report: "ReportPage") -> str:
    """Returns the first sentences of a report: whose records the estimates use."""
    about = report.about
    numbers = {"disguised": about.disguised, "opened": about.n_open, "out": about.left_out}
    return say("used", report, **{name: format_count(number) for name, number in numbers.items()})


def repeated_survey_facts(report: "ReportPage") -> list[Fact]:
    """Returns facts on the surveys that this one repeats, and on what answers to all of them reveal
    (docs/mathematics.md, Waves)."""
    design = report.design
    if not design.follows:
        return []
    designs = earlier_designs(design.follows)
    titles = [report.labels.in_language_of_reader(earlier.title) for earlier in designs]
    before = Fact(_("Asked before in"), join_names(titles) or _("a survey that is not stored here"))
    waves = earlier_waves(design)
    if waves is None or waves.guarantee is None or waves.times is None:
        return [before]
    times = number_format(float(waves.times), 1, force_grouping=True)
    epsilon = number_format(waves.guarantee.epsilon(EPSILON_PLACES))
    revealed = say("all-waves", report, times=times, epsilon=epsilon)
    return [before, Fact(say("in-all-waves", report), revealed)]


def records_and_day_text(about: About) -> str:
    day = date_format(date.fromisoformat(about.day))
    return _("%(records)s, sealed by %(day)s") % {"records": format_count(about.records), "day": day}


def thresholds_text(about: About) -> str:
    said = {
        "support": format_percent(about.min_support),
        "confidence": format_percent(about.min_confidence),
        "size": about.max_size,
    }
    words = _(
        "up to %(size)s answers together with a support of at least %(support)s, and rules with a confidence of at "
        "least %(confidence)s"
    )
    absences = _("; “no” and “prefer not to say” count as answers too") if about.absences else ""
    return words % said + absences


def uncounted_sizes_text(report: "ReportPage") -> str:
    about = report.about
    words = _("%(size)s or more answers together: there were too many to count at these thresholds.")
    return join_sentences([words % {"size": about.stopped_at}, minimum_support_advice(report)])


def minimum_support_advice(report: "ReportPage") -> str:
    """Returns advice on the minimum support that would be high enough to count all itemsets."""
    if report.about.fits is not None:
        return _("A minimum support of %(fits)s would be high enough.") % {
            "fits": format_exact_percent(report.about.fits)
        }
    if report.whole:
        return _("No minimum support is high enough: ask for smaller itemsets.")
    return _("Ask for a higher minimum support, or for smaller itemsets.")


def run_and_engine_text(about: About) -> str:
    how = _("with exact pruning") if about.exact else ""
    parts = [_("run %(number)s") % {"number": about.run}, _("engine %(name)s") % {"name": about.engine}, how]
    return ", ".join([part for part in parts if part] + [about.version])


def group_test_text(report: "ReportPage") -> str:
    """Returns the text on the test that compares open and disguised records; empty if a group has no records, or if too
    little was compared."""
    about, labels = report.about, report.labels
    if not about.n_open or not about.disguised:
        return ""
    rows = report.content.compared
    result = GroupTestResult(
        tuple(labels.item(row.item) for row in rows),
        *(
            np.array([getattr(row, name) for row in rows], np.float64)
            for name in ("opened", "disguised", "p", "more", "fewer")
        ),
    )
    compared = {place for place, _code in result.items}
    if not result.any_differs and not compared.issuperset(plain_question_indexes(report.mined_design)):
        return ""
    said = group_test_sentence(result, lambda item: labels.short(labels.name(item)), READERS_LANGUAGE)
    if not result.items:
        return ""
    if not labels.is_sensitive(row.item for row in rows):
        return join_sentences([say("plain-compared", report), said])
    return said
