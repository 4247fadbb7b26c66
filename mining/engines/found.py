"""The result of either engine."""

from dataclasses import dataclass

from mining.itemsets.frequent import Frequent
from mining.rules import Rules
from privacy.designs import InputError
from privacy.grammar.input_error import marked as _


@dataclass(frozen=True)
class Found:
    frequent: Frequent
    rules: Rules


class Disagreement(InputError):
    """The engines made different rules of the same itemsets, so the results of both are in doubt."""

    def __init__(self) -> None:
        reason = _(
            "Candor and mlxtend make different rules of the same itemsets, so one of them is wrong. "
            "Nothing is reported; tell your administrator."
        )
        super().__init__("engine", reason)
