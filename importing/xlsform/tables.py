"""Which rows of the sheet survey are lines of one battery: those of a table-list, below a head of a table, or of one
candor_group."""

from collections.abc import Hashable
from typing import Any

from importing.gathering import Gathering
from privacy.grammar.question import TABLE_FORMS

Node = dict[str, Any]


class TableRows:
    """Goes down the rows that ask; rows of one table that do not follow one another become two batteries."""

    def __init__(self, gathering: Gathering) -> None:
        self._gathering = gathering
        self._last: Hashable = None
        self._of = ""

    def end(self) -> None:
        self._last = None

    def with_table(self, question: Node, key: Hashable, wish: str) -> Node:
        """The question as a line of the table that this key tells from others; None where it is in none."""
        if key is not None and question["form"] == "yes-no":
            question = {**question, "form": "one"}
        if key is None or question["form"] not in TABLE_FORMS:
            self.end()
            return question
        names = [choice["name"] for choice in question["choices"]]
        found = (key, question["form"], *names)
        if found != self._last:
            self._last, self._of = found, self._gathering.group(wish, "table")
        return {**question, "of": self._of}
