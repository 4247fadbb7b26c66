"""Surveys that ask for numbers: sealed records of simulated people, and what a run should say of their numbers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accounts.models import Person
from intake.models import Batch
from mining.kinds.number.report_node import estimate_number
from mining.report.number_nodes import NumberClasses, NumberEstimates, NumberNode
from privacy.designs import Design
from privacy.records.packed_bit_columns import columns_from_bytes, pack_batch, unpack_columns
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population
from surveys.models import Survey
from tests.kept_rows import kept_row
from tests.privacy.questionnaires import classes, window
from tests.runs import sealed

IF_YOUNG: dict[str, Any] = {"show_if": {"age": ["young"]}}


def small() -> Design:
    """So few questions that a histogram counts them."""
    return sealed.written(
        sealed.plain("age", "young", "old"),
        window("pay", 31, 2, "0.3"),
        sealed.section("theft"),
        classes("debt", "0.8", 0, 5, 10, 20, rest=2, **IF_YOUNG),
    )


def large() -> Design:
    """Too many for a histogram."""
    names = [f"q{place}" for place in range(18)]
    number = classes("debt", "0.8", 0, 5, 10, 20, rest=2, **IF_YOUNG)
    return sealed.written(
        sealed.plain("age", "young", "old"), window("pay", 31, 2, "0.3"), sealed.section(*names), number
    )


def survey(owner: Person, design: Design, batches: Sequence[int], open_share: float = 0.3) -> Survey:
    def make() -> Survey:
        made = sealed.survey(owner, design, [])
        for n in batches:
            seal(made, n, open_share)
        return sealed.finish(made) if batches else made

    return kept_row(("numbered", owner.pk, design.fingerprint, *batches, open_share), make)


def seal(to: Survey, n: int, open_share: float) -> None:
    """One more batch; small numbers are more frequent."""
    assert to.design
    design = to.design.content
    number = Batch.objects.filter(survey=to).count() + 1
    rng = np.random.default_rng(number)
    shares = tuple(tuple(1 / (1 + code) for code in range(of.true_codes)) for of in design.questions)
    group, true = Population(Independent(shares), open_share=open_share).draw(design, n, rng)
    columns = pack_batch(design, group, disguise(design, group, true, rng))
    Batch.objects.create(survey=to, first=number, last=number, n=n, columns=columns)


def records(of: Survey) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    assert of.design
    design = of.design.content
    parts = [
        unpack_columns(columns_from_bytes(design, bytes(batch.columns)))
        for batch in Batch.objects.filter(survey=of)
    ]
    return np.concatenate([group for group, _ in parts]), np.concatenate(
        [codes for _, codes in parts], axis=1
    )


def expected(of: Survey, name: str) -> NumberNode:
    """Counted record by record; the classes are those of age."""
    assert of.design
    design, (group, codes) = of.design.content, records(of)
    place = [question.name for question in design.questions].index(name)
    section: Any = next(one for one in design.sections if one.questions[0].name == name)

    def among(chosen: NDArray[np.bool_], *, of_class: bool = False) -> NumberEstimates:
        counts = np.zeros((2, section.question.codes), np.int64)
        for g, code in zip(group[chosen].tolist(), codes[place, chosen].tolist(), strict=True):
            if code < section.question.codes and not (g == 0 and of_class):
                counts[g, code] += 1
        found = estimate_number(section, counts, of_class=of_class)
        return replace(found, disguised_only=design.open_answers and not found.n_open)

    classes = tuple(among(codes[0] == code, of_class=True) for code in (0, 1))
    everybody = among(np.ones(len(group), np.bool_))
    return NumberNode(name, section.question.law, everybody, (NumberClasses("age", classes),))
