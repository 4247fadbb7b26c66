"""Says who could be in the sample of a survey, and whom a share is of."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _, ngettext, pgettext

from mining.nodes.report_nodes import Rule
from privacy.designs.quotas import Quota
from reports.answer_labels import Labels
from reports.sentences.finding import MeasuredValue
from reports.sentences.sentence_parts import Sentence, fill_template, join_list, people_phrase
from ui.number_format import format_count


@dataclass(frozen=True, slots=True)
class SharePopulation:
    """The people that a share is about: all, or those who chose disguise (`disguised_only`).

    `shown`: a rule hides a question, so only people who were shown all questions. `drawn`: questions are drawn, so only
    people who were asked all of a rule. `quotas`: quotas ended the survey for some who came, before the first
    sensitive question; so nothing is of all, but of those asked. `planned`: a plan states the share, which it does not
    weight.
    """

    disguised_only: bool = False
    shown: bool = False
    drawn: bool = False
    quotas: bool = False
    planned: bool = False

    @classmethod
    def of_rule(cls, rule: Rule, labels: Labels) -> "SharePopulation":
        """Returns the people that a rule's base rates, ratio (lift) and their intervals are about."""
        return cls(
            rule.disguised_only,
            rule.n_shown_all != rule.n_asked,
            labels.may_be_unasked(rule.items),
            labels.has_quotas,
        )

    @property
    def among(self) -> str:
        """The words for these people after "among", such as "all who chose disguise"."""
        if self.disguised_only and self.shown:
            return pgettext("after “among”", "all who chose disguise and were shown these questions")
        if self.disguised_only and self.drawn:
            return pgettext("after “among”", "all who chose disguise and were asked these questions")
        if self.disguised_only:
            return pgettext("after “among”", "all who chose disguise")
        if self.shown:
            return pgettext("after “among”", "all who were shown these questions")
        if self.drawn:
            return pgettext("after “among”", "all who were asked these questions")
        return pgettext("after “among”", "those asked") if self.quotas else pgettext("after “among”", "all")

    @property
    def share_template(self) -> str:
        """The sentence on a share of these people, with the placeholders `share` and `did`."""
        if self.disguised_only and self.shown:
            return _("Of all who chose disguise and were shown the question, %(share)s %(did)s.")
        if self.disguised_only:
            return _("Of all who chose disguise, %(share)s %(did)s.")
        if self.shown:
            return _("Of all who were shown the question, %(share)s %(did)s.")
        if self.quotas and self.planned:
            return _("Of those asked, under quotas, %(share)s %(did)s.")
        return _("Of those asked, %(share)s %(did)s.") if self.quotas else _("Of all, %(share)s %(did)s.")

    def base_rate_sentence(self, base: MeasuredValue) -> Sentence:
        """Returns the sentence on the base rate of a pair, with its interval."""
        unknown = (
            _("the counts contradict each other")
            if base.has_value_without_interval
            else _("an unknown share")
        )
        share = base.share if base.is_known else base.bound_text or unknown
        return fill_template(_("Among %(among)s: %(share)s."), among=self.among, share=share)

    def answer_count_sentence(self, n: int) -> Sentence:
        """Returns a sentence on the number of answers from which a share or a number is estimated."""
        if self.disguised_only:
            words = ngettext(
                "Estimated from %(count)s answer of people who chose disguise.",
                "Estimated from %(count)s answers of people who chose disguise.",
                n,
            )
        else:
            words = ngettext("Estimated from %(count)s answer.", "Estimated from %(count)s answers.", n)
        return fill_template(words, count=format_count(n))


EVERYBODY = SharePopulation()


def quota_sentences(labels: Labels) -> Iterator[Sentence]:
    """Yields the sentences on the people whom quotas let nobody ask any more, one for each limit, then who
    was asked nevertheless, then whom all results are of."""
    quotas = labels.design.quotas
    for limit in sorted({quota.limit for quota in quotas}):
        people = [_people_of_quota(quota, labels) for quota in quotas if quota.limit == limit]
        words = _("These people were no longer asked once about %(count)s of each had answered: %(people)s.")
        yield fill_template(words, count=format_count(limit), people=join_list(people))
    if quotas and labels.design.rehearsal:
        yield fill_template(_("Simulated people were all asked, whatever the quotas."))
    elif quotas and labels.design.has_field_devices:
        yield fill_template(
            _("A field device learns of it only when it is renewed, and may have asked more of these people.")
        )
    if quotas:
        yield fill_template(_("Shares, differences and associations are among those asked."))


def question_of_all_quotas(quotas: Iterable[Quota]) -> str:
    """Returns the one question that all quotas are about; empty if there is not exactly one."""
    names = {name for quota in quotas for name, _choice in quota.answers}
    return names.pop() if len(names) == 1 else ""


def _people_of_quota(quota: Quota, labels: Labels) -> Sentence:
    return people_phrase((f"{question}={choice}" for question, choice in quota.answers), labels, ends=True)
