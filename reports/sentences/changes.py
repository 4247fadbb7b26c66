"""Sentences on how the share of an answer changed since the survey that this one follows."""

from django.utils.translation import gettext as _

from mining.nodes.study_nodes import HypothesisResult, WaveDifference
from reports.answer_labels import Labels
from reports.sentences.arm_differences import (
    DIFFERENCE,
    estimate_phrase,
    near_end_phrase,
    points_text,
    state_estimate_behind,
)
from reports.sentences.finding import Finding, MeasuredValue
from reports.sentences.sentence_parts import Sentence, fill_template, people_phrase, predicate_phrase
from ui.number_format import format_count


def change_finding(change: WaveDifference, labels: Labels) -> Finding:
    """Returns the finding about the change of a share."""
    measured = MeasuredValue(change.difference, change.low, change.high, everything=DIFFERENCE)
    return state_estimate_behind(
        Finding(
            kind="change",
            node=change,
            sentence=change_sentence(change, measured, labels, disguised_only=change.disguised_only),
            verdict=change_sign(change),
            is_noise=not measured.is_known,
            measured=measured,
            base=MeasuredValue(0.0),
        )
    )


def change_sign(change: WaveDifference | HypothesisResult) -> int:
    """Returns 1 if the interval shows that the share rose, -1 if that it fell, else 0."""
    if change.low is None or change.high is None:
        return 0
    return (change.low > 0) - (change.high < 0)


def change_sentence(
    change: WaveDifference | HypothesisResult,
    measured: MeasuredValue,
    labels: Labels,
    *,
    disguised_only: bool,
) -> Sentence:
    """Returns the sentence on the change of a share, with the numbers of people in both rounds."""
    did = predicate_phrase([change.item], labels)
    if measured.value is None or measured.low is None or measured.high is None or not measured.is_known:
        words = _("It is too noisy to say how many more or fewer %(did)s than in the earlier round.")
        return fill_template(words, did=did)
    who = fill_template(
        _("among %(before)s people who chose disguise then and %(now)s now")
        if disguised_only
        else _("among %(before)s people then and %(now)s now"),
        before=format_count(change.n_earlier or 0),
        now=format_count(change.n_later or 0),
    )
    if not change_sign(change):
        words = _(
            "It is not shown that the share of %(people)s changed since the earlier round, %(who)s; anything between "
            "%(low)s fewer and %(high)s more is possible."
        )
        return fill_template(
            words,
            people=people_phrase([change.item], labels),
            who=who,
            low=points_text(-measured.low),
            high=points_text(measured.high),
        )
    words = _("Since the earlier round, %(difference)s %(did)s, %(who)s.")
    # What a plan names was not found among many.
    phrase = estimate_phrase if isinstance(change, HypothesisResult) else near_end_phrase
    return fill_template(words, difference=phrase(measured), did=did, who=who)
