"""The fields of a form that choose products of two covariates of a model."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from privacy.designs.plan import TIMES

PRODUCTS = 3
FIRST, SECOND = "product{}_first", "product{}_second"


def add_product_fields(form: forms.Form, covariates: Iterable[tuple[str, str]]) -> None:
    """`covariates`: each by its name, with its words."""
    choices = [("", "—"), *covariates]
    for number in range(1, PRODUCTS + 1):
        for name, label in ((FIRST, _("First covariate")), (SECOND, _("Second covariate"))):
            form.fields[name.format(number)] = forms.ChoiceField(label=label, required=False, choices=choices)


def product_fields(form: forms.Form) -> list[tuple[forms.BoundField, forms.BoundField]]:
    return [(form[FIRST.format(number)], form[SECOND.format(number)]) for number in range(1, PRODUCTS + 1)]


def chosen_pairs(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Of the values of the fields by name; a side that was not chosen is empty."""
    for number in range(1, PRODUCTS + 1):
        first, second = (str(values.get(name.format(number)) or "") for name in (FIRST, SECOND))
        if first or second:
            yield first, second


def initial_products(products: Iterable[str]) -> dict[str, str]:
    """The initial values of the fields, of products as `age*sex`."""
    initial: dict[str, str] = {}
    for number, product in enumerate(products, 1):
        first, _times, second = product.partition(TIMES)
        initial |= {FIRST.format(number): first, SECOND.format(number): second}
    return initial
