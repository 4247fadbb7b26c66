"""The cells of a region in a form: ticks, or a text where there would be too many of them.

Both work without a script. Ticks are the easiest; but every region needs one for each cell, and a page with thousands
of fields is slow to load, to read aloud and to save. Then each region has one text: a name or two corners a line.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from surveys.kinds.place.draft_question import Cell, PlaceDraftQuestion, words_of

MOST_TICKS = 1_024
"""Cells times regions."""


def has_ticks(question: PlaceDraftQuestion) -> bool:
    return len(question.cells) * len(question.regions) <= MOST_TICKS


def cell_field(question: PlaceDraftQuestion, label: str, language: str) -> forms.Field:
    """Its value is the list of names, in any order."""
    if not has_ticks(question):
        return CellText(question.cells, label)
    choices = [(cell.name, words_of(cell, language)) for cell in question.cells]
    return forms.MultipleChoiceField(
        label=label, required=False, choices=choices, widget=forms.CheckboxSelectMultiple
    )


class CellText(forms.CharField):
    """A line is the name of a cell, or the names of two with a colon: all whose middle lies between their middles."""

    def __init__(self, cells: Sequence[Cell], label: str) -> None:
        hint = _("One name per line. Two names with a colon, such as A1:C4, mean the rectangle between them.")
        widget = forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "autocomplete": "off"})
        super().__init__(label=label, help_text=hint, required=False, max_length=500_000, widget=widget)
        self.points = {cell.name: cell.at for cell in cells}

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list | tuple) else value

    def to_python(self, value: Any) -> Any:
        cells: dict[str, None] = {}
        for row, line in enumerate(str(value or "").splitlines(), 1):
            if name := line.strip():
                cells |= dict.fromkeys(self._named(name, row))
        return list(cells)

    def _named(self, line: str, row: int) -> Iterator[str]:
        if line in self.points:
            yield line
            return
        first, _colon, second = (each.strip() for each in line.partition(":"))
        for name in (first, second or first):
            if name not in self.points:
                said = {"row": row, "name": name}
                raise ValidationError(_("Line %(row)s: no cell is called “%(name)s”.") % said)
        (x1, y1), (x2, y2) = self.points[first], self.points[second]
        for name, (x, y) in self.points.items():
            if min(x1, x2) <= x <= max(x1, x2) and min(y1, y2) <= y <= max(y1, y2):
                yield name
