"""Sentences on the difference between the arms: people asked with disguise against people asked directly."""

from dataclasses import replace

from django.utils.translation import gettext as _, ngettext

from mining.nodes.report_nodes import LEVEL
from mining.nodes.study_nodes import ArmDifference, UnderstandingDifference
from reports.answer_labels import Labels
from reports.sentences import number_format
from reports.sentences.finding import Finding, MeasuredValue
from reports.sentences.sentence_parts import (
    Part,
    Sentence,
    capitalize_first,
    embolden_first,
    fill_template,
    join_sentences,
    predicate_phrase,
    quoted_answers,
)
from ui.number_format import format_count

DIFFERENCE = (-1.0, 1.0)
"""Range of a difference of shares."""


def arms_finding(difference_of_arms: ArmDifference, labels: Labels) -> Finding:
    """Returns the finding about the difference between the arms.

    Its sentence also states the share of those asked directly; only the difference is tested and drawn.
    """
    direct, difference = _direct_and_difference(difference_of_arms)
    shown = tested_difference_sign(difference_of_arms)
    return state_estimate_behind(
        Finding(
            kind="arms",
            node=difference_of_arms,
            sentence=_sentence(difference_of_arms, shown, labels),
            beneath=_people_sentence(difference_of_arms),
            verdict=shown,
            is_noise=not difference.is_known or not direct.is_known,
            measured=difference,
            base=MeasuredValue(0.0),
        )
    )


def _direct_and_difference(difference_of_arms: ArmDifference) -> tuple[MeasuredValue, MeasuredValue]:
    """Returns the share of the people asked directly, and the difference between the arms."""
    direct = MeasuredValue(
        difference_of_arms.direct, difference_of_arms.direct_low, difference_of_arms.direct_high
    )
    return direct, MeasuredValue(
        difference_of_arms.difference, difference_of_arms.low, difference_of_arms.high, everything=DIFFERENCE
    )


def tested_difference_sign(tested: ArmDifference | UnderstandingDifference) -> int:
    """Returns 1 if the answer is shown to be more common with disguise (or among those who understood), -1 if less,
    else 0.

    The test of several items is corrected by Holm.
    """
    p = tested.holm if tested.holm is not None else tested.p
    if p is None or p > LEVEL or tested.low is None or tested.high is None:
        return 0
    return (tested.low > 0) - (tested.high < 0)


def _sentence(difference_of_arms: ArmDifference, sign: int, labels: Labels) -> Sentence:
    low, high, answer = (
        difference_of_arms.low,
        difference_of_arms.high,
        quoted_answers([difference_of_arms.item], labels),
    )
    if (
        difference_of_arms.difference is None
        or difference_of_arms.direct is None
        or low is None
        or high is None
    ):
        words = _(
            "It cannot be said how many more or fewer answer %(answer)s with disguise than when asked directly."
        )
        return fill_template(words, answer=answer)
    direct, difference = _direct_and_difference(difference_of_arms)
    if not difference.is_known or not direct.is_known:
        words = _(
            "It is too noisy to say how many more or fewer answer %(answer)s with disguise than when asked directly."
        )
        return fill_template(words, answer=answer)
    values: dict[str, str | Sentence] = {
        "share": direct.share,
        "did": predicate_phrase([difference_of_arms.item], labels),
    }
    if sign:
        words = _("Asked directly, %(share)s %(did)s; with disguise, %(difference)s.")
        return fill_template(words, difference=near_end_phrase(difference), **values)
    if low > 0 or high < 0:
        words = _(
            "Asked directly, %(share)s %(did)s. No difference with disguise is shown; among so many answers, chance "
            "alone can do this."
        )
        return fill_template(words, **values)
    words = _(
        "Asked directly, %(share)s %(did)s. No difference with disguise is shown; anything between %(low)s fewer and "
        "%(high)s more is possible."
    )
    return fill_template(words, low=points_text(-low), high=points_text(high), **values)


def _size_with_ends(difference: MeasuredValue) -> tuple[float, float, float]:
    """Returns the size of a difference that is shown, and the near and the far end of its interval, none negative."""
    near, far = sorted((abs(difference.low or 0.0), abs(difference.high or 0.0)))
    return abs(difference.value or 0.0), near, far


def size_with_interval(difference: MeasuredValue) -> Sentence:
    """Returns the size of a difference that is shown, in percentage points, with its interval."""
    size, *ends = _size_with_ends(difference)
    places = decimal_places(size, *ends)
    interval = number_format.bracketed_interval(*(number_format.decimal(100 * end, places) for end in ends))
    return embolden_first((Part(points_text(size, places)), Part(" "), *interval))


def near_end_phrase(difference: MeasuredValue) -> Sentence:
    """Returns "at least 6 percentage points more" or "fewer", the near end of a difference that is shown: of what was
    found among many, the estimate exaggerates."""
    ends = _size_with_ends(difference)
    is_more = (difference.value or 0.0) > 0
    words = _("at least %(points)s more") if is_more else _("at least %(points)s fewer")
    return (Part(words % {"points": points_text(ends[1], decimal_places(*ends))}, strong=True),)


def estimate_phrase(difference: MeasuredValue) -> Sentence:
    """Returns "6 percentage points (4–8) more" or "fewer", of what was not found among many."""
    words = _("%(points)s more") if (difference.value or 0.0) > 0 else _("%(points)s fewer")
    return fill_template(words, points=size_with_interval(difference))


def state_estimate_behind(finding: Finding) -> Finding:
    """Returns the finding with the estimate behind its sentence, if that states the near end of a difference."""
    if not finding.verdict or finding.is_noise:
        return finding
    points = size_with_interval(finding.measured)
    finding = replace(finding, sentence=capitalize_first(finding.sentence))
    return append_estimate(finding, fill_template(_("The estimate is %(estimate)s."), estimate=points))


def append_estimate(finding: Finding, estimate: Sentence) -> Finding:
    sentence = join_sentences(finding.sentence, tuple(replace(part, strong=False) for part in estimate))
    return replace(finding, sentence=sentence, without_estimate=finding.sentence)


def points_text(difference: float, places: int | None = None) -> str:
    """Formats a difference in percentage points, with its own number of decimals unless another is given."""
    places = decimal_places(difference) if places is None else places
    number = number_format.decimal(100 * difference, places)
    words = ngettext(
        "%(number)s percentage point", "%(number)s percentage points", abs(round(100 * difference))
    )
    return words % {"number": number.replace(" ", number_format.NO_BREAK_SPACE)}


def decimal_places(*differences: float) -> int:
    """Returns the number of decimals of differences that stand together: 1 if one would be rounded to 0, else 0."""
    return int(any(difference and not round(100 * difference) for difference in differences))


def _people_sentence(difference_of_arms: ArmDifference) -> Sentence:
    words = ngettext(
        "%(direct)s of %(count)s person was asked directly.",
        "%(direct)s of %(count)s people were asked directly.",
        difference_of_arms.n,
    )
    return fill_template(
        words, direct=format_count(difference_of_arms.n_direct or 0), count=format_count(difference_of_arms.n)
    )
