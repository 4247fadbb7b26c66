"""Pages of a draft release that edit its specification: the role of each column, the values of one column, the
criteria."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from accounts.permission import PersonRequest, get_permitted
from privacy.anonymity.tables.specification import QuasiKind
from releases import source_tables
from releases.models import Release
from releases.pages.column_forms import VALUES_FORMS, RolesForm, ValuesForm
from releases.pages.criteria_form import CriteriaForm
from releases.pages.tabs_and_next_step import render_page
from releases.specification import (
    criteria_conversion as criteria_of,
    save_specification,
    specification_proposal,
)
from releases.specification.column_role_editing import (
    QUASI,
    ColumnRole,
    Document,
    change_roles,
    get_column_or_empty,
    move_value,
    read_roles,
    replace_column,
    undisguised_sensitive_columns,
)
from releases.specification.table_profile import ColumnProfile
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import form_page, posting, refusal_as_message
from ui.errors import problem_page
from ui.number_format import format_count

MOST_EXAMPLES = 6
MOST_MOVED = 60
"""Largest number of values that have buttons to move them; a longer order is written as a list."""


@dataclass(frozen=True)
class DraftRelease:
    """A draft release with its specification and the columns of its source."""

    release: Release
    document: Document
    profiles: tuple[ColumnProfile, ...]

    @cached_property
    def roles(self) -> dict[str, ColumnRole]:
        return read_roles(self.document, [profile.name for profile in self.profiles])

    def get_column(self, number: int) -> tuple[ColumnProfile, type[ValuesForm]]:
        """Returns the column with this number and the form class for its values; raises 404 if there is none."""
        if number < len(self.profiles):
            profile = self.profiles[number]
            if form := VALUES_FORMS.get(self.roles[profile.name]):
                return profile, form
        raise Http404

    def save(self, request: PersonRequest, document: Document, *, joined: bool | None = None) -> None:
        save_specification.save_specification(
            self.release,
            request.user,
            json.dumps(document, ensure_ascii=False, indent=2),
            timezone.now(),
            joined=self.release.joined if joined is None else joined,
        )


View = Callable[..., HttpResponse]


def load_draft(view: View) -> View:
    """Decorator: gives the view the draft release, if the person may configure it; shows 404 with the reason if its
    upload is deleted."""

    @wraps(view)
    def load(request: PersonRequest, /, pk: int, **kwargs: int) -> HttpResponse:
        release = get_permitted(Release.objects.with_permissions(), request.user, pk, "configure")
        try:
            profiles = source_tables.column_profiles(release.source, timezone.now())
        except NotAllowed as refused:
            return problem_page(request, 404, advice=str(refused))
        return view(request, DraftRelease(release, json.loads(release.specification), profiles), **kwargs)

    return load


class ColumnRow:
    """A column of the table on the page of roles.

    `role` and `ends` (of its classes) are the saved ones.
    """

    def __init__(self, draft: DraftRelease, number: int, field: forms.BoundField) -> None:
        self.number, self.field = number, field
        self.profile = profile = draft.profiles[number]
        self.role = draft.roles[profile.name]
        self.ends = get_column_or_empty(draft.document, profile.name).get("ends", {})
        self.link = VALUES_FORMS[self.role].link if self.role in VALUES_FORMS else ""
        # Empty cells are counted beside the examples.
        self.examples = [example for example in profile.examples if example[0]][:MOST_EXAMPLES]
        self.odd = profile.odd if self.role.value == profile.kind.value else 0
        self.reason = ""
        if self.role is ColumnRole.SENSITIVE and specification_proposal.sounds_sensitive(profile):
            self.reason = _("Proposed as sensitive because of its name.")
        elif self.role is ColumnRole.IDENTIFIER and profile.separation == 1:
            self.reason = _("Proposed as an identifier: every value stands once.")
        elif self.role is ColumnRole.DROPPED:
            self.reason = self._reason_not_quasi_identifier(draft)

    def _reason_not_quasi_identifier(self, draft: DraftRelease) -> str:
        """Returns the reason why the column is not proposed as a quasi-identifier; empty if there is none
        (releases/specification/specification_proposal.py)."""
        if not self.profile.has_name:
            return _("Left out: a column without a name often numbers the rows.")
        if specification_proposal.sounds_like_weight(self.profile):
            return _(
                "Left out: its name is that of a weight, by which a record of a sample stands for several people. "
                "Choose quasi-identifier if it is the weight of a body."
            )
        if not specification_proposal.can_be_generalised(self.profile):
            return _("Left out: classes cannot be made of more than %(most)s different texts.") % {
                "most": format_count(specification_proposal.MOST_CATEGORIES)
            }
        if sum(role in QUASI for role in draft.roles.values()) >= specification_proposal.MOST_QUASI:
            return _(
                "Left out: at most %(most)s quasi-identifiers are proposed, since each further one makes all of them "
                "coarser."
            ) % {"most": format_count(specification_proposal.MOST_QUASI)}
        return ""


@form_page
@load_draft
def columns(request: PersonRequest, draft: DraftRelease) -> HttpResponse:
    names = [profile.name for profile in draft.profiles]
    initial = {f"role-{number}": draft.roles[name].value for number, name in enumerate(names)}
    form = RolesForm(names, request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            changed = change_roles(
                draft.document,
                form.roles(),
                source_tables.value_order_function(draft.release.source, draft.profiles, timezone.now()),
                proposed_quasi_identifiers=[
                    specification_proposal.propose_quasi_identifier(profile) for profile in draft.profiles
                ],
                columns_with_empty_cells=[profile.name for profile in draft.profiles if profile.empty],
            )
            draft.save(request, changed)
            name = "criteria" if "on" in request.POST else "columns"
            return redirect(f"releases:{name}", draft.release.pk)
        except NotAllowed as refused:
            form.add_error(None, str(refused))
    together = [profile for profile in draft.profiles if profile.together is not None]
    context = {
        "form": form,
        "rows": [ColumnRow(draft, number, form[f"role-{number}"]) for number in range(len(names))],
        "set": get_text_list([profile.name for profile in together], _("and")) if len(together) > 1 else "",
        "singled_out": together[0].together if together else None,
    }
    return render_page(request, draft.release, "columns", context)


@form_page
@load_draft
def column(request: PersonRequest, draft: DraftRelease, number: int) -> HttpResponse:
    profile, form_class = draft.get_column(number)
    said = get_column_or_empty(draft.document, profile.name)
    values = source_tables.NO_VALUES
    if form_class.lists_values:
        values = source_tables.column_values(draft.release.source, profile, timezone.now())
    form = form_class(said, values.shown, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            draft.save(request, replace_column(draft.document, form.new_column()))
            messages.success(request, _("The values of “%(column)s” are saved.") % {"column": profile.name})
            return redirect("releases:columns", draft.release.pk)
        except NotAllowed as refused:
            form.add_error(form.error_field, str(refused))
    order = said.get("order", ())
    context: dict[str, object] = {
        "form": form,
        "profile": profile,
        "number": number,
        "is_sensitive": "kind" not in said,
        "order": order if len(order) <= MOST_MOVED else (),
        "values": values,
    }
    return render_page(request, draft.release, form.template, context, tab="columns")


@posting
@load_draft
def move_order_value(request: PersonRequest, draft: DraftRelease, number: int) -> HttpResponse:
    """View: moves one value up or down in the order of a column's values."""
    profile, _form_class = draft.get_column(number)
    said = get_column_or_empty(draft.document, profile.name)
    order, value = said.get("order", ()), request.POST.get("up") or request.POST.get("down") or ""
    if value in order:
        changed = {**said, "order": move_value(order, value, -1 if "up" in request.POST else 1)}
        with refusal_as_message(request):
            draft.save(request, replace_column(draft.document, changed))
    return redirect("releases:column", draft.release.pk, number)


@form_page
@load_draft
def criteria(request: PersonRequest, draft: DraftRelease) -> HttpResponse:
    weights = [
        profile.name
        for profile in draft.profiles
        if draft.release.source.is_upload
        and profile.kind is QuasiKind.NUMBER
        and draft.roles[profile.name] is ColumnRole.DROPPED
    ]
    form = CriteriaForm(
        len(undisguised_sensitive_columns(draft.document)),
        weights,
        draft.release.survey,
        request.POST if request.method == "POST" else None,
        criteria_of.criteria_form_values(draft.document) | {"joined": draft.release.joined},
    )
    if request.method == "POST" and form.is_valid():
        try:
            changed = criteria_of.apply_criteria_form(draft.document, form.cleaned_data)
            draft.save(request, changed, joined=form.cleaned_data.get("joined", False))
            if "compare" in request.POST:
                return redirect("releases:compare", draft.release.pk)
            return redirect(draft.release)
        except NotAllowed as refused:
            form.add_error(None, str(refused))
    return render_page(request, draft.release, "criteria", {"form": form})
