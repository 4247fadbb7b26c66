"""Pages of a draft release: the role of each column, the values of one column, the criteria."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from accounts.permission import PersonRequest, guard
from privacy.anonymity.methods import METHODS
from privacy.anonymity.tables.specification import QuasiKind
from releases import sources
from releases.models import Release
from releases.pages.criteria_form import CriteriaForm
from releases.pages.forms import DateForm, HierarchyForm, MissingForm, NumberForm, OrderForm, RolesForm
from releases.pages.method_words import rank
from releases.pages.views import page
from releases.specification import (
    column_values,
    criteria as criteria_of,
    hierarchy_text,
    proposing,
    specifying,
)
from releases.specification.profiling import ColumnProfile
from releases.specification.roles import (
    ColumnRole,
    Document,
    column_of,
    moved,
    roles,
    undisguised,
    with_column,
    with_roles,
)
from surveys.pages import form_page, posting
from surveys.questionnaire.problems import NotAllowed
from ui.errors import problem_page

MOST_EXAMPLES = 6
MOST_MOVED = 60
"""Values up to which each has buttons that move it; a longer order is written as a list."""


@dataclass(frozen=True)
class Draft:
    """A draft release with its specification and the columns of its source."""

    release: Release
    document: Document
    profiles: tuple[ColumnProfile, ...]

    @property
    def weights(self) -> list[str]:
        """The columns that may hold the weights of a sample: numbers of an upload without another role."""
        known = roles(self.document, [profile.name for profile in self.profiles])
        return [
            profile.name
            for profile in self.profiles
            if self.release.source.is_upload
            and profile.kind is QuasiKind.NUMBER
            and known[profile.name] is ColumnRole.DROPPED
        ]

    def save(self, request: PersonRequest, document: Document, *, joined: bool | None = None) -> None:
        text = json.dumps(document, ensure_ascii=False, indent=2)
        wanted = self.release.joined if joined is None else joined
        specifying.save_specification(self.release, request.user, text, timezone.now(), joined=wanted)


END_FIELDS = {"grid": "grid", "under": "under", "from": "upward"}
"""By member of a specification the field of its form."""
View = Callable[..., HttpResponse]


def of_draft(view: View) -> View:
    """The view of a draft that this person may configure; 404 with the reason where its upload is gone."""

    @wraps(view)
    def loaded(request: PersonRequest, /, pk: int, **kwargs: int) -> HttpResponse:
        release = guard(Release.objects.listed(), request.user, pk, "configure")
        try:
            profiles = sources.profile(release.source, timezone.now())
        except NotAllowed as refused:
            return problem_page(request, 404, advice=str(refused))
        return view(request, Draft(release, json.loads(release.specification), profiles), **kwargs)

    return loaded


@dataclass(frozen=True)
class ColumnRow:
    """A column as the page of roles shows it; `role` and `ends` of its classes as they are saved."""

    number: int
    profile: ColumnProfile
    field: forms.BoundField
    role: ColumnRole
    ends: Document

    @property
    def has_values(self) -> bool:
        """Whether its values have a page of their own."""
        return self.role in FORMS

    @property
    def values_label(self) -> str:
        labels = {
            ColumnRole.CATEGORY: _("Groups"),
            ColumnRole.NUMBER: _("Ends and missing values"),
            ColumnRole.DATE: _("Dates"),
        }
        return labels.get(self.role, _("Order"))

    @property
    def reason(self) -> str:
        """Why it is proposed as something else than a quasi-identifier; empty where it has another role."""
        if self.role is ColumnRole.SENSITIVE and proposing.sounds_sensitive(self.profile):
            return _("Proposed as sensitive because of its name.")
        if self.role is ColumnRole.IDENTIFIER and self.profile.separation == 1:
            return _("Proposed as an identifier: every value stands once.")
        if self.role is ColumnRole.DROPPED and not self.profile.has_name:
            return _("Left out: a column without a name often numbers the rows.")
        return ""

    @property
    def examples(self) -> list[tuple[str, int | None]]:
        """Empty cells are counted beside them."""
        return [example for example in self.profile.examples if example[0]][:MOST_EXAMPLES]

    @property
    def odd(self) -> int:
        """Cells that are not of the kind of the column."""
        return self.profile.odd if self.role.value == self.profile.kind.value else 0


@form_page
@of_draft
def columns(request: PersonRequest, draft: Draft) -> HttpResponse:
    names = [profile.name for profile in draft.profiles]
    known = roles(draft.document, names)
    initial = {f"role-{number}": known[name].value for number, name in enumerate(names)}
    form = RolesForm(names, request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            values = column_values.proposed(draft.release.source, draft.profiles, timezone.now())
            proposed = [proposing.quasi_identifier(profile) for profile in draft.profiles]
            with_empty = [profile.name for profile in draft.profiles if profile.empty]
            changed = with_roles(draft.document, form.wanted, values, proposed, with_empty)
            draft.save(request, changed)
            return redirect(
                "releases:criteria" if "on" in request.POST else "releases:columns", draft.release.pk
            )
        except NotAllowed as refused:
            form.add_error(None, str(refused))
    rows = [
        ColumnRow(
            number,
            profile,
            form[f"role-{number}"],
            known[profile.name],
            column_of(draft.document, profile.name).get("ends", {}),
        )
        for number, profile in enumerate(draft.profiles)
    ]
    together = [profile for profile in draft.profiles if profile.together is not None]
    context = {
        "form": form,
        "rows": rows,
        "set": get_text_list([profile.name for profile in together], _("and")) if len(together) > 1 else "",
        "singled_out": together[0].together if together else None,
    }
    return page(request, draft.release, "columns", context, status=_status(form))


@dataclass(frozen=True)
class ValuesForm:
    """The form of one column's values: begun with what the specification says, and what it changes there."""

    template: str
    field: str
    begin: Callable[[Document, Sequence[str], Any], forms.Form]
    change: Callable[[Document, forms.Form], Document]
    lists: bool = True
    """Whether the page lists all values of the column."""


def _missing(column: Document, _values: Sequence[str], posted: Any) -> MissingForm:
    missing = column.get("missing", ())
    initial = {**column, "empty": "" in missing, "codes": "\n".join(filter(None, missing))}
    ends = column.get("ends", {})
    initial |= {field: ends.get(key) for key, field in END_FIELDS.items()}
    of_dates = column["kind"] == ColumnRole.DATE
    return (DateForm if of_dates else NumberForm)(posted, initial=initial)


def _with_missing(column: Document, form: Any) -> Document:
    changed = {key: form.cleaned_data[key] for key in ("dates", "level") if key in form.cleaned_data}
    return {**column, **changed, "missing": form.missing}


def _with_ends(column: Document, form: Any) -> Document:
    said = {key: form.cleaned_data.get(field) for key, field in END_FIELDS.items()}
    ends = {
        key: _written(end) if isinstance(end, Decimal) else end
        for key, end in said.items()
        if end not in (None, "")
    }
    rest = {key: value for key, value in _with_missing(column, form).items() if key != "ends"}
    return rest | ({"ends": ends} if ends else {})


def _order(column: Document, values: Sequence[str], posted: Any) -> OrderForm:
    order: Sequence[str] = column.get("values") or column.get("order") or ()
    initial = {"order": "\n".join(order), "gamma": column.get("gamma")}
    return OrderForm(values, posted, initial=initial, optional="kind" not in column)


def _with_order(column: Document, form: forms.Form) -> Document:
    data = form.cleaned_data
    rest = {key: value for key, value in column.items() if key not in ("order", "values", "gamma")}
    if data.get("gamma"):
        rest.pop("empty", None)
        return rest | {"values": data["order"], "gamma": _written(data["gamma"])}
    return rest | ({"order": data["order"]} if data["order"] else {})


def _written(number: Decimal) -> str:
    return f"{number.normalize():f}"


def _hierarchy(column: Document, values: Sequence[str], posted: Any) -> HierarchyForm:
    said = column.get("hierarchy", "flat")
    given = not isinstance(said, str)
    initial = {
        "hierarchy": "given" if given else said,
        "groups": hierarchy_text.written(said) if given else "",
        "empty": column.get("empty", False),
    }
    return HierarchyForm(values, posted, initial=initial)


def _with_hierarchy(column: Document, form: forms.Form) -> Document:
    data = form.cleaned_data
    rest = {key: value for key, value in column.items() if key not in ("hierarchy", "empty")}
    rest["hierarchy"] = data["groups"] or data["hierarchy"]
    return rest | ({"empty": True} if data["empty"] else {})


FORMS = {
    ColumnRole.NUMBER: ValuesForm("missing", "grid", _missing, _with_ends, lists=False),
    ColumnRole.DATE: ValuesForm("missing", "under", _missing, _with_ends, lists=False),
    ColumnRole.ORDERED: ValuesForm("order", "order", _order, _with_order),
    ColumnRole.SENSITIVE: ValuesForm("order", "order", _order, _with_order),
    ColumnRole.CATEGORY: ValuesForm("hierarchy", "groups", _hierarchy, _with_hierarchy),
}


@form_page
@of_draft
def column(request: PersonRequest, draft: Draft, number: int) -> HttpResponse:
    """The order or the hierarchy of the values of one column."""
    profile, its = _column(draft, number)
    said = column_of(draft.document, profile.name)
    values = column_values.NONE
    if its.lists:
        values = column_values.values(draft.release.source, profile, timezone.now())
    form = its.begin(said, values.shown, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            draft.save(request, with_column(draft.document, its.change(said, form)))
            messages.success(request, _("The values of “%(column)s” are saved.") % {"column": profile.name})
            return redirect("releases:columns", draft.release.pk)
        except NotAllowed as refused:
            form.add_error(its.field, str(refused))
    order = said.get("order", ())
    context: dict[str, object] = {
        "form": form,
        "profile": profile,
        "number": number,
        "is_sensitive": "kind" not in said,
        "order": order if len(order) <= MOST_MOVED else (),
        "values": values,
    }
    return page(request, draft.release, its.template, context, tab="columns", status=_status(form))


@posting
@of_draft
def move(request: PersonRequest, draft: Draft, number: int) -> HttpResponse:
    """Move one value of an order up or down."""
    profile, _its = _column(draft, number)
    said = column_of(draft.document, profile.name)
    order, value = said.get("order", ()), request.POST.get("up") or request.POST.get("down") or ""
    if value in order:
        changed = {**said, "order": moved(order, value, -1 if "up" in request.POST else 1)}
        try:
            draft.save(request, with_column(draft.document, changed))
        except NotAllowed as refused:
            messages.error(request, str(refused))
    return redirect("releases:column", draft.release.pk, number)


def _column(draft: Draft, number: int) -> tuple[ColumnProfile, ValuesForm]:
    """The column with this number and the form of its values; 404 where there is none."""
    profile = draft.profiles[number] if number < len(draft.profiles) else None
    its = FORMS.get(roles(draft.document, [profile.name])[profile.name]) if profile else None
    if profile is None or its is None:
        raise Http404
    return profile, its


@form_page
@of_draft
def criteria(request: PersonRequest, draft: Draft) -> HttpResponse:
    posted = request.POST if request.method == "POST" else None
    initial = criteria_of.values_of(draft.document) | {"joined": draft.release.joined}
    sensitive = len(undisguised(draft.document))
    form = CriteriaForm(
        sensitive,
        sorted(METHODS, key=rank),
        posted,
        survey=draft.release.survey,
        weights=draft.weights,
        initial=initial,
    )
    if request.method == "POST" and form.is_valid():
        try:
            changed = criteria_of.with_criteria(draft.document, form.cleaned_data)
            draft.save(request, changed, joined=form.cleaned_data.get("joined", False))
            if "compare" in request.POST:
                return redirect("releases:compare", draft.release.pk)
            return redirect(draft.release)
        except NotAllowed as refused:
            form.add_error(None, str(refused))
    return page(request, draft.release, "criteria", {"form": form}, status=_status(form))


def _status(form: forms.Form) -> int:
    return 422 if form.errors else 200
