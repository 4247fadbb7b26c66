"""Shares of a finished survey, whose open answers are used in groups of ten, and what they win over the disguised."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bench.coverage.section import Measures, Value, grid
from mining.counting.answer_pattern_histogram import HistogramCounter, PatternHistogram
from mining.disclosure import open_record_tables
from mining.inference.contingency_table import Floats
from mining.queries_and_counters import Item
from mining.reconstruction.cached_counter import CachedCounter
from mining.reconstruction.supports import Supports, reconstruct_supports
from privacy.designs import Design
from privacy.records import DISGUISED, OPEN
from privacy.records.batch_bit_columns import Columns, columns_from_bytes, filter_records, pack_batch
from privacy.simulation.disguise import disguise
from tests.privacy import questionnaires
from tests.privacy.questionnaires import HALF, question

PLAIN = ((0.5, 0.35, 0.15), (0.6, 0.3, 0.1))
OPENED, YES = 0.25, 1


@cache
def design_of(sensitive: int, drawn: int) -> Design:
    """`drawn` of the sensitive questions for each person; two of them stand behind rules."""
    plain = ({"name": name, "choices": list("abc")} for name in "pq")
    shown = {sensitive - 2: {"p": ["a", "b"]}, sensitive - 1: {"q": ["a"]}}
    asked = (question(f"s{index}", *HALF, show_if=shown.get(index, {})) for index in range(sensitive))
    rotation = {"asked": drawn} if drawn < sensitive else {}
    sections = questionnaires.plain(*plain), questionnaires.sensitive("0.5", *asked, **rotation)
    return questionnaires.design(*sections, title={"en": "Open answers"}, least=20)


@dataclass(frozen=True)
class OpenSetting:
    """`asked`: sensitive questions, and how many are drawn. `yes`: how many times as often people with open answers say
    yes. Rarer plain answers, more open ones."""

    asked: tuple[int, int]
    n: int
    yes: float

    def __str__(self) -> str:
        sensitive, drawn = self.asked
        text = f"{drawn} of {sensitive} drawn" if drawn < sensitive else "all asked"
        people = f"{self.n:,} respondents, open ones say yes {self.yes:g} times as often"
        return f"{text}, two behind rules, {people}"

    @property
    def itemsets(self) -> dict[str, tuple[Item, ...]]:
        first = len(PLAIN)
        return {
            "one answer": ((first, YES),),
            "behind a rule": ((first + self.asked[0] - 2, YES),),
            "two answers": ((first, YES), (first + 1, YES)),
        }


def simulated(setting: OpenSetting, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    """Errors are those to the people used: what is true of each, given their plain answers and group."""
    from bench.coverage.sentences import django_is_set_up  # late for Django

    django_is_set_up()
    from intake.disclosure.record_selection import choose_open_record_patterns  # late for Django

    sets = setting.itemsets
    errors: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in sets}
    covered = {name: list[bool]() for name in sets}
    for _survey in range(surveys):
        group, chances, columns = survey(setting, rng)
        kept = frozenset(choose_open_record_patterns([columns])["patterns"])
        disguised = group == DISGUISED
        used = disguised | open_record_tables.has_named_pattern(
            open_record_tables.condition_pattern_by_record(columns), kept
        )
        of_used, alone = (estimates(columns, mask, list(sets.values())) for mask in (used, disguised))
        for row, (name, items) in enumerate(sets.items()):
            truth = [
                float(np.prod([chances[index - len(PLAIN)] for index, _code in items], axis=0)[mask].mean())
                for mask in (used, disguised)
            ]
            errors[name][0].append(of_used.support[row] - truth[0])
            errors[name][1].append(alone.support[row] - truth[1])
            covered[name].append(bool(of_used.low[row] <= truth[0] <= of_used.high[row]))
    for name in sets:
        with_open, without = (np.array(each) for each in errors[name])
        there = np.isfinite(with_open) & np.isfinite(without)
        cell, many = f"{name}, {setting}", int(there.sum())
        if many:
            yield Value("covered", cell, float(np.array(covered[name])[there].mean()), many)
            yield Value("error", cell, float(with_open[there].std() / without[there].std()), many)


def survey(setting: OpenSetting, rng: np.random.Generator) -> tuple[NDArray[np.uint8], Floats, Columns]:
    """The group of each person, the chance of each yes, and the records."""
    design, n = design_of(*setting.asked), setting.n
    plain = np.array([rng.choice(len(shares), n, p=shares) for shares in PLAIN])
    rare = plain.sum(axis=0)
    group = np.where(rng.random(n) < OPENED * (0.7 + 0.3 * rare), OPEN, DISGUISED).astype(np.uint8)
    chances = np.tile(0.2 + 0.05 * rare, (setting.asked[0], 1)) * np.where(group == OPEN, setting.yes, 1.0)
    truth = np.concatenate([plain, rng.random(chances.shape) < chances]).astype(np.uint16)
    for index, asked in enumerate(design.questions):
        for rule in asked.show_if:
            hidden = ~np.isin(truth[rule.place], list(rule.codes))
            truth[index, hidden] = asked.true_hidden_code
            chances[index - len(PLAIN), hidden] = 0
    return (
        group,
        chances,
        columns_from_bytes(design, pack_batch(design, group, disguise(design, group, truth, rng))),
    )


def estimates(columns: Columns, used: NDArray[np.bool_], sets: list[tuple[Item, ...]]) -> Supports:
    design = columns.design.mined
    counter = HistogramCounter(PatternHistogram.count_records(design, [filter_records(columns, used)]), False)
    return reconstruct_supports(CachedCounter(counter, without_plain=True), sets)


MEASURES: Measures = {
    "open": (grid(OpenSetting, ((6, 2), (4, 2), (4, 4)), (1_000, 3_000, 10_000), (1.0, 0.4)), simulated),
}
