"""The numbers as CSV and JSON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from papers.grouped_model.bias import DIFFERENCES, OPEN_SHARE, TRUTH, MeanAndBand
from papers.grouped_model.mined import COUNTS, KINDS
from papers.grouped_model.rows import Mean, SettingRow
from papers.grouped_model.settings import READINGS, PaperSetting
from papers.tables import PLACES, csv_text, rounded

SETTING = (
    "reading",
    "k",
    "p",
    "theta",
    "questions",
    "respondents",
    "min_support",
    "min_confidence",
)
"""In the paper's symbols; the column open_share has one meaning in both readings."""


def mined_csv(rows: Iterable[SettingRow]) -> str:
    """A line per setting and estimator: the numbers in D, in D*, in D* alone and in D alone."""
    numbers = [f"{kind}_{count}{of}" for kind in KINDS for count in COUNTS for of in ("", "_se")]
    numbers += [f"{KINDS[0]}_{count}_theory" for count in COUNTS]
    lines = [[row.varied, *_setting(row.setting), row.estimator, *_counts(row)] for row in rows]
    return csv_text(["varied", *SETTING, "open_share", "estimator", *numbers], lines)


def w_csv(rows: Iterable[SettingRow]) -> str:
    """A line per setting, estimator and size of itemsets, and one per itemset; size 0 is all of them."""
    head = ["varied", *SETTING, "open_share", "estimator", "size", "itemset", "support"]
    lines = [
        [
            row.varied,
            *_setting(row.setting),
            row.estimator,
            error.size,
            error.itemset,
            *map(_number, (error.support, error.w.value, error.w.se, error.theory, error.stated)),
        ]
        for row in rows
        for error in row.errors
    ]
    return csv_text([*head, "w", "w_se", "w_theory", "w_stated"], lines)


def bias_csv(found: Mapping[str, Sequence[MeanAndBand]]) -> str:
    lines = [
        [difference, name, *map(_number, asdict(spread).values())]
        for name, spreads in found.items()
        for difference, spread in zip(DIFFERENCES, spreads, strict=True)
    ]
    return csv_text(["difference", "estimator", "mean", "low", "high"], lines)


def as_json(
    rows: Iterable[SettingRow], bias: Mapping[str, Sequence[MeanAndBand]], repetitions: int, seed: int
) -> str:
    whole = {
        "paper": "grouped-model",
        "seed": seed,
        "repetitions": repetitions,
        "readings": READINGS,
        "settings": [_row(row) for row in rows],
        "bias": {
            "support": TRUTH,
            "open_share": OPEN_SHARE,
            "differences": DIFFERENCES,
            "estimators": {name: [asdict(spread) for spread in of] for name, of in bias.items()},
        },
    }
    return json.dumps(rounded(whole), indent=1, allow_nan=False) + "\n"


def _row(row: SettingRow) -> dict[str, Any]:
    setting = dict(zip((*SETTING, "open_share"), _setting(row.setting), strict=True))
    return (
        {"varied": row.varied, **setting, "estimator": row.estimator}
        | {
            kind: {count: asdict(mean) if mean else None for count, mean in counts.items()}
            for kind, counts in row.counts.items()
        }
        | {f"{KINDS[0]}_theory": row.expected, "w": [asdict(error) for error in row.errors]}
    )


def _setting(setting: PaperSetting) -> list[Any]:
    return [*(getattr(setting, name) for name in SETTING), setting.survey.open_share]


def _counts(row: SettingRow) -> list[str]:
    means = [row.counts[kind][count] for kind in KINDS for count in COUNTS]
    theory = (row.expected or {}).get
    return [text for mean in means for text in _mean(mean)] + [_number(theory(count)) for count in COUNTS]


def _mean(mean: Mean | None) -> list[str]:
    return [_number(mean.value), _number(mean.se)] if mean else ["", ""]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.{PLACES}f}"
