"""The lattice drawn: a box for each generalisation, from the original table at the bottom to the top."""

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from django.utils.translation import gettext as _

from papers.drawing import FONT, INK, WIDTH
from papers.k_anonymity.lattice import LatticeNode, steps_up
from privacy.anonymity.searches.lattice import Levels

STEP_X, STEP_Y = 190, 86
BOX_WIDTH, BOX_HEIGHT = 170, 50
TITLE = 70
"""Room above the top for title and note."""
PAPER, MINIMAL = "#ffffff", "#f3dccf"


def lattice_svg(title: str, nodes: Sequence[LatticeNode]) -> str:
    """Of one table, one k and one MaxSup."""
    note = _("with the records in classes below k; coloured: k-minimal; dashed: more than MaxSup are below k")
    places = _places(nodes)
    height = max(node.height for node in nodes)
    tall = TITLE + height * STEP_Y + 2 * BOX_HEIGHT
    size = f'viewBox="0 0 {WIDTH} {tall}" width="{WIDTH}" height="{tall}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{tall}" fill="{PAPER}"/>',
        f'<text x="20" y="24" font-size="14" font-weight="600" {FONT}>{escape(title)}</text>',
        f'<text x="20" y="44" font-size="12" {FONT}>{escape(note)}</text>',
        *_edges(nodes, places),
        *(part for node in nodes for part in _box(node, places[node.distance])),
    ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _places(nodes: Sequence[LatticeNode]) -> dict[Levels, tuple[int, int]]:
    """The middles of the boxes: by height, the nodes of one height side by side about the same middle."""
    height = max(node.height for node in nodes)
    positions = {}
    for level in range(height + 1):
        row = [node for node in nodes if node.height == level]
        for index, node in enumerate(row):
            x = WIDTH // 2 + (2 * index - len(row) + 1) * STEP_X // 2
            positions[node.distance] = (x, TITLE + BOX_HEIGHT + (height - level) * STEP_Y)
    return positions


def _edges(nodes: Sequence[LatticeNode], places: dict[Levels, tuple[int, int]]) -> Iterator[str]:
    top = max(node.distance for node in nodes)
    for node in nodes:
        x, y = places[node.distance]
        for above in steps_up(node.distance, top):
            end_x, end_y = places[above]
            ends = f"M{x} {y - BOX_HEIGHT // 2}L{end_x} {end_y + BOX_HEIGHT // 2}"
            yield f'<path d="{ends}" stroke="{INK}" fill="none"/>'


def _box(node: LatticeNode, middle: tuple[int, int]) -> Iterator[str]:
    x, y = middle
    fill = MINIMAL if node.minimal else PAPER
    dashes = "" if node.admitted else ' stroke-dasharray="4 3"'
    corner = f'x="{x - BOX_WIDTH // 2}" y="{y - BOX_HEIGHT // 2}"'
    yield f'<rect {corner} width="{BOX_WIDTH}" height="{BOX_HEIGHT}" fill="{fill}" stroke="{INK}"{dashes}/>'
    distance = ", ".join(map(str, node.distance))
    for line, words in (
        (-4, f"{node.name} [{distance}]"),
        (15, _("%(count)s below k = %(k)s") % {"count": node.below, "k": node.k}),
    ):
        yield f'<text x="{x}" y="{y + line}" text-anchor="middle" font-size="14" {FONT}>{escape(words)}</text>'
