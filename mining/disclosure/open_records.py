"""Groups of open records, and whether each is large enough to be used in a publication.

A group: the open records that drew the same sensitive questions and to which the same of them apply. Where a rule hides
a number, none of its thresholds is drawn; these records are a group too: the difference of a sum over all of base(S)
and of the sums over those who were asked about one of the thresholds as well is a sum over them. A sum over the
open records of base(S) or E(S) is a sum over whole groups. If each group has none or at least ten records, in a
publication and in its difference to every earlier one, no linear combination of published numbers is about fewer than
ten open answers.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, combinations, product
from math import comb, prod
from typing import NamedTuple

from mining.counts import Counts, Query
from mining.inference.contingency_table import exact_counts
from mining.reconstruction.contingency import subsets
from mining.reconstruction.counter_cache import CachedCounter
from privacy.designs import Section

LEAST = 10
MOST_GROUPS = 4096

Groups = dict[str, int]
"""Numbers of open records by the sensitive questions that were drawn and shown."""


class DrawnSet(NamedTuple):
    """Sensitive questions that a device may draw: `asked` without those that all devices draw, `hideable` of them all.

    `hidden`: none of the thresholds of a number, since a rule hides it.
    """

    asked: tuple[int, ...]
    hideable: tuple[int, ...] = ()
    hidden: bool = False


def open_groups(known: CachedCounter) -> Groups | None:
    """The groups; None where there are so many combinations that some must have fewer than ten open records."""
    if not known.n[0]:
        return {}
    options = [
        _drawn_sets(known, section, first)
        for section, first in zip(known.design.sections, _starts(known), strict=True)
        if section.sensitive
    ]
    if any(of is None for of in options):
        return None
    by_section = [of for of in options if of is not None]
    many = prod(map(len, by_section))
    if many > MOST_GROUPS or many * LEAST > known.n[0]:
        return None
    chosen = [_Chosen.of(sets) for sets in product(*by_section)]
    if any(many << len(one.hideable) > MOST_GROUPS for one in chosen):
        return None
    counts = _exactly(_at_least(known, chosen), by_section)
    return {
        f"{' '.join(map(str, one.asked))}/{' '.join(map(str, shown))}": int(count)
        for one, row in zip(chosen, counts, strict=True)
        for shown, count in zip(one.shown, row, strict=True)
    }


class _Chosen(NamedTuple):
    """What one device may draw of all sections."""

    asked: tuple[int, ...]
    hideable: tuple[int, ...]

    @classmethod
    def of(cls, sets: Sequence[DrawnSet]) -> "_Chosen":
        asked = tuple(place for one in sets for place in one.asked)
        return cls(asked, tuple(place for one in sets for place in one.hideable))

    @property
    def shown(self) -> list[tuple[int, ...]]:
        """Every set of the questions that rules may hide."""
        return list(subsets([(place,) for place in self.hideable]))


def _starts(known: CachedCounter) -> list[int]:
    return [0, *accumulate(len(section.questions) for section in known.design.sections)][:-1]


def _drawn_sets(known: CachedCounter, section: Section, first: int) -> list[DrawnSet] | None:
    """What a device may draw of this section, whose questions begin at `first`; None: too many sets."""
    places = range(first, first + len(section.questions))

    def hideable(chosen: Iterable[int]) -> tuple[int, ...]:
        return tuple(place for place in chosen if known.may_be_hidden[place])

    if not section.rotates:
        return [DrawnSet((), hideable(places))]
    if section.questions[0].asked_if_shown and hideable(places):
        # Whoever is asked about a threshold is shown the number; of the others none is asked.
        return [*(DrawnSet((place,)) for place in places), DrawnSet((), hidden=True)]
    if comb(len(places), section.asked) > MOST_GROUPS:
        return None
    return [DrawnSet(chosen, hideable(chosen)) for chosen in combinations(places, section.asked)]


def _at_least(known: CachedCounter, chosen: Sequence[_Chosen]) -> list[Counts]:
    """By drawn set and shown questions the open records; where a number is hidden, whether it is or not."""
    queries = [Query(asked=one.asked, applies=shown) for one in chosen for shown in one.shown]
    counts = known.counter.count(queries)[:, 0]
    found = []
    for one in chosen:
        row, counts = counts[: 1 << len(one.hideable)], counts[1 << len(one.hideable) :]
        found.append(exact_counts(row))
    return found


def _exactly(counts: Sequence[Counts], by_section: Sequence[Sequence[DrawnSet]]) -> list[Counts]:
    """To whom a number is hidden: all records, less those that were asked about one of its thresholds."""
    found = dict(zip(product(*(range(len(sets)) for sets in by_section)), counts, strict=True))
    for axis, sets in enumerate(by_section):
        if sets[-1].hidden:
            last = len(sets) - 1
            for at in [at for at in found if at[axis] == last]:
                found[at] = found[at] - sum(found[*at[:axis], i, *at[axis + 1 :]] for i in range(last))
    return list(found.values())


def may_be_used(groups: Groups | None, earlier: Sequence[Mapping[str, int] | None]) -> bool:
    """Whether a publication may use its open records; `earlier`: the groups of those that did before, None: unknown."""
    if groups is None or any(0 < count < LEAST for count in groups.values()):
        return False
    for before in earlier:
        if before is None:
            return False
        new = (abs(groups.get(key, 0) - before.get(key, 0)) for key in {*groups, *before})
        if any(0 < count < LEAST for count in new):
            return False
    return True
