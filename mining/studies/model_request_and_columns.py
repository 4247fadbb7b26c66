"""Parses the request for a model, and makes the model's columns and their names (docs/mathematics.md, Models).

Coefficients are named `1`, `age=40+`, `age` (as a number), `age=40+*sex=m`, `arm`. Questions are given by their
indexes in the mined design; ARM stands for the arm, whose choices are direct and disguised.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.plain_table_counts import plain_question_indexes
from mining.inference.contingency_table import Floats
from mining.nodes.regression_nodes import Population
from mining.queries_and_counters import Item
from mining.studies.population_margins_csv import plain_question_index
from privacy.designs import Design, InputError
from privacy.designs.hypothesis_plan import MOST_COEFFICIENTS, MOST_PATTERNS
from privacy.grammar.input_error import mark_for_translation as _, quote_value

ARM, ARM_NAME = -1, "arm"
ARM_CHOICES = ("direct", "disguised")
INTERCEPT = "1"
TIMES = "*"

Product = tuple[int, int]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class ModelRequest:
    """A requested model of the share of `item` by `covariates`; `read_request` makes and checks it.

    `numbers` are the covariates used as a number (the number of the choice). `among`: plain items that all records
    have.
    """

    design: Design
    item: Item
    covariates: tuple[int, ...]
    numbers: frozenset[int] = frozenset()
    products: tuple[Product, ...] = ()
    among: tuple[Item, ...] = ()
    logit: bool = False

    @property
    def by_arm(self) -> bool:
        return ARM in self.covariates

    @property
    def population(self) -> Population:
        if self.design.has_arms:
            return "both arms" if self.by_arm else "disguised arm"
        return "disguised" if self.design.offers_choice else "all"

    @property
    def questions(self) -> tuple[int, ...]:
        """The covariates that are questions: all but the arm."""
        return tuple(index for index in self.covariates if index != ARM)

    def chosen_codes(self, covariate: int, codes: Codes) -> Codes:
        """Returns this covariate's row of `codes` (covariate by pattern): its choice in each pattern."""
        answers: Codes = codes[self.covariates.index(covariate)]
        return answers

    def name(self, covariate: int) -> str:
        return ARM_NAME if covariate == ARM else self.design.questions[covariate].name

    def choices(self, covariate: int) -> tuple[str, ...]:
        return ARM_CHOICES if covariate == ARM else self.design.questions[covariate].code_names

    def choice_name(self, covariate: int, code: int) -> str:
        return f"{self.name(covariate)}={self.choices(covariate)[code]}"


def read_request(
    design: Design,
    item: str,
    on: Sequence[str],
    *,
    numbers: Sequence[str] = (),
    products: Sequence[str] = (),
    among: Sequence[str] = (),
    by_arm: bool = False,
    logit: bool = False,
) -> ModelRequest:
    """Returns the request for a model, parsed and checked from names that a person gives, such as `theft=yes`, `age`,
    `age*sex`; `design` is the mined one."""
    covariates = [
        *(plain_question_index(design, name, "covariates") for name in on),
        *([ARM] if by_arm else []),
    ]
    names = [*on, *([ARM_NAME] if by_arm else [])]
    if len(set(names)) < len(names):
        raise InputError("covariates", _("a covariate appears twice: name each once"))
    places = dict(zip(names, covariates, strict=True))
    request = ModelRequest(
        design,
        parse_sensitive_item(design, item),
        tuple(covariates),
        frozenset(_parse_number(design, places, name) for name in numbers),
        tuple(dict.fromkeys(_parse_product(places, written) for written in products)),
        tuple(parse_plain_item(design, written) for written in among),
        logit,
    )
    _check_size(request)
    return request


def _check_size(request: ModelRequest) -> None:
    sizes = [len(request.choices(covariate)) for covariate in request.covariates]
    if prod(sizes) > MOST_PATTERNS:
        raise InputError(
            "covariates",
            _("have %(patterns)s combinations of choices, above %(most)s: leave one out, or merge choices"),
            patterns=f"{prod(sizes):,}",
            most=f"{MOST_PATTERNS:,}",
        )
    coefficients = len(model_columns(request, np.zeros((len(sizes), 1), np.intp)).names)
    if coefficients > MOST_COEFFICIENTS:
        raise InputError(
            "covariates",
            _(
                "make %(coefficients)s coefficients, above %(most)s: leave one out, or take an ordered one as a number"
            ),
            coefficients=coefficients,
            most=MOST_COEFFICIENTS,
        )


def parse_sensitive_item(design: Design, written: str) -> Item:
    """Parses an item of a sensitive question, such as `theft=yes`: returns its question index and code."""
    index, code = parse_item(design, written, "item")
    if index in plain_question_indexes(design):
        raise InputError(
            "item",
            _("%(item)s is not disguised: name an answer to a sensitive question"),
            item=quote_value(written),
        )
    refuse_scored_item(design, (index, code))
    return index, code


def refuse_scored_item(design: Design, item: Item) -> None:
    """Raises `InputError` if the item is estimated from scores, since the number of records with the answer is
    needed."""
    question = design.questions[item[0]]
    if question.scored:
        raise InputError(
            "item",
            _("%(item)s is estimated from scores: name an answer that is counted"),
            item=quote_value(f"{question.name}={question.choices[item[1]].name}"),
        )


def parse_plain_item(design: Design, written: str) -> Item:
    index, code = parse_item(design, written, "among")
    if index not in plain_question_indexes(design):
        raise InputError(
            "among",
            _("%(item)s is sensitive: use an answer that is not disguised"),
            item=quote_value(written),
        )
    return index, code


def parse_item(design: Design, written: str, where: str) -> Item:
    """Parses an item such as `theft=yes`: returns its question index and code; a refusal names the place `where`."""
    name, _sign, choice = written.partition("=")
    for index, question in enumerate(design.questions):
        if question.name == name and choice in question.code_names:
            return index, question.code_names.index(choice)
    raise InputError(
        where, _("the design has no answer %(item)s: write it as theft=yes"), item=quote_value(written)
    )


def _parse_number(design: Design, index_by_name: dict[str, int], name: str) -> int:
    if name not in index_by_name or index_by_name[name] == ARM:
        raise InputError("number", _("%(name)s is not among the covariates"), name=quote_value(name))
    if design.questions[index_by_name[name]].form != "scale":
        raise InputError(
            "number", _("%(name)s is no scale: only ordered choices can be a number"), name=quote_value(name)
        )
    return index_by_name[name]


def _parse_product(index_by_name: dict[str, int], written: str) -> Product:
    names = written.split(TIMES)
    if len(names) != 2 or names[0] == names[1] or any(name not in index_by_name for name in names):
        raise InputError(
            "product",
            _("%(product)s is no product of two covariates: write it as age*sex"),
            product=quote_value(written),
        )
    # The order of a product does not matter: as the covariates stand.
    order = list(index_by_name)
    first, second = sorted(names, key=order.index)
    return index_by_name[first], index_by_name[second]


@dataclass(frozen=True)
class ModelColumns:
    """The columns of a model (its design matrix): `values` is pattern by coefficient; `terms` has the covariates of
    each coefficient."""

    values: Floats
    names: tuple[str, ...]
    terms: tuple[tuple[int, ...], ...]

    def in_term(self, term: tuple[int, ...]) -> NDArray[np.bool_]:
        """Returns a mask of the model's coefficients: True if the coefficient belongs to this term."""
        return np.array([column_term == term for column_term in self.terms])


def model_columns(request: ModelRequest, codes: Codes) -> ModelColumns:
    """Returns the columns (design matrix) of the requested model; `codes`: the choice of each covariate by pattern."""
    columns: list[tuple[Floats, str, tuple[int, ...]]] = [(np.ones(codes.shape[1]), INTERCEPT, ())]
    for covariate in request.covariates:
        columns += [(values, name, (covariate,)) for values, name in _main_columns(request, covariate, codes)]
    for pair in request.products:
        columns += product_columns(request, pair, codes)
    values, names, terms = zip(*columns, strict=True)
    return ModelColumns(np.stack(values, axis=1), names, terms)


def product_columns(
    request: ModelRequest, pair: Product, codes: Codes
) -> list[tuple[Floats, str, tuple[int, ...]]]:
    """Returns the columns of a product: all products of a column of one covariate and a column of the other, each with
    its name and term."""
    sides = [_main_columns(request, covariate, codes) for covariate in pair]
    return [
        (values * others, f"{name}{TIMES}{other}", pair)
        for (values, name), (others, other) in product(*sides)
    ]


def _main_columns(request: ModelRequest, covariate: int, codes: Codes) -> list[tuple[Floats, str]]:
    """Returns the columns of one covariate with their names.

    There is an indicator column for each choice but the first; one column if the covariate is a number or the arm.
    """
    chosen = request.chosen_codes(covariate, codes)
    if covariate in request.numbers or covariate == ARM:
        return [(chosen.astype(np.float64), request.name(covariate))]
    return [
        (np.asarray(chosen == code, np.float64), request.choice_name(covariate, code))
        for code in range(1, len(request.choices(covariate)))
    ]
