"""Sentences on pairs of answers: a rule and its converse, which are one row."""

from dataclasses import dataclass, replace
from math import inf
from statistics import NormalDist

from django.utils.translation import gettext as _, ngettext

from mining.inference.intervals import NORMAL_95
from mining.inference.selection_correction import LEVEL
from mining.nodes.report_nodes import About, Items, Rule
from reports.answer_labels import Labels
from reports.estimate_texts import is_outside_interval
from reports.sentences import number_format
from reports.sentences.arm_differences import append_estimate, points_text
from reports.sentences.finding import NO_RATIO, RATIO, UNKNOWN, Finding, MeasuredValue
from reports.sentences.sample_population import SharePopulation
from reports.sentences.sentence_parts import (
    Sentence,
    capitalize_first,
    embolden_first,
    fill_template,
    join_sentences,
    people_phrase,
    phrases_of_sides,
    predicate_phrase,
    quoted_answers,
)
from ui.number_format import format_count

NOTHING = 0.005
"""Smallest ratio that is not written as 0."""
POWER = 0.8


@dataclass(frozen=True, slots=True)
class Direction:
    """One direction of a rule: of people with `condition`, the `share` with `consequence`, and its `base` rate among
    all.

    The interval of `share` allows for the rule's rank in the list; that of `base` need not, since no list selects base
    rates.
    """

    condition: Items
    consequence: Items
    share: MeasuredValue
    base: MeasuredValue

    @property
    def is_known(self) -> bool:
        return self.share.is_known and self.base.is_known


def rule_and_converse(rule: Rule) -> tuple[Direction, Direction]:
    """Returns the two directions of a rule: itself, and its converse."""
    onward = Direction(
        rule.antecedent,
        rule.consequent,
        MeasuredValue(rule.confidence, rule.confidence_low_listed, rule.confidence_high_listed),
        MeasuredValue(rule.consequent_support, rule.consequent_low, rule.consequent_high),
    )
    back = Direction(
        rule.consequent,
        rule.antecedent,
        MeasuredValue(rule.converse, rule.converse_low_listed, rule.converse_high_listed),
        MeasuredValue(rule.antecedent_support, rule.antecedent_low, rule.antecedent_high),
    )
    return onward, back


def order_directions(rule: Rule, labels: Labels) -> tuple[Direction, Direction]:
    """Returns both directions of a rule, in the order in which sentences state them.

    If a publication states only one direction, that is the first. Else the side of plain answers is the condition,
    since it is a group of people; else the direction with the higher share comes first.
    """
    onward, back = rule_and_converse(rule)
    if rule.said == "converse":
        return back, onward
    plain = [not labels.is_sensitive(side) for side in (rule.antecedent, rule.consequent)]
    if rule.said == "rule" or plain == [True, False]:
        return onward, back
    higher = (back.share.value or 0.0) > (onward.share.value or 0.0)
    return (back, onward) if plain == [False, True] or (plain[0] == plain[1] and higher) else (onward, back)


def shown_association_sign(rule: Rule) -> int:
    """Returns 1 if the sides of a rule are shown to go together more often than by chance, -1 if less often, else 0."""
    low, high = rule.lift_low_listed, rule.lift_high_listed
    if low is None:
        return rule.association
    holds_one = low <= 1 and (high is None or high >= 1)
    return 0 if holds_one else rule.association


def pair_finding(rule: Rule, labels: Labels) -> Finding:
    """Returns the finding about a rule and its converse.

    Of a pair that is shown to go together the picture has the ratio (lift), as the sentence has, and nothing where the
    sentence cannot state it; else it has the share.
    """
    first, other = order_directions(rule, labels)
    people = SharePopulation.of_rule(rule, labels)
    shown = shown_association_sign(rule)
    measured, base = first.share, first.base
    if not first.is_known:
        sentence = direction_sentence(first, labels)
    elif shown:
        measured, base = measured_ratio(rule.lift, rule.lift_low_listed, rule.lift_high_listed), NO_RATIO
        sentence = _association_sentence(first, measured, people, labels, shown)
    else:
        sentence = _no_association_sentence(rule, first, people, labels)
    finding = Finding(
        kind="pair",
        node=rule,
        sentence=sentence,
        beneath=join_sentences(
            people.answer_count_sentence(rule.n_shown_all), people.base_rate_sentence(first.base)
        ),
        verdict=shown,
        is_noise=not first.is_known,
        measured=measured,
        base=base,
        converse=direction_sentence(other, labels),
    )
    has_estimate = measured.is_ratio and measured.is_known and measured.high != inf
    return append_estimate(finding, _estimate_sentence(measured, first.share)) if has_estimate else finding


def measured_ratio(lift: float | None, low: float | None, high: float | None) -> MeasuredValue:
    """Returns a ratio (lift), whose interval may have no upper end, as a measured value; unknown if it cannot be
    stated."""
    if lift is None or low is None or is_outside_interval(lift, low, high):
        return UNKNOWN
    return MeasuredValue(lift, low, inf if high is None else high, everything=RATIO)


def pair_finding_without_ratio(rule: Rule, labels: Labels) -> Finding:
    """Returns the finding about a rule and its converse, whose sentence and picture are of the share alone: its ratio
    (lift) stands beside it."""
    first, _other = order_directions(rule, labels)
    sentence = direction_sentence(first, labels, bold=True)
    return replace(pair_finding(rule, labels), sentence=sentence, measured=first.share, base=UNKNOWN)


def true_share_of_first_direction(rule: Rule, labels: Labels) -> float | None:
    """Returns the true share in a rehearsal of the direction that sentences state first."""
    first, _other = order_directions(rule, labels)
    return rule.truth if first.condition == rule.antecedent else rule.truth_converse


def direction_sentence(direction: Direction, labels: Labels, *, bold: bool = False) -> Sentence:
    """Returns the sentence on one direction, without the ratio (lift): the share, or that it is too noisy to say."""
    values = _quoted_sides(direction, labels)
    if direction.share.is_known:
        share = embolden_first(direction.share.share) if bold else direction.share.share
        if sides := phrases_of_sides(direction.condition, direction.consequence, labels):
            return fill_template(_("Of %(people)s, %(share)s %(did)s."), share=share, **sides)
        words = _("Of people who answered %(condition)s, %(share)s answered %(consequence)s.")
        return fill_template(words, share=share, **values)
    if direction.share.bound_text:
        words = _(
            "Of people who answered %(condition)s, it is too noisy to say how many answered %(consequence)s: %(end)s."
        )
        return fill_template(words, end=direction.share.bound_text, **values)
    if direction.share.is_uninformative:
        words = _(
            "Of people who answered %(condition)s, it is too noisy to say how many answered %(consequence)s."
        )
        return fill_template(words, **values)
    if direction.share.has_value_without_interval:
        words = _(
            "Of people who answered %(condition)s, it cannot be said how many answered %(consequence)s: the counts "
            "contradict each other."
        )
        return fill_template(words, **values)
    words = _("Of people who answered %(condition)s, it cannot be said how many answered %(consequence)s.")
    return fill_template(words, **values)


def _association_sentence(
    direction: Direction, ratio: MeasuredValue, people: SharePopulation, labels: Labels, sign: int
) -> Sentence:
    if ratio.low is None or ratio.high is None:
        if sign > 0:
            more = _("That is more often than among %(among)s; how many times as often cannot be said.")
        else:
            more = _("That is less often than among %(among)s; how many times as often cannot be said.")
        return join_sentences(
            direction_sentence(direction, labels, bold=True), fill_template(more, among=people.among)
        )
    sides = phrases_of_sides(direction.condition, direction.consequence, labels)
    if sides:
        words = _("Of %(people)s, %(times)s %(did)s as among %(among)s.")
    else:
        words = _(
            "Of people who answered %(condition)s, %(times)s answered %(consequence)s as among %(among)s."
        )
    times = number_format.at_least_times(ratio.low) if sign > 0 else number_format.at_most_times(ratio.high)
    values = sides or _quoted_sides(direction, labels)
    return capitalize_first(fill_template(words, times=times, among=people.among, **values))


def _estimate_sentence(ratio: MeasuredValue, share: MeasuredValue) -> Sentence:
    times = number_format.times_as_many(ratio.value or 0.0, ratio.low or 0.0, ratio.high or 0.0)
    words = _("The estimate is %(estimate)s, and the share %(share)s.")
    return fill_template(words, estimate=times, share=share.share)


def _no_association_sentence(
    rule: Rule, direction: Direction, people: SharePopulation, labels: Labels
) -> Sentence:
    sentence = fill_template(
        _("Of %(people)s, %(share)s %(did)s. No difference is shown, compared with %(among)s."),
        share=direction.share.share,
        among=people.among,
        people=people_phrase(direction.condition, labels),
        did=predicate_phrase(direction.consequence, labels),
    )
    return join_sentences(sentence, possible_ratio_sentence(rule.lift_low_listed, rule.lift_high_listed))


def possible_ratio_sentence(low: float | None, high: float | None) -> Sentence:
    """Returns a sentence on the ratios (lifts) that the interval leaves possible."""
    if low is None or low > 1 or (high is not None and high < 1):
        return fill_template(_("How many times as often cannot be said."))
    if high is None and low < NOTHING:
        return fill_template(_("It is too noisy to say how many times as often."))
    if high is None:
        words = _("Less often and more often are both possible, %(low)s times as often or more.")
        return fill_template(words, low=number_format.ratio(low))
    words = _("Less often and more often are both possible, from %(low)s to %(high)s times as often.")
    return fill_template(words, low=number_format.ratio(low), high=number_format.ratio(high))


def _quoted_sides(direction: Direction, labels: Labels) -> dict[str, str | Sentence]:
    return {
        "condition": quoted_answers(direction.condition, labels),
        "consequence": quoted_answers(direction.consequence, labels),
    }


# --- what the design can find, beside what is not shown ---------------------------------------------------


def smallest_detectable_difference(rule: Rule, family: int) -> float | None:
    """Returns the smallest difference from the base rate that a test at .05/`family` finds four times out of five.

    It uses the error of the confidence, which is not below that of this difference (docs/mathematics.md, What the
    design can find). None if the error is not known, or the difference is more than a share can be.
    """
    if rule.confidence_low is None or rule.confidence_high is None or not family:
        return None
    error = (rule.confidence_high - rule.confidence_low) / (2 * NORMAL_95)
    normal = NormalDist()
    difference = (normal.inv_cdf(1 - LEVEL / family / 2) + normal.inv_cdf(POWER)) * error
    base = min(max(rule.consequent_support or 0.0, 0.0), 1.0)
    return difference if 0 < difference < max(1 - base, base) else None


def detectable_difference_sentence(rule: Rule, about: About) -> Sentence:
    """Returns a sentence on the smallest difference that the design would find; empty if none can be stated."""
    m = about.count_possible_rules(len(rule.items))
    difference, n = smallest_detectable_difference(rule, m), rule.n_shown_all
    if difference is None:
        return ()
    words = ngettext(
        "With %(count)s answer, a difference of %(points)s would be found four times out of five.",
        "With %(count)s answers, a difference of %(points)s would be found four times out of five.",
        n,
    )
    return fill_template(words, count=format_count(n), points=points_text(difference))
