"""Lists the facts behind a row of the report that signed-in readers unfold: intervals, counts, levels."""

from collections.abc import Iterator

from django.utils.translation import gettext as _, gettext_noop

from mining.nodes.report_nodes import Estimate, Rule
from reports import estimate_texts, rule_measures
from reports.answer_labels import Labels
from reports.review.question_shares import QuestionShares
from reports.sentences.association_pairs import order_directions
from reports.sentences.finding import Finding
from reports.sentences.sentence_parts import as_text
from reports.texts.report_facts import Fact
from ui.number_format import format_count, format_percent

HIDDEN = gettext_noop(
    "A condition hides this question from some respondents. Each answer has its share of all respondents who were "
    "asked, and of the respondents who were shown the question."
)
OF_THOSE_SHOWN = gettext_noop(
    "A condition hides this question from some respondents. The shares are of the respondents who were shown it."
)


def share_evidence(share: Estimate, question: QuestionShares) -> Iterator[Fact]:
    """Yields the facts on a share: among all asked and, if a rule hides the question, among those shown it."""
    if question.is_hidden:
        yield Fact(_("Condition"), _(HIDDEN))
    elif question.may_be_hidden and question.is_asked_if_shown:
        yield Fact(_("Condition"), _(OF_THOSE_SHOWN))
    if share.n_asked is None:
        yield Fact(_("Estimate"), _("withheld, or too few records"))
        return
    for seen in share.by_denominator:
        is_of_all = seen is share
        # Of a number only those records count that send its class.
        asked = _("Answers used") if question.is_asked_if_shown else _("Asked")
        yield Fact(asked if is_of_all else _("Shown to"), format_count(seen.n_asked))
        if seen.observed is not None:
            label = _("Observed (disguised)") if question.is_sensitive else _("Observed")
            yield Fact(label, format_percent(seen.observed))
        if seen.support is None:
            yield Fact(_("Estimate"), _("too few asked") if is_of_all else _("shown to too few"))
            continue
        yield Fact(_("Estimate"), estimate_texts.share_text(seen.support, seen.low, seen.high))
        yield Fact(_("95 % interval"), estimate_texts.interval_text(seen.low, seen.high, share=True))
        if seen.pooled_if_different is not None:
            yield Fact(_("Pooled"), estimate_texts.share_or_too_noisy_text(seen.pooled_if_different))
        if seen.truth is not None:
            yield Fact(_("Truth"), format_percent(seen.truth))


def pair_evidence(finding: Finding, rule: Rule, labels: Labels, url: str) -> Iterator[Fact]:
    """Yields the facts on a pair: its other intervals, then its measures; `url` leads to the page of the rule."""
    yield Fact(_("The other way round"), as_text(finding.converse))
    confidence, _then, converse, _if, lift, support = rule_measures.estimate_measures(rule)
    first, _other = order_directions(rule, labels)
    share = confidence if first.condition == rule.antecedent else converse
    yield Fact(_("95 % interval, if chosen before the survey"), share.interval)
    yield Fact(_("Picked out of the whole list"), share.picked)
    yield Fact(lift.label, f"{lift.value} ({lift.listed})")
    yield Fact(support.label, f"{support.value} ({support.interval})")
    for measure in (*rule_measures.p_value_measures(rule), *rule_measures.record_count_measures(rule)):
        yield Fact(measure.label, measure.value)
    yield Fact(_("Rule"), _("Every measure of rule %(number)s") % {"number": rule.number}, url=url)
