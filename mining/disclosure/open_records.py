"""Groups of open records, and whether each is large enough to be used in a publication.

A group: the open records that drew the same sensitive questions and to which the same of them apply. A sum over the
open records of base(S) or E(S) is a sum over whole groups. If each group has none or at least ten records, in a
publication and in its difference to every earlier one, no linear combination of published numbers is about fewer than
ten open answers.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import comb, prod

from mining.counts import Query
from mining.inference.contingency_table import exact_counts
from mining.reconstruction.contingency import subsets
from mining.reconstruction.counter_cache import CachedCounter

LEAST = 10
MOST_GROUPS = 4096

Groups = dict[str, int]
"""Numbers of open records by the sensitive questions that were drawn and shown."""


def open_groups(known: CachedCounter) -> Groups | None:
    """The groups; None where there are so many combinations that some must have fewer than ten open records."""
    if not known.n[0]:
        return {}
    drawn = _drawn(known)
    if drawn is None or len(drawn) * LEAST > known.n[0]:
        return None
    hideable = [
        [(place,) for place in sensitive if known.may_be_hidden[place]] for _asked, sensitive in drawn
    ]
    if any(len(drawn) << len(places) > MOST_GROUPS for places in hideable):
        return None
    chosen = [(asked, list(subsets(places))) for (asked, _), places in zip(drawn, hideable, strict=True)]
    queries = [Query(asked=asked, applies=shown) for asked, choices in chosen for shown in choices]
    at_least = known.counter.count(queries)[:, 0]
    found: Groups = {}
    for asked, choices in chosen:
        counts, at_least = exact_counts(at_least[: len(choices)]), at_least[len(choices) :]
        drew = " ".join(map(str, asked))
        found |= {
            f"{drew}/{' '.join(map(str, shown))}": int(count)
            for shown, count in zip(choices, counts, strict=True)
        }
    return found


def _drawn(known: CachedCounter) -> list[tuple[tuple[int, ...], tuple[int, ...]]] | None:
    """Every set of sensitive questions that a device may draw: first without those that all devices draw, then with."""
    options: list[list[tuple[tuple[int, ...], tuple[int, ...]]]] = []
    first = 0
    for section in known.design.sections:
        places = tuple(range(first, first + len(section.questions)))
        first += len(places)
        if not section.sensitive:
            continue
        if not section.rotates:
            options.append([((), places)])
        elif comb(len(places), section.asked) > MOST_GROUPS:
            return None
        else:
            options.append([(chosen, chosen) for chosen in combinations(places, section.asked)])
    if prod(map(len, options)) > MOST_GROUPS:
        return None
    return [
        (
            tuple(place for asked, _all in chosen for place in asked),
            tuple(p for _a, every in chosen for p in every),
        )
        for chosen in product(*options)
    ]


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
