"""What the difference of the arms says: asked with disguise, against asked directly."""

from django.utils.translation import gettext as _, ngettext

from look.numbers import count
from mining.document.study import ArmDifference, Arms
from reports.labels import Labels
from reports.measures import is_outside
from reports.sentences import figures
from reports.sentences.finding import Finding, Measured
from reports.sentences.parts import Part, Sentence, answers, emphasised, fill
from reports.sentences.shares import LEVEL


def of_arms(one: ArmDifference, arms: Arms, labels: Labels) -> Finding:
    """The base rate is the share of those asked directly; the interval is of the difference, which alone is tested."""
    difference = Measured(one.difference, one.low, one.high)
    shown = verdict(one)
    return Finding(
        kind="arms",
        node=one,
        sentence=_sentence(one, shown, answers([one.item], labels)),
        beneath=_beneath(arms),
        verdict=shown,
        is_noise=not difference.is_known or one.direct is None or is_outside(one.direct, 0.0, 1.0),
        measured=difference,
        base=Measured(0.0),
    )


def verdict(one: ArmDifference) -> int:
    """1 where more answer so with disguise, -1 fewer, after Holm's correction where several answers are compared."""
    p = one.holm if one.holm is not None else one.p
    if p is None or p > LEVEL or one.low is None or one.high is None:
        return 0
    return (one.low > 0) - (one.high < 0)


def _sentence(one: ArmDifference, shown: int, answer: str) -> Sentence:
    direct, low, high = one.direct, one.low, one.high
    if one.difference is None or direct is None or low is None or high is None:
        words = _(
            "It cannot be said how many more or fewer answer %(answer)s with disguise than when asked directly."
        )
        return fill(words, answer=answer)
    if is_outside(one.difference, low, high) or is_outside(direct, 0.0, 1.0):
        words = _(
            "It is too noisy to say how many more or fewer answer %(answer)s with disguise than when asked directly."
        )
        return fill(words, answer=answer)
    share = figures.percent(direct)
    if shown > 0:
        words = _("Asked directly, %(share)s answered %(answer)s; with disguise, %(points)s more.")
        return fill(words, share=share, answer=answer, points=_points(one.difference, low, high))
    if shown < 0:
        words = _("Asked directly, %(share)s answered %(answer)s; with disguise, %(points)s fewer.")
        return fill(words, share=share, answer=answer, points=_points(-one.difference, -high, -low))
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
    return fill(words, share=share, answer=answer, low=_of_points(-low), high=_of_points(high))


def _points(difference: float, low: float, high: float) -> Sentence:
    """A difference that is not below 0, with its interval."""
    places = _places(difference)
    ends = (figures.decimal(100 * end, places) for end in (low, high))
    return emphasised((Part(_of_points(difference)), Part(" "), *figures.interval(*ends)))


def _of_points(difference: float) -> str:
    number = figures.decimal(100 * difference, _places(difference))
    words = ngettext("%(number)s percentage point", "%(number)s percentage points", round(100 * difference))
    return words % {"number": number.replace(" ", figures.NO_BREAK_SPACE)}


def _places(difference: float) -> int:
    """Below a percentage point tenths."""
    return 0 if round(100 * difference) or not difference else 1


def _beneath(arms: Arms) -> Sentence:
    words = ngettext(
        "%(direct)s of %(count)s person was asked directly.",
        "%(direct)s of %(count)s people were asked directly.",
        arms.direct + arms.disguised,
    )
    return fill(words, direct=count(arms.direct), count=count(arms.direct + arms.disguised))
