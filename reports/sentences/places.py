"""What a map says: in which places people gave an answer more often or less often than all."""

from collections.abc import Iterable

from babel.lists import format_list
from django.utils.translation import gettext as _, ngettext

from look.numbers import count, locale
from mining.document.report import Rule
from reports.labels import Labels
from reports.sentences.finding import Finding, People
from reports.sentences.pairs import Direction, directions, verdict
from reports.sentences.parts import Sentence, answers, fill, followed, quoted


def of_places(
    place: str, consequence: tuple[str, ...], rules: Iterable[Rule], labels: Labels
) -> Finding | None:
    """Of the rules between one answer of the question `place` and the `consequence`, each at its place in the list.

    Its base rate and people are those of the first rule. None where there is no such rule.
    """
    regions = set(labels.choices(place))
    listed = [
        (rule, direction)
        for rule in rules
        for direction in directions(rule)
        if _is_of(direction, regions, consequence)
    ]
    if not listed:
        return None
    told = {
        sign: [
            direction.condition[0]
            for rule, direction in listed
            if direction.is_known and verdict(rule) == sign
        ]
        for sign in (1, -1)
    }
    first, base = listed[0][0], listed[0][1].base
    people = People(first.disguised_only, first.n_shown_all != first.n_asked)
    values: dict[str, str | Sentence] = {
        "answer": answers(consequence, labels),
        "all": people.base_rate(base),
        "more": _joined(told[1], labels),
        "fewer": _joined(told[-1], labels),
    }
    sentence = fill(_template(bool(told[1]), bool(told[-1])), **values)
    return Finding(
        kind="places",
        node=tuple(rule for rule, _of in listed),
        sentence=followed(sentence, _rest(len(listed) - len(told[1]) - len(told[-1]))),
        beneath=people.beneath(first.n_shown_all, base),
        verdict=1 if told[1] else -1 if told[-1] else 0,
        base=base,
    )


def _is_of(direction: Direction, regions: set[str], consequence: tuple[str, ...]) -> bool:
    return (
        len(direction.condition) == 1
        and direction.condition[0] in regions
        and set(direction.consequence) == set(consequence)
    )


def _template(more: bool, fewer: bool) -> str:
    if more and fewer:
        return _(
            "People of %(more)s answered %(answer)s more often, people of %(fewer)s less often; %(all)s."
        )
    if more:
        return _("People of %(more)s answered %(answer)s more often; %(all)s.")
    if fewer:
        return _("People of %(fewer)s answered %(answer)s less often; %(all)s.")
    return _("No place is shown in which people answered %(answer)s more often or less often; %(all)s.")


def _rest(places: int) -> Sentence:
    if not places:
        return ()
    words = ngettext(
        "%(count)s place cannot be told from all.", "%(count)s places cannot be told from all.", places
    )
    return fill(words, count=count(places))


def _joined(regions: Iterable[str], labels: Labels) -> str:
    return format_list([quoted(labels.answer(name).choice) for name in regions], locale=locale())
