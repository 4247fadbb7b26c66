"""Requires a least number of records for each coefficient of a model (docs/mathematics.md, Floors of models).

A model with all products reproduces each cell's share exactly. Only these floors protect direct answers; disguised
answers keep their guarantee whatever is published.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import Floats
from mining.studies.model_request_and_columns import ARM, Codes, ModelRequest, Product
from privacy.designs import InputError
from privacy.grammar.input_error import mark_for_translation as _, quote_value

LEAST_CELL, LEAST_PLAIN = 50, 20
"""Fewest records of a cell; fewest records of the direct arm in a cell that has any."""


FloorCell = tuple[NDArray[np.bool_], str, tuple[str, str] | None]
"""A group of records that needs enough members: a mask of patterns, its name, and the choices to merge, if any."""


PatternRecords = tuple[Floats, Floats]
"""Two arrays by pattern: all records, and the records with plain answers to sensitive questions (the direct arm)."""


def has_enough_records_in_cell(records: PatternRecords, cell: FloorCell) -> bool:
    patterns, *_name = cell
    every, plain = (counts[patterns].sum() for counts in records)
    return bool(every >= LEAST_CELL and (plain == 0 or plain >= LEAST_PLAIN))


def refuse_small_cells(request: ModelRequest, codes: Codes, records: PatternRecords) -> None:
    """Raises `InputError` if a cell of the model has too few records; the error names the cell and choices to merge.

    The error states no number of records, since with one filter after the other that would count people.
    """
    if records[0].sum() < LEAST_CELL:
        raise too_few_error()
    for covariate in request.covariates:
        _refuse_constant_covariate(request, covariate, codes, records)
    for cell in [
        *(
            cell
            for covariate in request.covariates
            for cell in _choice_cells(request, covariate, codes, records)
        ),
        *(cell for pair in request.products for cell in product_cells(request, pair, codes)),
    ]:
        if not has_enough_records_in_cell(records, cell):
            raise _floor_error(cell, records)


def too_few_error() -> InputError:
    text = _("fewer than %(least)s records answer the item and all covariates: choose others")
    return InputError("model", text, least=LEAST_CELL)


def _refuse_constant_covariate(
    request: ModelRequest, covariate: int, codes: Codes, records: PatternRecords
) -> None:
    chosen = np.bincount(request.chosen_codes(covariate, codes), records[0])
    if (chosen > 0).sum() == 1:
        raise InputError(
            "covariates",
            _("%(name)s is constant: all records have %(choice)s, so leave it out"),
            name=quote_value(request.name(covariate)),
            choice=quote_value(request.choice_name(covariate, int(chosen.argmax()))),
        )


def _floor_error(cell: FloorCell, records: PatternRecords) -> InputError:
    patterns, name, merge = cell
    values: dict[str, object] = {"cell": quote_value(name), "least": LEAST_CELL}
    if records[0][patterns].sum() >= LEAST_CELL:
        text = _("%(cell)s has fewer than %(least)s direct records: merge choices, or leave the arm out")
        return InputError("covariates", text, **values | {"least": LEAST_PLAIN})
    if merge is None:
        text = _("%(cell)s has fewer than %(least)s records: merge choices, or leave it out")
        return InputError("covariates", text, **values)
    text = _("%(cell)s has fewer than %(least)s records: merge %(one)s with %(other)s, or leave it out")
    return InputError("covariates", text, **values, one=quote_value(merge[0]), other=quote_value(merge[1]))


def _choice_cells(
    request: ModelRequest, covariate: int, codes: Codes, records: PatternRecords
) -> Iterator[FloorCell]:
    """Yields the cells (groups of patterns) that a covariate's coefficients compare: one for every choice, the first
    included.

    If the covariate counts as a number, each cell has all records but those with one choice.
    """
    chosen = request.chosen_codes(covariate, codes)
    if covariate in request.numbers:
        for code in range(len(request.choices(covariate))):
            yield chosen != code, _all_but_choice(request, covariate, code), None
        return
    sizes = np.bincount(chosen, records[0], len(request.choices(covariate)))
    for code in range(len(sizes)):
        name = request.choice_name(covariate, code)
        merge = _choice_to_merge_with(request, covariate, code, sizes)
        yield chosen == code, name, None if merge is None else (name, merge)


def _all_but_choice(request: ModelRequest, covariate: int, code: int) -> str:
    return request.choice_name(covariate, code).replace("=", "≠", 1)


def _choice_to_merge_with(
    request: ModelRequest, covariate: int, code: int, sizes: NDArray[Any]
) -> str | None:
    """Returns the name of the choice to merge a small one with: on a scale the smaller neighbour, else the smallest
    other choice; None if there are fewer than three choices."""
    if covariate == ARM or len(sizes) < 3:
        return None
    scale = request.design.questions[covariate].form == "scale"
    others = [at for at in range(len(sizes)) if at != code and (not scale or abs(at - code) == 1)]
    return request.choice_name(covariate, min(others, key=lambda at: sizes[at]))


def product_cells(request: ModelRequest, pair: Product, codes: Codes) -> Iterator[FloorCell]:
    """Yields the cells that a product of two covariates compares: every combination of a choice of each.

    If one covariate counts as a number, a cell has the records with a choice of the other, but those with one number;
    if both do, all records but those with one product.
    """
    first, second = sorted(pair, key=lambda covariate: covariate in request.numbers)
    one, other = (request.chosen_codes(covariate, codes) for covariate in (first, second))
    if first in request.numbers:
        for value in np.unique(one * other).tolist():
            name = f"{request.name(first)} × {request.name(second)} ≠ {value}"
            yield one * other != value, name, None
        return
    as_number = second in request.numbers
    for at, beside in product(range(len(request.choices(first))), range(len(request.choices(second)))):
        named = _all_but_choice if as_number else ModelRequest.choice_name
        name = f"{request.choice_name(first, at)} × {named(request, second, beside)}"
        yield (one == at) & ((other != beside) if as_number else (other == beside)), name, None
