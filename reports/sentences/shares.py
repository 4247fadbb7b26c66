"""Sentences on a share: of all people, in a class of a plain question, or of a number above a limit."""

from django.utils.translation import gettext as _

from mining.nodes.report_nodes import ClassDifference, Estimate, GroupRow, GroupTable
from reports.answer_labels import Labels
from reports.sentences.arm_differences import DIFFERENCE, points_with_interval
from reports.sentences.finding import Finding, MeasuredValue, SharePopulation
from reports.sentences.sentence_parts import (
    Sentence,
    embolden_first,
    fill_template,
    people_phrase,
    predicate_phrase,
    quoted_answers,
)


def share_finding(share: Estimate, labels: Labels) -> Finding:
    """Returns the finding about a share; if a rule hides the question from some people, among those who were shown
    it."""
    seen = share.among_shown
    name = share.item
    is_of_shown = share.is_hidden or (labels.may_be_hidden([name]) and labels.is_asked_if_shown(name))
    measured = MeasuredValue(seen.support, seen.low, seen.high)
    people = SharePopulation(share.disguised_only, is_of_shown)
    sentence = share_sentence(name, measured, people, labels)
    beneath = people.answer_count_sentence(seen.n_asked or 0)
    return Finding("share", share, sentence, beneath, is_noise=not measured.is_known, measured=measured)


def share_sentence(name: str, measured: MeasuredValue, people: SharePopulation, labels: Labels) -> Sentence:
    """Returns the sentence on the share of an answer among `people`, or that it is too noisy to say."""
    if measured.is_known:
        did = predicate_phrase([name], labels)
        return fill_template(_share_template(people), share=embolden_first(measured.share), did=did)
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


def _share_template(people: SharePopulation) -> str:
    if people.disguised_only and people.shown:
        return _("Of all who chose disguise and were shown the question, %(share)s %(did)s.")
    if people.disguised_only:
        return _("Of all who chose disguise, %(share)s %(did)s.")
    return (
        _("Of all who were shown the question, %(share)s %(did)s.")
        if people.shown
        else _("Of all, %(share)s %(did)s.")
    )


def class_difference_finding(table: GroupTable, row: GroupRow, labels: Labels) -> Finding:
    """Returns the finding that an answer is given more or less often in one class of a plain question than in all
    others."""
    front = row.front
    assert front
    measured = MeasuredValue(front.difference, front.low, front.high, everything=DIFFERENCE)
    cell = row.cells[table.classes.index(front.of_class)]
    return Finding(
        kind="group",
        node=front,
        sentence=_class_difference_sentence(front, row.item, measured, labels),
        beneath=SharePopulation(table.disguised_only).answer_count_sentence(cell.n_asked or 0),
        verdict=1 if front.difference > 0 else -1,
        is_noise=not measured.is_known,
        measured=measured,
        base=MeasuredValue(0.0),
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
    is_more = front.difference > 0
    words = (
        _("Of %(people)s, %(points)s more %(did)s than of all others.")
        if is_more
        else _("Of %(people)s, %(points)s fewer %(did)s than of all others.")
    )
    low, high = (front.low, front.high) if is_more else (-front.high, -front.low)
    points = points_with_interval(abs(front.difference), low, high)
    return fill_template(
        words,
        points=points,
        people=people_phrase([front.of_class], labels),
        did=predicate_phrase([item], labels),
    )
