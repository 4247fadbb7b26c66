"""The measures of a rule, each with a sentence that says what it means."""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from mining.document.report import Rule, is_outside_unit
from ui.numbers import format_count, format_percent


@dataclass(frozen=True)
class Measure:
    """The intervals of a rule that was chosen before the survey, `listed` at its place in the list, `picked` out of all
    rules; empty where there is none. `quiet`: it is beside what is said."""

    label: str
    value: str
    interval: str
    meaning: str
    listed: str = ""
    picked: str = ""
    quiet: bool = False


def decimal(value: float | None, places: int = 2) -> str:
    if value is None:
        return "–"
    return str(number_format(round(value, places) + 0.0, places)).replace("-", "−")


LEAST_CHANCE = 0.001


def chance(value: float | None) -> str:
    """A p or a q, to three places."""
    if value is not None and value < LEAST_CHANCE:
        return f"< {decimal(LEAST_CHANCE, 3)}"
    return decimal(value, 3)


def points(value: float | None) -> str:
    """A difference of shares in percentage points, with its sign."""
    if value is None:
        return "–"
    return f"{'+' * (round(100 * value, 1) > 0)}{decimal(100 * value, 1)}"


def between_points(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return _("cannot be estimated")
    return _("%(low)s to %(high)s") % {"low": points(low), "high": points(high)}


def between_uncut(low: float | None, high: float | None) -> str:
    """An interval of shares that is not cut to [0, 1]."""
    if low is None or high is None:
        return _("cannot be estimated")
    return _("%(low)s to %(high)s") % {"low": format_percent(low), "high": format_percent(high)}


def between(low: float | None, high: float | None, *, share: bool) -> str:
    """The 95 % interval in words; also says that it cannot be estimated, as where a share may be anything in [0, 1].

    A lift without an upper end: the lower end "or more".
    """
    if low is None or (share and (high is None or (low, high) == (0.0, 1.0))):
        return _("cannot be estimated")
    if high is None:
        return _("%(low)s or more") % {"low": decimal(low)}
    ends = (format_percent(low), format_percent(high)) if share else (decimal(low), decimal(high))
    return _("%(low)s to %(high)s") % {"low": ends[0], "high": ends[1]}


EDGE = 1e-9


def is_outside(value: float, low: float | None, high: float | None) -> bool:
    """Whether the interval of an estimate excludes it: only an impossible estimate is so."""
    return (low is not None and value < low - EDGE) or (high is not None and value > high + EDGE)


def estimate(value: float | None, low: float | None, high: float | None) -> str:
    """A share, or in words what its interval says where the estimate itself is impossible."""
    if value is not None and (low is None or high is None):
        return _("cannot be said: the counts contradict each other")
    return said(value, low, high, format_percent)


def said(
    value: float | None, low: float | None, high: float | None, write: Callable[[float | None], str]
) -> str:
    """An estimate as `write` writes it, or in words what its interval says where the estimate is impossible."""
    if value is None or not is_outside(value, low, high):
        return write(value)
    if low is not None and value < low:
        end = high
        words = _("too noisy to say: at most %(share)s")
    else:
        end, words = low, _("too noisy to say: at least %(share)s")
    return _("too noisy to say") if end is None else words % {"share": write(end)}


def lift(value: float | None, low: float | None, high: float | None) -> str:
    """A lift, which has no interval where nearly everybody has a side."""
    return said(value, low, high, decimal)


def difference(value: float | None, low: float | None, high: float | None) -> str:
    """A difference of shares in percentage points."""
    return said(value, low, high, points)


def possible(value: float | None) -> str:
    """A share without an interval, not printed where it is impossible."""
    return _("too noisy to say") if is_outside_unit(value) else format_percent(value)


def denominator_of_rule(rule: Rule) -> str:
    """The denominator of a rule's confidence and lift."""
    words = (
        _("among the %(eligible)s who chose disguise and were shown these questions")
        if rule.disguised_only
        else _("among the %(eligible)s who were shown these questions")
    )
    return words % {"eligible": format_count(rule.n_shown_all)}


def measures(rule: Rule) -> list[Measure]:
    return [*of_support(rule), *of_chance(rule), *of_records(rule), *again(rule)]


def again(rule: Rule) -> list[Measure]:
    if rule.again is None:
        return []
    said = _("of simulated surveys in which it is exactly as strong as estimated, how many report it again")
    return [Measure(_("Found again"), format_percent(rule.again, 0), "", said)]


def of_support(rule: Rule) -> list[Measure]:
    rows = [
        (
            "confidence",
            rule.confidence,
            _("Confidence"),
            _("of people matching “if”, the share who also match “then”"),
        ),
        (
            "consequent",
            rule.consequent_support,
            _("“Then” among all"),
            _("of all people who were shown all of it, the share who match “then”"),
        ),
        (
            "converse",
            rule.converse,
            _("Confidence the other way round"),
            _("of people matching “then”, the share who also match “if”"),
        ),
        (
            "antecedent",
            rule.antecedent_support,
            _("“If” among all"),
            _("of all people who were shown all of it, the share who match “if”"),
        ),
        (
            "lift",
            rule.lift,
            _("Lift"),
            _("observed ÷ expected if independent; 1 means no association"),
        ),
        (
            "support",
            rule.support,
            _("Support"),
            _("share of all who were asked that have all these answers"),
        ),
    ]
    return [of_kind(rule, *row) for row in rows]


def of_kind(rule: Rule, name: str, value: float | None, label: str, meaning: str) -> Measure:
    share = name != "lift"

    def ends(of: Rule, beyond: str) -> tuple[float | None, float | None]:
        return getattr(of, f"{name}_low{beyond}"), getattr(of, f"{name}_high{beyond}")

    alone, is_selected = ends(rule, ""), name in ("confidence", "converse", "lift")
    return Measure(
        label,
        (estimate if share else lift)(value, *alone),
        between(*alone, share=share),
        meaning,
        between(*ends(rule, "_listed"), share=share) if is_selected else "",
        between(*ends(rule.at_rank(1), "_listed"), share=share) if is_selected else "",
        quiet=name in QUIET[rule.said],
    )


QUIET = {
    "both": frozenset[str](),
    "rule": frozenset({"converse", "antecedent"}),
    "converse": frozenset({"confidence", "consequent"}),
}


def of_chance(rule: Rule) -> list[Measure]:
    return [
        Measure("p", chance(rule.p), "", _("p-value of this rule alone, if there were no association")),
        Measure(
            _("q, over all pairs"),
            chance(rule.q),
            "",
            _(
                "upper bound on the expected share of false discoveries (no association) among the rules with a q "
                "this small or smaller"
            ),
        ),
    ]


def of_records(rule: Rule) -> list[Measure]:
    return [
        Measure(_("Asked"), format_count(rule.n_asked), "", _("records that were asked all of it")),
        Measure(
            _("Shown to"),
            format_count(rule.n_shown_all),
            "",
            _("of these, records to which no rule hides any of it: all measures but the support are theirs"),
        ),
    ]
