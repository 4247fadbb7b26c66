"""The tab Attacks of a release: the results of attacks, and a form for the attacker's files and knowledge."""

from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from accounts.permission import PersonRequest, get_permitted
from privacy.anonymity.risk import attack_sentences
from releases import source_tables
from releases.lifecycle import attack_job
from releases.models import Attack, Release
from releases.pages.before_after_table_views import Row, anonymised_records, uploaded_records
from releases.pages.tabs_and_next_step import render_page
from releases.permissions import MADE
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import form_page, reading, refusal_as_message, takes_upload, upload_of_at_most
from ui.number_format import READERS_LANGUAGE

MOST_RULED_OUT = 10
CSV: dict[str, Any] = {
    "required": False,
    "max_length": 200,
    "widget": forms.FileInput(attrs={"accept": ".csv,text/csv"}),
}


class AttackForm(forms.Form):
    register = forms.FileField(
        label=gettext_lazy("Register of people (CSV)"),
        help_text=gettext_lazy("One person per row, with some of the columns that others may know."),
        **CSV,
    )
    other = forms.FileField(
        label=gettext_lazy("Another table of these people (CSV)"),
        help_text=gettext_lazy(
            "Anonymised or not: another release, an earlier one, or one in the same order."
        ),
        **CSV,
    )
    third = forms.FileField(label=gettext_lazy("A third table of these people (CSV)"), **CSV)
    ruled_out = forms.IntegerField(
        label=gettext_lazy("Values that somebody can rule out"),
        help_text=gettext_lazy("How many sensitive values of a person somebody knows to be wrong."),
        required=False,
        min_value=1,
        max_value=MOST_RULED_OUT,
        initial=1,
    )

    def __init__(self, release: Release, *posted: Any) -> None:
        super().__init__(*posted)
        self.release, self.specification = release, source_tables.get_specification(release)
        if not self.specification.sensitive:
            del self.fields["ruled_out"]

    def clean(self) -> dict[str, Any]:
        """Replaces each file by its bytes, and collects the other tables by name in `others`."""
        data = super().clean() or {}
        data["ruled_out"] = data.get("ruled_out") or 1
        for field in ("register", "other", "third"):
            if not data.get(field):
                continue
            file = data[field]
            try:
                if file.size > attack_job.MOST_BYTES:
                    raise NotAllowed(_(attack_job.TOO_LARGE))
                data[field] = file.read()
                attack_job.refuse_without_quasi_identifier(data[field], file.name, self.specification)
            except NotAllowed as refused:
                self.add_error(field, str(refused))
                continue
            if field != "register":
                others = data.setdefault("others", {})
                others[f"{file.name} (2)" if file.name in others else file.name] = data[field]
        # What is known without further knowledge was found when the release was checked.
        knows_more = data.get("register") or "others" in data or data["ruled_out"] > 1
        if self.release.state in MADE and not self.errors and not knows_more:
            raise ValidationError(
                _("Choose a register or another table, or let somebody rule out more than one value.")
            )
        return data


@takes_upload
@form_page
def attacks(request: PersonRequest, pk: int) -> HttpResponse:
    release = get_permitted(Release.objects.with_permissions(), request.user, pk, "attack")
    return _show_or_start_attack(request, release)


@upload_of_at_most(attack_job.MOST_TOGETHER)
def _show_or_start_attack(request: PersonRequest, release: Release) -> HttpResponse:
    form = AttackForm(release, *((request.POST, request.FILES) if request.method == "POST" else ()))
    if form.is_bound and form.is_valid():
        data = form.cleaned_data
        with refusal_as_message(request):
            attack_job.start_attack(
                release,
                request.user,
                data["register"] or b"",
                timezone.now(),
                data.get("others", {}),
                data["ruled_out"],
            )
        return redirect("releases:attacks", release.pk)
    return render_page(request, release, "attacks", _page_context(request, release, form))


@reading
def last_attack_result(request: PersonRequest, pk: int) -> HttpResponse:
    """Renders the result of the last attack; status 204 while it runs, so that the page asks again."""
    release = get_permitted(Release.objects.with_permissions(), request.user, pk, "attack")
    context = _page_context(request, release, AttackForm(release))
    if context["is_live"]:
        return HttpResponse(status=204)
    return render(request, "releases/_attacked.html", context)


def _page_context(request: PersonRequest, release: Release, form: AttackForm) -> dict[str, object]:
    """Returns the template context of the page of attacks.

    `checked`: findings in the published file when it was checked; `sentences`: findings of the last attack.
    """
    is_made = release.state in MADE
    last = release.attacks.filter(of_source=not is_made).order_by("-pk").first()
    may_see_rows = last and release.may(request.user, "raw" if last.of_source else "numbers")
    return {
        "release": release,
        "form": form,
        "attack": last,
        "is_live": last is not None and last.live,
        "checked": attack_sentences.attack_sentences(release.report["attacks"], READERS_LANGUAGE)
        if is_made
        else [],
        "sentences": attack_sentences.attack_sentences(last.answer if last else {}, READERS_LANGUAGE),
        "joined": identified_rows(last) if last and may_see_rows else [],
    }


class JoinedRows(NamedTuple):
    """Rows identified with the help of another file: their numbers and cells.

    `more`: the number of rows not listed.
    """

    title: str
    header: Row
    rows: list[tuple[int, Row]]
    more: int


def identified_rows(attack: Attack) -> list[JoinedRows]:
    """Returns the rows that an attack identified: those of people in the register, and those in small groups after a
    join with another file."""
    found = attack.answer.get("register", {}).get("found", {"count": 0, "people": []})
    groups = [
        (_("Rows of people who are found"), [person["row"] for person in found["people"]], found["count"])
    ]
    groups += [
        (
            _("Rows in small groups together with %(name)s") % {"name": other["name"]},
            other["below"].get("rows", []),
            other["below"]["records"],
        )
        for other in attack.answer.get("beside", ())
        if not other.get("unlinked")
    ]
    groups = [group for group in groups if group[1]]
    if not groups:
        return []
    release = attack.release
    records = uploaded_records(release, timezone.now()) if attack.of_source else anonymised_records(release)
    cells = records.numbered({number for _title, numbers, _count in groups for number in numbers})
    return [
        JoinedRows(
            title,
            records.header,
            [(number, cells[number]) for number in sorted(numbers)],
            count - len(numbers),
        )
        for title, numbers, count in groups
    ]
