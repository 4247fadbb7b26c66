"""The contingency tables for tests of supports: the parts of S, among base(S) or among E(S)."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from mining.counts import Queries
from mining.inference.contingency_table import ANTECEDENT, PLAIN, ContingencyTable, ItemsetPart
from mining.reconstruction.contingency import keep_probabilities, noises, subsets
from mining.reconstruction.counter_cache import CachedCounter
from mining.reconstruction.itemset_groups import ItemsetGroup, Places, for_estimate
from mining.reconstruction.score_queries import ScoreQueries


def support_tables(
    counter: CachedCounter, groups: Sequence[ItemsetGroup], *, shown: bool = False
) -> list[ContingencyTable]:
    """One table per group of itemsets with sensitive items: among base(S), with `shown` among E(S)."""
    sets = partial(_queries, shown=shown)
    wanted = [sets(group) for group in groups]
    of_scores = [ScoreQueries.of(counter, group, sets, None if shown else ()) for group in groups]
    asked = zip(wanted, of_scores, strict=True)
    counts = iter(counter.count([query for queries, more in asked for query in (*queries, *more.all)]))
    tables = []
    for group, queries, scores in zip(groups, wanted, of_scores, strict=True):
        at_least = np.stack([for_estimate(group.shape, next(counts).T) for _ in queries]).astype(np.float64)
        sections = group.shape.sections
        plain = [ItemsetPart(ANTECEDENT, PLAIN)] * _has_plain_part(group, shown=shown)
        parts = (*plain, *(ItemsetPart(ANTECEDENT, section) for section in range(len(sections))))
        noise = noises(group, counter.laws, sections)
        if plain:
            noise = np.concatenate([np.ones((1, noise.shape[1])), noise])
        tables.append(
            ContingencyTable(
                parts,
                at_least,
                keep_probabilities(group, counter.laws, sections),
                noise,
                scores.read(
                    group.shape, [len(plain) + scored for scored in group.shape.scored_sections], counts
                ),
            )
        )
    return tables


def _has_plain_part(group: ItemsetGroup, *, shown: bool) -> bool:
    """Whether the table has a plain part; among base(S) "S applies" belongs to it, where a rule may hide S.

    Anyone who has a score was shown its question.
    """
    return bool(group.shape.plain or (set(group.shape.hidden) - set(group.shape.scored) and not shown))


def _queries(group: ItemsetGroup, *, shown: bool) -> list[Queries]:
    """The queries of records with at least each set of parts, in the order of the cells."""
    plain = group.shape.plain
    queries = []
    for parts in subsets(group.shape.sections):
        without = group.queries(parts) if shown else group.queries(parts, applies=())
        carrying: Places = tuple(sorted((*plain, *parts)))
        queries += [without, group.queries(carrying)] if _has_plain_part(group, shown=shown) else [without]
    return queries
