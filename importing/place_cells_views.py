"""The page where a researcher sets the cells of a place question: by a grid, a GeoJSON file, or a list of
names.

It is a separate page, since a file needs a separate form, and new cells change all regions.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from accounts.permission import PersonRequest
from builder.editing import save_edit
from builder.editing.http_responses import command_response, editable_draft_view, refusal_response
from importing import isolated_reader
from importing.faults import FileRefused
from surveys.kinds.place import editing as places, map_cell_creation as place_cells
from surveys.kinds.place.draft import Cell, PlaceDraftQuestion, read_cells
from surveys.kinds.place.editing import undo_data_for_place
from surveys.kinds.place.map_cell_creation import Corners
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed, Problem
from surveys.questionnaire.question_block_editing import block_html_id, question_text_with_fallback
from surveys.questionnaire.questionnaire import CommandResult, Questionnaire, Sent
from surveys.signed_in_view import form_page, takes_upload, upload_of_at_most
from ui.sentence_joining import join_sentences

MOST_BYTES = 4_000_000

DraftChange = Callable[[Questionnaire], Questionnaire]


def _degrees_field(limit: int, label: Any) -> forms.DecimalField:
    widget = forms.TextInput(attrs={"inputmode": "text", "autocomplete": "off", "size": 8})
    return forms.DecimalField(
        label=label, min_value=-limit, max_value=limit, decimal_places=2, required=False, widget=widget
    )


CORNERS = "south", "west", "north", "east"


class CellGridForm(forms.Form):
    columns = forms.IntegerField(label=gettext_lazy("Columns"), min_value=1, max_value=4096, initial=8)
    rows = forms.IntegerField(label=gettext_lazy("Rows"), min_value=1, max_value=4096, initial=8)
    land = forms.BooleanField(
        label=gettext_lazy("On the outline of land"),
        help_text=gettext_lazy("Then give two corners in degrees, south and west with a minus."),
        required=False,
    )
    south = _degrees_field(90, gettext_lazy("South-west corner: latitude"))
    west = _degrees_field(180, gettext_lazy("South-west corner: longitude"))
    north = _degrees_field(90, gettext_lazy("North-east corner: latitude"))
    east = _degrees_field(180, gettext_lazy("North-east corner: longitude"))

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("land"):
            for name in CORNERS:
                if name not in self.errors and data.get(name) is None:
                    self.add_error(name, _("This field is required."))
        return data

    def draft_change(self, key: str, person: int) -> DraftChange:
        """Returns a function that changes a draft: its place question `key` gets the cells of the grid."""
        columns, rows, on_land = (self.cleaned_data[name] for name in ("columns", "rows", "land"))
        corners = Corners(*(Decimal(self.cleaned_data[name]) for name in CORNERS)) if on_land else None
        cells = place_cells.grid_cells(columns, rows, corners)
        return lambda draft: places.replace_cells(draft, key, cells, on_land=on_land)


def cells_from_geojson(data: bytes, person: int, on_land: bool) -> tuple[Cell, ...]:
    """Returns the cells of a GeoJSON file; raises `NotAllowed` with the position in the file and the reason.

    `on_land`: the cells are drawn on the outline of land, which requires coarse coordinates.
    """
    try:
        area = isolated_reader.read_cells(data, person)
    except FileRefused as refusal:
        # The place stands as it is in the file, so that one finds it there.
        words = _("%(place)s: %(reason)s")
        raise NotAllowed(
            join_sentences(
                words % {"place": location, "reason": Problem("", why).sentence}
                for location, why in refusal.faults
            )
        ) from None
    if on_land and area.per_degree != place_cells.PER_DEGREE:
        raise NotAllowed(
            _("These areas are too small for the outline of land, which is coarse. Upload them without it.")
        )
    return read_cells(area.cells, ())


class CellsFileForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("GeoJSON file"),
        help_text=gettext_lazy(
            "Polygons with longitude and latitude (WGS 84), each with a name; at most 4 megabytes and 4,096 areas."
        ),
        max_length=300,
        widget=forms.FileInput(attrs={"accept": ".geojson,.json"}),
    )
    land = forms.BooleanField(label=gettext_lazy("Draw the outline of land"), required=False)

    def draft_change(self, key: str, person: int) -> DraftChange:
        """Returns a function that changes a draft: its place question `key` gets the cells of the file."""
        file, on_land = (self.cleaned_data[name] for name in ("file", "land"))
        cells = cells_from_geojson(file.read(), person, on_land)
        return lambda draft: places.replace_cells(draft, key, cells, on_land=on_land)


class CellNamesForm(forms.Form):
    names = forms.CharField(
        label=gettext_lazy("Names, one a line"),
        max_length=900_000,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false"}),
    )
    same = forms.BooleanField(
        label=gettext_lazy("These are new names for the same cells, in their order"),
        required=False,
    )

    def draft_change(self, key: str, person: int) -> DraftChange:
        """Returns a function that changes a draft: the cells of its place question `key` get these names.

        If the form says that they are the same cells, they are renamed; else new cells with these names replace them.
        """
        written, is_same = (self.cleaned_data[name] for name in ("names", "same"))
        names = place_cells.read_names_by_line(written)
        if is_same:
            return lambda draft: places.rename_cells(draft, key, names)
        return lambda draft: places.replace_cells(draft, key, place_cells.cells_in_a_row(names))


CellsForm = CellGridForm | CellsFileForm | CellNamesForm
FORMS: dict[str, type[CellGridForm] | type[CellsFileForm] | type[CellNamesForm]] = {
    "grid": CellGridForm,
    "file": CellsFileForm,
    "names": CellNamesForm,
}


@takes_upload
@form_page
@upload_of_at_most(MOST_BYTES)
@editable_draft_view
def edit_cells(request: PersonRequest, survey: Survey) -> HttpResponse:
    key = request.GET.get("key", "")
    try:
        question = places.find_place_question(save_edit.load_questionnaire(survey), key)
    except NotAllowed as reason:
        return refusal_response(request, survey, str(reason))
    made = _source_forms(question)
    source = request.POST.get("source", "")
    if request.method != "POST" or source not in made:
        return _render_page(request, survey, question, made)
    made[source] = form = FORMS[source](request.POST, request.FILES, auto_id=f"{source}-%s")
    if form.is_valid():
        try:
            return _replace_cells(request, survey, key, form)
        except NotAllowed as reason:
            form.add_error(None, str(reason))
        except isolated_reader.ReadersBusy as busy:
            form.add_error(None, str(busy))
            return isolated_reader.busy_response(_render_page(request, survey, question, made), busy)
    return _render_page(request, survey, question, made, 422)


def _source_forms(question: PlaceDraftQuestion) -> dict[str, CellsForm]:
    initial = {"names": {"names": "\n".join(question.cell_names), "same": True}}
    return {
        source: make(auto_id=f"{source}-%s", initial=initial.get(source)) for source, make in FORMS.items()
    }


def _replace_cells(request: PersonRequest, survey: Survey, key: str, form: CellsForm) -> HttpResponse:
    """Stores the cells of a valid form in the question `key` of the draft, as a command that can be undone."""
    change = form.draft_change(key, request.user.pk)

    def replace_cells_command(draft: Questionnaire, _sent: Sent) -> CommandResult:
        after = change(draft)
        words = _("The cells are changed.")
        return CommandResult(
            after, words, key, True, block_html_id(key), undo_data_for_place(draft, after, key)
        )

    _draft, outcome = save_edit.run_command(survey, request.user, replace_cells_command, {}, timezone.now())
    back = reverse("builder:edit", args=[survey.pk], query={"open": key}, fragment=block_html_id(key))
    return command_response(request, survey, redirect(back), outcome)


def _render_page(
    request: PersonRequest,
    survey: Survey,
    question: PlaceDraftQuestion,
    source_forms: dict[str, CellsForm],
    status: int = 200,
) -> HttpResponse:
    words = question_text_with_fallback([question], next(iter(question.text), ""))
    context = {"survey": survey, "question": question, "words": words, "cell_forms": source_forms}
    return render(request, "builder/cells.html", context, status=status)
