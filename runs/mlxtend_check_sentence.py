"""The sentence about the check of a run by mlxtend, also for public pages in all languages."""

from django.utils.translation import gettext as _, ngettext

from runs.mlxtend_check import CheckResult, last_check, last_result
from runs.models import EngineCheck, MlxtendCheck, Run
from ui.number_format import format_count
from ui.sentence_joining import join_sentences

Counts = tuple[int, int]
"""Numbers of itemsets and of rules; a rule and its converse count as one."""


def check_sentence(run: Run, counts: Counts | None) -> str:
    """Returns the sentence about the result of the run's last finished check.

    `counts`: numbers of disclosed itemsets and rules, which the check covers. Without them the sentence has
    no number: the cost of a check reveals how many itemsets were candidates.
    """
    result = last_result(run)
    return result_sentence(result, counts) if result else sentence_without_result(run, last_check(run))


def sentence_without_result(run: Run, check: EngineCheck | None) -> str:
    """Returns the sentence about a run of which no check is finished; `check`: its last one."""
    if check and not check.live:
        return _("Not checked by mlxtend: the check was not finished.")
    if check is None and run.mlxtend == MlxtendCheck.NEVER:
        return _("Not checked by mlxtend.")
    return _("Not yet checked by mlxtend.")


def result_sentence(result: CheckResult, counts: Counts | None) -> str:
    name = {"version": result.mlxtend.removesuffix(".0")}
    if result.minutes is not None and counts is None:
        return _("Not checked by mlxtend: that would take too long.")
    if result.minutes is not None:
        many = format_count(result.minutes)
        return _("Not checked by mlxtend: that would take about %(minutes)s min.") % {"minutes": many}
    if result.difference:
        return _("mlxtend %(version)s finds something else than Candor, so one of them is wrong.") % name
    if result.sample and counts is None:
        words = _("Mined by mlxtend %(version)s too: equal on a sample of the records.")
        return _add_uncompared_sentence(words % name, result)
    if result.sample:
        words = _("Mined by mlxtend %(version)s too: equal on a sample of %(records)s records.")
        return _add_uncompared_sentence(words % {**name, "records": format_count(result.records)}, result)
    if counts is None or not any(counts):
        words = _("mlxtend %(version)s’s apriori and association_rules found the same itemsets and rules.")
        return _add_uncompared_sentence(words % name, result)
    itemsets, rules = counts
    found = {
        "itemsets": ngettext("%(count)s itemset", "%(count)s itemsets", itemsets)
        % {"count": format_count(itemsets)},
        "rules": ngettext("%(count)s rule", "%(count)s rules", rules) % {"count": format_count(rules)},
    }
    words = _(
        "mlxtend %(version)s’s apriori and association_rules found the same %(itemsets)s and %(rules)s."
    )
    return _add_uncompared_sentence(words % {**name, **found}, result)


def _add_uncompared_sentence(sentence: str, result: CheckResult) -> str:
    if not result.scored:
        return sentence
    words = ngettext(
        "%(count)s item of numbers or sets is in no table of yes and no, and was not compared.",
        "%(count)s items of numbers or sets are in no table of yes and no, and were not compared.",
        result.scored,
    )
    return join_sentences([sentence, words % {"count": format_count(result.scored)}])
