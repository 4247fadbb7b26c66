"""Texts for reviewers on what an attacker could infer from the published counts (docs/mathematics.md, What
leaves).
"""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from mining.disclosure.attacker import AttackResult, OpenPeople, SmallestCount
from reports.answer_labels import Labels
from ui.number_format import format_count
from ui.templatetags.ui import join_names

NOT_APPLICABLE = "–"


def smallest_count_text(group: SmallestCount | None, labels: Labels) -> str:
    """Returns a count that could be inferred, with its people and batches; empty if there is none."""
    if group is None:
        return ""
    answers = _cell_text(group.cell, labels)
    if group.opposite:
        answers = _("%(one)s, or %(other)s") % {"one": answers, "other": _cell_text(group.opposite, labels)}
    people = {
        "disguised": _("of people whose answers are disguised")
        if labels.design.has_disguise
        else _("of all people"),
        "open": _("of people whose answers are not disguised"),
        "kept": _("of people whose answers are used and not disguised"),
        "all": _("of all people"),
    }[group.population]
    words = (
        _("%(count)s (%(answers)s), %(people)s, in batch %(last)s")
        if group.first_batch == group.last_batch
        else _("%(count)s (%(answers)s), %(people)s, in batches %(first)s to %(last)s")
    )
    return words % {
        "count": format_count(group.count),
        "answers": answers,
        "people": people,
        "first": group.first_batch,
        "last": group.last_batch,
    }


def _cell_text(cell: Sequence[tuple[int, int]], labels: Labels) -> str:
    return join_names([answer_text(labels, place, state) for place, state in cell] or [_("all together")])


def open_people_text(span: OpenPeople) -> str:
    """Returns how many people chose no disguise in some batches, as far as it could be inferred."""
    if span.high is None:
        words = _("%(low)s or more")
    else:
        words = _("%(low)s to %(high)s") if span.low < span.high else "%(low)s"
    where = (
        _("in batch %(last)s")
        if span.first_batch == span.last_batch
        else _("in batches %(first)s to %(last)s")
    )
    people = words % {"low": format_count(span.low), "high": format_count(span.high or 0)}
    return f"{people}, {where % {'first': span.first_batch, 'last': span.last_batch}}"


def answer_text(labels: Labels, question_index: int, code: int) -> str:
    question = labels.design.questions[question_index]
    if code >= question.codes:
        return f"{question.name} {NOT_APPLICABLE}"
    return labels.short(labels.name((question_index, code)))


def untried_tables_text(attack: AttackResult, labels: Labels, most: int) -> str:
    """Returns the tables that were too large for the attack, by name at `most` so many; empty if there are none."""
    tables = [
        " × ".join(labels.design.questions[place].name for place in questions)
        for questions in attack.left_out
    ]
    listed = join_names(tables[:most])
    if len(tables) <= most:
        return listed
    return _("%(listed)s and %(more)s more") % {"listed": listed, "more": format_count(len(tables) - most)}
