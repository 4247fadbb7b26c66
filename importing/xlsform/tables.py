"""Which rows of the sheet survey are lines of one battery: those of a table-list, below a head of a table, or of one
candor_group."""

from collections.abc import Hashable
from dataclasses import replace

from importing.gathering import Gathering
from privacy.grammar.question import TABLE_FORMS
from surveys.questionnaire.draft_question import DraftQuestion


class TableRows:
    """Goes down the rows that ask; rows of one table that do not follow one another become two batteries."""

    def __init__(self, gathering: Gathering) -> None:
        self._gathering = gathering
        self._last: Hashable = None
        self._of = ""

    def end(self) -> None:
        self._last = None

    def with_table(self, question: DraftQuestion, key: Hashable, wish: str) -> DraftQuestion:
        """The question as a line of the table that this key tells from others; None where it is in none."""
        if key is not None and question.form == "yes-no":
            question = replace(question, form="one")
        if key is None or question.form not in TABLE_FORMS:
            self.end()
            return question
        table = (key, question.form, *question.choice_names)
        if table != self._last:
            self._last, self._of = table, self._gathering.group(wish, "table")
        return replace(question, of=self._of)
