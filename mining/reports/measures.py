"""What each number of a rule means, beside the number."""

from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from look.templatetags.look import count, percent
from mining.reports.content import Rule


@dataclass(frozen=True)
class Measure:
    label: str
    value: str
    interval: str
    meaning: str


def decimal(value: float | None, places: int = 2) -> str:
    if value is None:
        return "–"
    return str(number_format(round(value, places) + 0.0, places)).replace("-", "−")


def between(low: float | None, high: float | None, *, share: bool) -> str:
    """The 95 % interval; what cannot be estimated is said, and not left empty."""
    if low is None or high is None:
        return _("cannot be estimated")
    ends = (percent(low), percent(high)) if share else (decimal(low), decimal(high))
    return _("%(low)s to %(high)s") % {"low": ends[0], "high": ends[1]}


def measures(rule: Rule) -> list[Measure]:
    return [*of_support(rule), *of_chance(rule), *of_both_sides(rule), *again(rule)]


def again(rule: Rule) -> list[Measure]:
    if rule.again is None:
        return []
    said = _("of simulated surveys in which it is exactly as strong as estimated, how many report it again")
    return [Measure(_("Found again"), percent(rule.again, 0), "", said)]


def of_support(rule: Rule) -> list[Measure]:
    return [
        Measure(
            _("Support"),
            percent(rule.support),
            between(rule.support_low, rule.support_high, share=True),
            _("how many gave all these answers"),
        ),
        Measure(
            _("Confidence"),
            percent(rule.confidence),
            between(rule.confidence_low, rule.confidence_high, share=True),
            _("of those who gave the first answers, how many gave the others too"),
        ),
        Measure(
            _("Lift"),
            decimal(rule.lift),
            between(rule.lift_low, rule.lift_high, share=False),
            _("how many times as often as if the two sides had nothing to do with each other; 1 is chance"),
        ),
        Measure(
            _("Leverage"),
            percent(rule.leverage, 2),
            between(rule.leverage_low, rule.leverage_high, share=True),
            _("how much larger the support is than by chance"),
        ),
    ]


def of_chance(rule: Rule) -> list[Measure]:
    return [
        Measure(
            "p",
            decimal(rule.p, 4),
            "",
            _("how often chance alone would show as much, for this rule by itself"),
        ),
        Measure(
            "q", decimal(rule.q, 4), "", _("the share of false rules among all with a q as small as this")
        ),
    ]


def of_both_sides(rule: Rule) -> list[Measure]:
    return [
        Measure(
            _("Conviction"),
            decimal(rule.conviction),
            "",
            _("how much rarer the exceptions are than by chance"),
        ),
        Measure(
            "Zhang", decimal(rule.zhangs_metric), "", _("from −1, never together, to 1, always together")
        ),
        Measure("Jaccard", decimal(rule.jaccard), "", _("both sides, of those with either")),
        Measure(
            _("Certainty"),
            decimal(rule.certainty),
            "",
            _("how far the confidence goes beyond chance towards 1"),
        ),
        Measure(
            "Kulczynski", decimal(rule.kulczynski), "", _("the mean of the confidences in both directions")
        ),
        Measure(
            _("Asked"),
            count(rule.base),
            "",
            _("records that were asked all of it, %(share)s of the whole")
            % {"share": percent(rule.representativity)},
        ),
    ]
