"""Lists the measures of a rule, each with its intervals and a sentence that explains it."""

from dataclasses import dataclass

from django.utils.translation import gettext as _, gettext_lazy

from mining.nodes.report_nodes import Rule
from mining.nodes.rule_lists import LARGER, PAIRS
from reports.estimate_texts import interval_text, lift_text, p_value_text, share_text
from ui.number_format import format_count

LIST_TITLES = {PAIRS: gettext_lazy("Pairs"), LARGER: gettext_lazy("Ways to divide more than two answers")}


@dataclass(frozen=True)
class Measure:
    """A measure of a rule with three 95 % intervals, each empty if there is none.

    `interval` is for a rule that was chosen before the survey, `listed` for one chosen by its rank in the
    list, `picked` for one picked out of all rules. `quiet`: the measure is of the direction that the
    publication does not state.
    """

    label: str
    value: str
    interval: str
    meaning: str
    listed: str = ""
    picked: str = ""
    quiet: bool = False


def among_whom_text(rule: Rule) -> str:
    """Returns the phrase for the people among whom a rule's confidence and lift are computed."""
    words = (
        _("among %(eligible)s records of people who chose disguise and were shown these questions")
        if rule.disguised_only
        else _("among %(eligible)s records of people who were shown these questions")
    )
    return words % {"eligible": format_count(rule.n_shown_all)}


def all_measures(rule: Rule) -> list[Measure]:
    return [*estimate_measures(rule), *p_value_measures(rule), *record_count_measures(rule)]


def estimate_measures(rule: Rule) -> list[Measure]:
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
    return [estimate_measure(rule, *row) for row in rows]


def estimate_measure(rule: Rule, name: str, value: float | None, label: str, meaning: str) -> Measure:
    share = name != "lift"

    def interval_ends(rule_at_rank: Rule, suffix: str) -> tuple[float | None, float | None]:
        return getattr(rule_at_rank, f"{name}_low{suffix}"), getattr(rule_at_rank, f"{name}_high{suffix}")

    alone, is_selected = interval_ends(rule, ""), name in ("confidence", "converse", "lift")
    return Measure(
        label,
        (share_text if share else lift_text)(value, *alone),
        interval_text(*alone, share=share),
        meaning,
        interval_text(*interval_ends(rule, "_listed"), share=share) if is_selected else "",
        interval_text(*interval_ends(rule.at_rank(1), "_listed"), share=share) if is_selected else "",
        quiet=name in QUIET[rule.said],
    )


QUIET = {
    "both": frozenset[str](),
    "rule": frozenset({"converse", "antecedent"}),
    "converse": frozenset({"confidence", "consequent"}),
}


def p_value_measures(rule: Rule) -> list[Measure]:
    return [
        Measure("p", p_value_text(rule.p), "", _("p-value of this rule alone, if there were no association")),
        Measure(
            _("q, over the whole list"),
            p_value_text(rule.q),
            "",
            _(
                "upper bound on the expected share of false discoveries (no association) among the rules with a q "
                "this small or smaller"
            ),
        ),
    ]


def record_count_measures(rule: Rule) -> list[Measure]:
    return [
        Measure(
            _("Answers used"),
            format_count(rule.n_asked),
            "",
            _("records that were asked all of it; of a number those that send its class"),
        ),
        Measure(
            _("Shown to"),
            format_count(rule.n_shown_all),
            "",
            _("of these, records to which no rule hides any of it: all measures but the support are theirs"),
        ),
    ]
