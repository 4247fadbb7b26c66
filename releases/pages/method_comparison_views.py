"""Pages that compare methods and values of k for a draft release: risk against loss, as a picture and a table.

All coordinates are integers, so that no language writes them with a decimal comma.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.permission import PersonRequest, get_permitted
from releases import source_tables
from releases.lifecycle import method_comparison_job
from releases.models import Comparison, Release
from releases.pages.tabs_and_next_step import render_page
from releases.specification.criteria_conversion import METHOD_NAMES, method_rank
from surveys.signed_in_view import form_page, reading, refusal_as_message

NEARLY_ONE = 0.9
"""Share of one sensitive value in a class above which the class nearly reveals it."""
WIDTH, HEIGHT = 340, 260
LEFT, RIGHT, TOP, BOTTOM = 40, 16, 16, 30
TICKS = 4
ENDS = (0.04, 0.08, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Possible ends of an axis, chosen so that every tick is a whole percentage."""
CHARACTER, LINE = 8, 14
"""Width and height of a character of a label, in units of the picture."""
MARKS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-4-4h8v8h-8z",
    "M0-5L5 4H-5z",
    "M0 5L5-4H-5z",
    "M-2-5h4v3h3v4h-3v3h-4v-3h-3v-4h3z",
    "M-5 0L-3-4H3L5 0L3 4H-3z",
)
"""Outlines around 0, one for each method: circle, square, triangles, cross, hexagon."""


@form_page
def compare(request: PersonRequest, pk: int) -> HttpResponse:
    """View: shows the last comparison of methods; a POST starts a new one.

    With `use`, a POST sets the draft to the method and k of a row instead. With `limit`, it first adds the criterion
    that each class holds two different sensitive values.
    """
    release = get_permitted(Release.objects.with_permissions(), request.user, pk, "configure")
    if request.method != "POST":
        return render_page(request, release, "compare", _page_context(release))
    with refusal_as_message(request):
        if "limit" in request.POST:
            method_comparison_job.set_two_sensitive_values_per_class(release, request.user, timezone.now())
            method_comparison_job.start_comparison(release, request.user, timezone.now())
        elif "use" not in request.POST:
            method_comparison_job.start_comparison(release, request.user, timezone.now())
        else:
            last = _last_comparison(release)
            rows = method_rows(last.rows if last else [])
            key = request.POST["use"]
            if row := next((row for row in rows if row.key == key and not row.refusal), None):
                method_comparison_job.choose_method(release, request.user, row.method, row.k, timezone.now())
                words = _("This draft uses %(method)s with k = %(k)s.")
                messages.success(request, words % {"method": row.name, "k": row.k})
                return redirect(release)
    return redirect("releases:compare", pk)


@reading
def comparison_result(request: PersonRequest, pk: int) -> HttpResponse:
    """View: shows the last comparison; status 204 while it runs, so that the page asks again."""
    release = get_permitted(Release.objects.with_permissions(), request.user, pk, "configure")
    context = _page_context(release)
    if context["is_live"]:
        return HttpResponse(status=204)
    return render(request, "releases/_compared.html", context)


def _last_comparison(release: Release) -> Comparison | None:
    return release.comparisons.order_by("-pk").first()


def _page_context(release: Release) -> dict[str, object]:
    last, draft = _last_comparison(release), source_tables.get_specification(release)
    rows = method_rows(last.rows if last else [])
    return {
        "release": release,
        "comparison": last,
        "is_live": last is not None and last.live,
        "rows": rows,
        "front": [row for row in rows if row.front],
        "rest": [row for row in rows if not row.front],
        "best": best_row(rows, draft.criteria.k),
        "used": (draft.method, draft.criteria.k),
        "has_sensitive": bool(draft.sensitive),
        "unlimited": [column.name for column in draft.sensitive]
        if method_comparison_job.allows_single_value(draft)
        else [],
        "picture": draw_picture(rows),
    }


@dataclass(frozen=True)
class MethodRow:
    """A method with a value of k in the comparison.

    `risk`: of picking the right record of a person, 1 / size of the smallest class. `share`: the largest share of a
    sensitive value in a class. `front`: rank on the Pareto front from 1; 0 if not on it.
    """

    method: str
    name: str
    k: int
    loss: float | None
    risk: float | None
    share: float | None
    refusal: str
    front: int = 0

    @property
    def has_nearly_one_sensitive_value(self) -> bool:
        return self.share is not None and self.share >= NEARLY_ONE

    @property
    def key(self) -> str:
        return f"{self.method} {self.k}"

    @property
    def loss_and_risk(self) -> tuple[float, float]:
        return self.loss or 0.0, self.risk or 0.0


def method_rows(results: Sequence[Mapping[str, Any]]) -> list[MethodRow]:
    """Returns the compared methods as rows, those on the Pareto front first, by loss, then the others, by method
    and k.

    A row is on the front if no other row has at most its loss and at most its risk. Of equal rows the one with the
    largest k is on the front.
    """
    rows = [
        MethodRow(
            method=result["method"],
            name=str(METHOD_NAMES.get(result["method"], result["method"])),
            k=result["k"],
            loss=result.get("ncp"),
            risk=1 / result.get("smallest", result["k"]) if "ncp" in result else None,
            share=result.get("max_frequency"),
            refusal=result.get("refusal") or "",
        )
        for result in results
    ]
    rows.sort(key=lambda row: (method_rank(row.method), row.k))
    front: list[MethodRow] = []
    for row in sorted(rows, key=lambda row: (*row.loss_and_risk, -row.k)):
        if row.loss is not None and (not front or row.loss_and_risk[1] < front[-1].loss_and_risk[1]):
            front.append(row)
    rest = [row for row in rows if row not in front]
    return [replace(row, front=number) for number, row in enumerate(front, 1)] + rest


def best_row(rows: Sequence[MethodRow], k: int) -> MethodRow | None:
    """Returns the row with this k that has the least loss."""
    measured = [row for row in rows if row.k == k and row.loss is not None]
    return min(measured, key=lambda row: row.loss_and_risk, default=None)


class PicturePoint(NamedTuple):
    x: int
    y: int
    mark: str
    words: str
    front: int


class FrontLabel(NamedTuple):
    """One label for neighbouring points of the front that are too close for a label each."""

    x: int
    y: int
    words: str


class RiskLossPicture(NamedTuple):
    """The picture of risk against loss.

    `line`: path along the front. `across`, `up`: position and percentage of each tick. `marks`: outline of each method
    by name.
    """

    points: list[PicturePoint]
    line: str
    labels: list[FrontLabel]
    across: list[tuple[int, int]]
    up: list[tuple[int, int]]
    marks: list[tuple[str, str]]


def draw_picture(rows: Sequence[MethodRow]) -> RiskLossPicture | None:
    """Returns the picture of risk against loss; None if no row has a loss."""
    measured = [row for row in rows if row.loss is not None]
    if not measured:
        return None
    most_loss, most_risk = (
        next(end for end in ENDS if end >= min(max(values), 1.0))
        for values in zip(*(row.loss_and_risk for row in measured), strict=True)
    )

    def x(share: float) -> int:
        return round(LEFT + share * (WIDTH - LEFT - RIGHT))

    def y(share: float) -> int:
        return round(HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP))

    names = {row.method: row.name for row in measured}
    methods = sorted(names, key=method_rank)
    marks = {method: MARKS[index % len(MARKS)] for index, method in enumerate(methods)}
    points = []
    for row in measured:
        loss, risk = row.loss_and_risk
        words = f"{row.name}, k = {row.k}"
        points.append(
            PicturePoint(x(loss / most_loss), y(risk / most_risk), marks[row.method], words, row.front)
        )
    front = [point for point in points if point.front]
    ticks = [(step / TICKS, step * 100 / TICKS) for step in range(TICKS + 1)]
    return RiskLossPicture(
        # The front is drawn last, above the others.
        sorted(points, key=lambda point: point.front),
        "M" + "L".join(f"{point.x} {point.y}" for point in front),
        pareto_front_labels(front),
        [(x(share), round(most_loss * percent)) for share, percent in ticks],
        [(y(share), round(most_risk * percent)) for share, percent in ticks],
        [(names[method], mark) for method, mark in marks.items()],
    )


def pareto_front_labels(front: Sequence[PicturePoint]) -> list[FrontLabel]:
    """Returns the labels of the front's points; close points share one."""
    labels: list[FrontLabel] = []
    near: list[PicturePoint] = []
    for point in front:
        if labels:
            label = labels[-1]
            is_near = point.x - label.x < CHARACTER * (len(label.words) + 1) and abs(point.y - label.y) < LINE
            near = near if is_near else []
        if near:
            labels.pop()
        near.append(point)
        first, last = near[0].front, near[-1].front
        words = str(first) if first == last else f"{first}–{last}"
        labels.append(FrontLabel(near[0].x, min(point.y for point in near), words))
    return labels
