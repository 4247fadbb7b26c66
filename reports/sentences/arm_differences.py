"""What the difference of the arms says: asked with disguise, against asked directly."""

from django.utils.translation import gettext as _, ngettext

from mining.document.report import LEVEL
from mining.document.study import ArmDifference, UnderstandingDifference
from reports.labels import Labels
from reports.sentences import number_format
from reports.sentences.finding import Finding, Measured
from reports.sentences.sentence_parts import Part, Sentence, answers, did, emphasised, fill
from ui.numbers import format_count

DIFFERENCE = (-1.0, 1.0)
"""Everything that a difference of shares can be."""


def of_arms(one: ArmDifference, labels: Labels) -> Finding:
    """The base rate is the share of those asked directly; the bar is of the difference, which alone is tested."""
    direct, difference = _measured(one)
    shown = verdict(one)
    return Finding(
        kind="arms",
        node=one,
        sentence=_sentence(one, shown, labels),
        beneath=_beneath(one),
        verdict=shown,
        is_noise=not difference.is_known or not direct.is_known,
        measured=difference,
        base=Measured(0.0),
    )


def _measured(one: ArmDifference) -> tuple[Measured, Measured]:
    """The share of those asked directly, and the difference."""
    direct = Measured(one.direct, one.direct_low, one.direct_high)
    return direct, Measured(one.difference, one.low, one.high, everything=DIFFERENCE)


def verdict(one: ArmDifference | UnderstandingDifference) -> int:
    """1 where more answer so with disguise, or having understood it, -1 fewer; after Holm, where several are there."""
    p = one.holm if one.holm is not None else one.p
    if p is None or p > LEVEL or one.low is None or one.high is None:
        return 0
    return (one.low > 0) - (one.high < 0)


def _sentence(one: ArmDifference, shown: int, labels: Labels) -> Sentence:
    low, high, answer = one.low, one.high, answers([one.item], labels)
    if one.difference is None or one.direct is None or low is None or high is None:
        words = _(
            "It cannot be said how many more or fewer answer %(answer)s with disguise than when asked directly."
        )
        return fill(words, answer=answer)
    direct, difference = _measured(one)
    if not difference.is_known or not direct.is_known:
        words = _(
            "It is too noisy to say how many more or fewer answer %(answer)s with disguise than when asked directly."
        )
        return fill(words, answer=answer)
    share = direct.share
    if labels.predicate([one.item]):
        return _did(one.difference, low, high, shown, {"share": share, "did": did([one.item], labels)})
    if shown > 0:
        words = _("Asked directly, %(share)s answered %(answer)s; with disguise, %(points)s more.")
        return fill(words, share=share, answer=answer, points=points_of(one.difference, low, high))
    if shown < 0:
        words = _("Asked directly, %(share)s answered %(answer)s; with disguise, %(points)s fewer.")
        return fill(words, share=share, answer=answer, points=points_of(-one.difference, -high, -low))
    if low > 0 or high < 0:
        words = _(
            "Asked directly, %(share)s answered %(answer)s. No difference with disguise is shown: among so many "
            "answers, chance alone can do this."
        )
        return fill(words, share=share, answer=answer)
    words = _(
        "Asked directly, %(share)s answered %(answer)s. No difference with disguise is shown: anything between %(low)s "
        "fewer and %(high)s more is possible."
    )
    return fill(words, share=share, answer=answer, low=of_points(-low), high=of_points(high))


def _did(
    difference: float, low: float, high: float, shown: int, values: dict[str, str | Sentence]
) -> Sentence:
    """Of an answer that has words for sentences."""
    if shown > 0:
        words = _("Asked directly, %(share)s %(did)s; with disguise, %(points)s more.")
        return fill(words, points=points_of(difference, low, high), **values)
    if shown < 0:
        words = _("Asked directly, %(share)s %(did)s; with disguise, %(points)s fewer.")
        return fill(words, points=points_of(-difference, -high, -low), **values)
    if low > 0 or high < 0:
        words = _(
            "Asked directly, %(share)s %(did)s. No difference with disguise is shown; among so many answers, chance "
            "alone can do this."
        )
        return fill(words, **values)
    words = _(
        "Asked directly, %(share)s %(did)s. No difference with disguise is shown; anything between %(low)s fewer and "
        "%(high)s more is possible."
    )
    return fill(words, low=of_points(-low), high=of_points(high), **values)


def points_of(difference: float, low: float, high: float) -> Sentence:
    """A difference that is not below 0, with its interval."""
    places = _places(difference)
    ends = (number_format.decimal(100 * end, places) for end in (low, high))
    return emphasised((Part(of_points(difference)), Part(" "), *number_format.interval(*ends)))


def of_points(difference: float) -> str:
    number = number_format.decimal(100 * difference, _places(difference))
    words = ngettext(
        "%(number)s percentage point", "%(number)s percentage points", abs(round(100 * difference))
    )
    return words % {"number": number.replace(" ", number_format.NO_BREAK_SPACE)}


def _places(difference: float) -> int:
    """Below a percentage point tenths."""
    return 0 if round(100 * difference) or not difference else 1


def _beneath(one: ArmDifference) -> Sentence:
    words = ngettext(
        "%(direct)s of %(count)s person was asked directly.",
        "%(direct)s of %(count)s people were asked directly.",
        one.n,
    )
    return fill(words, direct=format_count(one.n_direct or 0), count=format_count(one.n))
