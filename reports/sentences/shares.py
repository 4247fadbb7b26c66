"""Sentences on a share: of all people, in a class of a plain question, or of a number above a limit."""

from dataclasses import replace

from django.utils.translation import gettext as _

from mining.nodes.report_nodes import ClassDifference, Estimate, GroupRow, GroupTable, Report
from reports.answer_labels import Labels
from reports.sentences.arm_differences import DIFFERENCE, near_end_phrase, state_estimate_behind
from reports.sentences.finding import UNKNOWN, Finding, MeasuredValue
from reports.sentences.sample_population import SharePopulation, question_of_all_quotas
from reports.sentences.sentence_parts import (
    Sentence,
    embolden_first,
    fill_template,
    join_list,
    people_phrase,
    predicate_phrase,
    quoted_answers,
)

MOST_CLASSES = 6
"""Largest number of classes whose shares stand in one sentence."""


def share_finding(share: Estimate, labels: Labels) -> Finding:
    """Returns the finding about a share; if a rule hides the question from some people, among those who were shown
    it."""
    seen = share.among_shown
    name = share.item
    is_of_shown = share.is_hidden or (labels.may_be_hidden([name]) and labels.is_asked_if_shown(name))
    measured = MeasuredValue(seen.support, seen.low, seen.high)
    people = SharePopulation(share.disguised_only, is_of_shown, quotas=labels.has_quotas)
    sentence = share_sentence(name, measured, people, labels)
    beneath = people.answer_count_sentence(seen.n_asked or 0)
    return Finding("share", share, sentence, beneath, is_noise=not measured.is_known, measured=measured)


def first_share_finding(report: Report, share: Estimate, labels: Labels) -> Finding:
    """Returns the finding about the first share of a report.

    Under quotas on one question the share that is weighted by it comes first, else the shares by its classes, if the
    report has them; the share of those asked stands behind.
    """
    finding = share_finding(share, labels)
    question = question_of_all_quotas(labels.design.quotas)
    if not question or not finding.measured.is_known or share.is_hidden:
        return finding
    values = {"did": predicate_phrase([share.item], labels)}
    weighted = _weighted_share(report, share, question)
    if report.weighted and weighted.is_known:
        words = _("Weighted by %(file)s, %(share)s %(did)s; of those asked, %(asked)s.")
        values |= {"share": embolden_first(weighted.share), "asked": finding.measured.share}
        sentence = fill_template(words, file=report.weighted.margins, **values)
        return replace(finding, sentence=sentence, measured=weighted)
    if by_class := _shares_by_class(report, share, question, labels):
        words = _("By quota, %(cells)s; of those asked, %(share)s %(did)s.")
        values |= {"cells": join_list(by_class), "share": embolden_first(finding.measured.share)}
        return replace(finding, sentence=fill_template(words, **values))
    return finding


def _weighted_share(report: Report, share: Estimate, question: str) -> MeasuredValue:
    """Returns the share weighted by known shares of a plain question; unknown if there is none."""
    weighted = report.weighted
    for one in weighted.shares if weighted and question in weighted.questions else ():
        if one.item == share.item:
            return MeasuredValue(one.share, one.low, one.high)
    return UNKNOWN


def _shares_by_class(report: Report, share: Estimate, question: str, labels: Labels) -> list[Sentence]:
    """Returns the share in each class of a plain question; empty if one of them is withheld or too noisy to say, or if
    there are more than a sentence can hold."""
    for table in report.groups:
        for row in table.rows:
            if table.question == question and row.item == share.item and len(row.cells) <= MOST_CLASSES:
                cells = [MeasuredValue(cell.share, cell.low, cell.high) for cell in row.cells]
                if all(cell.is_known for cell in cells):
                    people = (people_phrase([name], labels, ends=True) for name in table.classes)
                    return [
                        fill_template(_("%(people)s: %(share)s"), people=one, share=cell.share)
                        for one, cell in zip(people, cells, strict=True)
                    ]
    return []


def share_sentence(name: str, measured: MeasuredValue, people: SharePopulation, labels: Labels) -> Sentence:
    """Returns the sentence on the share of an answer among `people`, or that it is too noisy to say."""
    if measured.is_known:
        did = predicate_phrase([name], labels)
        return fill_template(people.share_template, share=embolden_first(measured.share), did=did)
    answer = quoted_answers([name], labels)
    if measured.bound_text:
        return fill_template(
            _("It is too noisy to say how many answered %(answer)s: %(end)s."),
            answer=answer,
            end=measured.bound_text,
        )
    if measured.is_uninformative:
        words = _("It is too noisy to say how many answered %(answer)s.")
    elif measured.has_value_without_interval:
        words = _("It cannot be said how many answered %(answer)s: the counts contradict each other.")
    else:
        words = _("It cannot be said how many answered %(answer)s.")
    return fill_template(words, answer=answer)


def class_difference_finding(table: GroupTable, row: GroupRow, labels: Labels) -> Finding:
    """Returns the finding that an answer is given more or less often in one class of a plain question than in all
    others."""
    front = row.front
    assert front
    measured = MeasuredValue(front.difference, front.low, front.high, everything=DIFFERENCE)
    cell = row.cells[table.classes.index(front.of_class)]
    return state_estimate_behind(
        Finding(
            kind="group",
            node=front,
            sentence=_class_difference_sentence(front, row.item, measured, labels),
            beneath=SharePopulation(table.disguised_only).answer_count_sentence(cell.n_asked or 0),
            verdict=1 if front.difference > 0 else -1,
            is_noise=not measured.is_known,
            measured=measured,
            base=MeasuredValue(0.0),
        )
    )


def _class_difference_sentence(
    front: ClassDifference, item: str, measured: MeasuredValue, labels: Labels
) -> Sentence:
    if not measured.is_known:
        words = _(
            "It is too noisy to say how many more or fewer people answered %(consequence)s among those who answered "
            "%(condition)s than among all others."
        )
        sides = quoted_answers([item], labels), quoted_answers([front.of_class], labels)
        return fill_template(words, consequence=sides[0], condition=sides[1])
    return fill_template(
        _("Of %(people)s, %(difference)s %(did)s than of all others."),
        difference=near_end_phrase(measured),
        people=people_phrase([front.of_class], labels),
        did=predicate_phrase([item], labels),
    )
