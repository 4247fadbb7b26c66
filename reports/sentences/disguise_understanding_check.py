"""Sentences on the check of understanding: how many people understood the disguise, and whether they answer
differently.
"""

from django.utils.translation import gettext as _, ngettext

from mining.nodes.study_nodes import UnderstandingCounts, UnderstandingDifference
from reports.answer_labels import Labels
from reports.sentences import number_format
from reports.sentences.arm_differences import (
    DIFFERENCE,
    near_end_phrase,
    points_text,
    state_estimate_behind,
    tested_difference_sign,
)
from reports.sentences.finding import Finding, MeasuredValue
from reports.sentences.sentence_parts import (
    Sentence,
    embolden_first,
    fill_template,
    predicate_phrase,
    quoted_answers,
)
from ui.number_format import format_count


def understanding_finding(counts: UnderstandingCounts) -> Finding | None:
    """Returns the finding on how many people understood the disguise; None if those who did not are too few to be
    published."""
    if not counts.shares or counts.n is None:
        return None
    at_once, explained, others = counts.shares
    if others.share is None or others.low is None or others.high is None:
        return None
    understood = MeasuredValue(1 - others.share, 1 - others.high, 1 - others.low)
    words = _("%(share)s understood how their answers are protected, at once or after an explanation.")
    return Finding(
        kind="understanding",
        node=counts,
        sentence=fill_template(words, share=embolden_first(understood.share)),
        beneath=_people_sentence(counts.n, at_once.share, explained.share),
        measured=understood,
    )


def _people_sentence(n: int, at_once: float | None, explained: float | None) -> Sentence:
    if at_once is None or explained is None:
        words = ngettext(
            "Of %(count)s person whose answers are disguised.",
            "Of %(count)s people whose answers are disguised.",
            n,
        )
        return fill_template(words, count=format_count(n))
    words = ngettext(
        "Of %(count)s person whose answers are disguised: %(at_once)s at once, %(explained)s after an explanation.",
        "Of %(count)s people whose answers are disguised: %(at_once)s at once, %(explained)s after an explanation.",
        n,
    )
    shares = {"at_once": number_format.percent(at_once), "explained": number_format.percent(explained)}
    return fill_template(words, count=format_count(n), **shares)


def understanding_difference_finding(tested: UnderstandingDifference, labels: Labels) -> Finding:
    """Returns the finding on the difference of an answer between people who understood and the others.

    Only the difference is tested and drawn.
    """
    difference = MeasuredValue(tested.difference, tested.low, tested.high, everything=DIFFERENCE)
    shown = tested_difference_sign(tested)
    return state_estimate_behind(
        Finding(
            kind="understanding-difference",
            node=tested,
            sentence=_difference_sentence(tested, difference, shown, labels),
            verdict=shown,
            is_noise=not difference.is_known,
            measured=difference,
            base=MeasuredValue(0.0),
        )
    )


def _difference_sentence(
    tested: UnderstandingDifference, difference: MeasuredValue, shown: int, labels: Labels
) -> Sentence:
    low, high, answer = tested.low, tested.high, quoted_answers([tested.item], labels)
    if tested.difference is None or low is None or high is None or not difference.is_known:
        words = _(
            "It cannot be said whether people who understood answer %(answer)s more or less often than others."
        )
        return fill_template(words, answer=answer)
    if shown:
        words = _("Of people who understood, %(difference)s %(did)s than of the others.")
        did = predicate_phrase([tested.item], labels)
        return fill_template(words, difference=near_end_phrase(difference), did=did)
    if low > 0 or high < 0:
        words = _(
            "It is not shown that people who understood answer %(answer)s more or less often: among so many answers, "
            "chance alone can do this."
        )
        return fill_template(words, answer=answer)
    words = _(
        "It is not shown that people who understood answer %(answer)s more or less often: anything between %(low)s "
        "fewer and %(high)s more is possible."
    )
    return fill_template(words, answer=answer, low=points_text(-low), high=points_text(high))
