"""The table of the cells of sensitive places in files; the shares of their regions stand among the single answers."""

from collections.abc import Sequence

from mining.truth import AMONG
from reports.exports.export_table import ExportTable
from reports.kinds.place.shown import ShownPlace

CELLS = ("question", "question_text", "among", "cell", "cell_in_words", "x", "y", "item", "item_in_words")
SHARES = ("received", "illustration", "share", "low", "high")


def place_tables(places: Sequence[ShownPlace]) -> list[ExportTable]:
    """A row for each cell; `share` and its interval only of cells outside the regions. Withheld is empty."""
    rows = []
    for place in places:
        about = place.content.about
        among = AMONG if about.opened or about.disguised_alone else ""
        for cell in place.cells():
            x, y = place.question.cells[cell.number].at
            of = (place.name, place.text, among, cell.name, cell.words, x, y, cell.item, cell.region)
            ends = (cell.outside.share, cell.outside.low, cell.outside.high) if cell.outside else (None,) * 3
            rows.append((*of, cell.received, cell.illustration, *ends))
    return [ExportTable("cells", (*CELLS, *SHARES), tuple(rows))]
