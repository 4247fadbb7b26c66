"""Converts the itemsets and rules of a run: from a search to database columns, and from rows to the report's
dataclasses.

Nothing here imports Django. A row of columns has the same attribute names as a row of `runs.models`.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.findings.compute_findings import floats_or_none
from mining.inference.selection_correction import ALONE, HEADS, LISTED, displayed_head_length
from mining.itemsets.answer_names import AnswerNames
from mining.itemsets.itemset_intervals import rank_by_support
from mining.nodes.report_nodes import HEAD_ENDS, Estimate, Rule
from mining.queries_and_counters import NONE, Numbers
from mining.reconstruction import Supports
from mining.reconstruction.disguise_probabilities import Floats
from mining.rules import Rules
from mining.rules.fold_redundant_rules import UNFOLDED
from mining.rules.rule_intervals import CONFIDENCE, LIFT

Columns = Mapping[str, Sequence[Any]]

HEAD_DIGITS = 7
"""Decimals of stored interval ends; the search for them is no more exact."""
ITEMSET_HEAD, RULE_HEAD = 2, 1 + len(HEAD_ENDS)
"""Number of values of an itemset, and of a rule, in a shorter list: the ends of its intervals, after a rule's
association."""
SUPPORTS = (
    *("observed", "support", "se", "low", "high", "low_listed", "high_listed", "pooled", "expected_w"),
    *("share_shown", "low_shown", "high_shown"),
)
"""Names of an itemset's floats, in the order in which the digest of a run hashes them."""
RULE_FIELDS = (
    *("antecedent_support", "consequent_support", "antecedent_low", "antecedent_high", "consequent_low"),
    *("consequent_high", "support", "confidence", "converse", "lift", "p", "q", "association", "both"),
    *(f"{end}{beyond}" for end in HEAD_ENDS for beyond in ("", "_listed")),
)
"""Names of the fields that a reported rule and its database row share."""


def itemset_columns(supports: Supports) -> Columns:
    """Returns the itemsets of a search as columns by database name; the digest includes the names."""
    return {
        "place": range(len(supports)),
        "items": itemset_texts(supports.itemsets),
        "size": (supports.itemsets != NONE).sum(axis=1).tolist(),
        "base": supports.base.tolist(),
        "n_open": supports.groups[:, 0].tolist(),
        "shown": supports.shown.tolist(),
        **{name: floats_or_none(getattr(supports, name)) for name in SUPPORTS},
        "heads": pack_heads(rank_by_support(supports), supports.heads),
    }


def rule_columns(rules: Rules) -> Columns:
    """Returns the rules of a search as columns; each row is a rule that reaches the run's least confidence, with its
    converse."""
    splits = rules.splits
    rows, side = np.arange(len(splits)), np.where(splits.reaches[0], 0, 1)
    first = np.flatnonzero(rules.side == side[rules.split])
    itemsets = rules.itemsets[splits.itemset]
    is_antecedent = rules.antecedent[first, None] >> np.arange(itemsets.shape[1]) & 1 == 1
    # In the order of `HEAD_ENDS`; rules are A -> C where `side` is 0.
    ends = np.stack(
        [splits.interval_ends[kind, rows] for kind in (LIFT, CONFIDENCE + side, CONFIDENCE + 1 - side)]
    )
    return {
        "place": range(len(splits)),
        "itemset": splits.itemset.tolist(),
        "items": itemset_texts(itemsets),
        "antecedent": itemset_texts(np.where(is_antecedent, itemsets, NONE)),
        "consequent": itemset_texts(np.where(is_antecedent, NONE, itemsets)),
        "base": splits.base.tolist(),
        "eligible": splits.eligible.tolist(),
        "antecedent_support": floats_or_none(splits.supports[side, rows]),
        "consequent_support": floats_or_none(splits.supports[1 - side, rows]),
        "support": floats_or_none(splits.support),
        "confidence": floats_or_none(splits.confidence[side, rows]),
        "converse": floats_or_none(splits.confidence[1 - side, rows]),
        "lift": floats_or_none(rules["lift"][first]),
        "p": floats_or_none(splits.p),
        "q": floats_or_none(splits.q),
        **{
            f"{name}{beyond}": floats_or_none(ends[index // 2, :, level, index % 2])
            for index, name in enumerate(HEAD_ENDS)
            for level, beyond in ((ALONE, ""), (LISTED, "_listed"))
        },
        **{
            f"{name}_{end}": floats_or_none(splits.base_rate_ends[which, rows, place])
            for name, which in (("antecedent", side), ("consequent", 1 - side))
            for place, end in enumerate(("low", "high"))
        },
        "association": splits.association.tolist(),
        "both": splits.reaches.all(axis=0).tolist(),
        "under": _folding_rule_positions(rules, first),
        "heads": pack_heads(
            splits.level_rank,
            np.concatenate(
                [
                    splits.head_associations[:, :, None],
                    np.moveaxis(ends[:, :, HEADS:], 0, 2).reshape(
                        *splits.head_associations.shape, 2 * len(ends)
                    ),
                ],
                axis=2,
            ),
        ),
    }


def _folding_rule_positions(rules: Rules, first: NDArray[np.intp]) -> list[int | None]:
    """Returns, for each row of rules, the rank of the shorter rule beneath which it is listed (folded); None if it is
    not folded."""
    folds = np.ones(len(rules.splits), np.bool_)
    np.logical_and.at(folds, rules.split, rules.under != UNFOLDED)
    places = rules.split[rules.under[first]].tolist()
    return [place if is_folded else None for place, is_folded in zip(places, folds.tolist(), strict=True)]


def pack_heads(ranks: NDArray[Any], values: Floats) -> list[bytes]:
    """Packs, for each row, its values in the first 1, 2, 4, … rows of a list, as far as below its rank, as
    little-endian float64."""
    rounded = np.where(np.isfinite(values), values.round(HEAD_DIGITS), np.nan).astype("<f8")
    lengths = np.log2(displayed_head_length(ranks)).astype(np.int64).tolist()
    return [row[:many].tobytes() for row, many in zip(rounded, lengths, strict=True)]


def unpack_heads(packed: bytes, width: int) -> tuple[tuple[float | None, ...], ...]:
    """Returns the values that `pack_heads` packed for one row, by list; `width`: the number of values for a list."""
    rows = np.frombuffer(packed, "<f8").reshape(-1, width)
    return tuple(tuple(floats_or_none(row)) for row in rows)


def items_as_text(items: Iterable[int]) -> str:
    """Returns item numbers with a space before and after each, so that a query can search for one."""
    return f" {' '.join(map(str, items))} "


def itemset_texts(itemsets: Numbers) -> list[str]:
    """Returns `items_as_text` of each itemset."""
    # Adding arrays of texts is several times as fast as joining each; NONE is -1 and takes the last word.
    words = np.array([*(f"{number} " for number in range(itemsets.max(initial=0) + 1)), ""], np.object_)
    texts: list[str] = (" " + words[itemsets].sum(axis=1)).tolist()
    return texts


def item_numbers(text: str) -> tuple[int, ...]:
    """Returns the item numbers in a text of `items_as_text`."""
    return tuple(map(int, text.split()))


def row_at(columns: Columns, index: int) -> Any:
    """Returns one row of the columns, with the attributes of a database row."""
    return SimpleNamespace(**{name: column[index] for name, column in columns.items()})


def rule_row_at(itemsets: Columns, rules: Columns, index: int) -> Any:
    """Returns one rule of the columns, with its itemset."""
    row = row_at(rules, index)
    row.itemset = row_at(itemsets, row.itemset)
    return row


def estimate_from_row(row: Any, n_open: int, names: AnswerNames, coherent: float | None) -> Estimate:
    """Converts the row of an itemset to an `Estimate` of the report; `n_open`: number of open records of the run."""
    items = tuple(map(names.name_of_number, item_numbers(row.items)))
    return Estimate(
        items=items,
        n_asked=row.base,
        n_open=row.n_open,
        shown=row.shown,
        heads=unpack_heads(row.heads, ITEMSET_HEAD),
        coherent=coherent,
        disguised_only=names.leaves_out_open_records(items, n_open),
        **{name: getattr(row, name) for name in SUPPORTS[1:]},
        observed=None if names.has_scores(items) else row.observed,
    )


def rule_from_row(row: Any, n_open: int, names: AnswerNames) -> Rule:
    """Converts the row of a rule to a `Rule` of the report; `n_open`: number of open records of the run.

    A reviewer chose whether the rule, its converse or both are stated; otherwise the run's thresholds decide.
    """
    antecedent, consequent = (
        tuple(map(names.name_of_number, item_numbers(side))) for side in (row.antecedent, row.consequent)
    )
    return Rule(
        number=row.place + 1,
        antecedent=antecedent,
        consequent=consequent,
        n_asked=row.base,
        support_low=row.itemset.low,
        support_high=row.itemset.high,
        n_shown_all=row.eligible,
        said=getattr(row, "direction", "") or ("both" if row.both else "rule"),
        heads=unpack_heads(row.heads, RULE_HEAD),
        under=None if row.under is None else row.under + 1,
        disguised_only=names.leaves_out_open_records((*antecedent, *consequent), n_open),
        **{name: getattr(row, name) for name in RULE_FIELDS},
    )
