"""The form for the metadata of a deposit; what is typed is in the download and nowhere else."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from deposits.metadata import DOI, LICENCES, Creator, Metadata, creator_of
from intake.pages.languages import own_name

MOST_CREATORS = 50
EARLIEST, LATEST = 2000, 2200


class DepositForm(forms.Form):
    title = forms.CharField(label=gettext_lazy("Title"), max_length=300)
    creators = forms.CharField(
        label=gettext_lazy("Creators"),
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy(
            "One person a line, as Family name, Given name; ORCID. The ORCID may be left out. The first is the contact."
            ""
        ),
    )
    contact = forms.EmailField(label=gettext_lazy("Email of the contact"), max_length=200)
    publisher = forms.CharField(
        label=gettext_lazy("Repository or publisher"),
        max_length=200,
        help_text=gettext_lazy("As it is cited: Zenodo, OSF, Harvard Dataverse, your university."),
    )
    year = forms.IntegerField(label=gettext_lazy("Year"), min_value=EARLIEST, max_value=LATEST)
    licence = forms.ChoiceField(
        label=gettext_lazy("Licence"), choices=[(key, f"{key}: {one.name}") for key, one in LICENCES.items()]
    )
    language = forms.ChoiceField(label=gettext_lazy("Language of the texts"))
    doi = forms.CharField(
        label=gettext_lazy("DOI"),
        max_length=200,
        required=False,
        help_text=gettext_lazy("If the repository has reserved one, as 10.5281/zenodo.1234."),
    )
    records = forms.BooleanField(
        label=gettext_lazy("With the records"),
        required=False,
        help_text=gettext_lazy(
            "One row for each record, as in the record file. What a repository publishes cannot be taken back."
        ),
    )

    def __init__(self, languages: Sequence[str], *args: Any, offers_records: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["language"].choices = [(code, own_name(code)) for code in languages]  # type: ignore[attr-defined]
        if not offers_records:
            del self.fields["records"]

    def clean_creators(self) -> tuple[Creator, ...]:
        creators = []
        lines = [line.strip() for line in self.cleaned_data["creators"].splitlines() if line.strip()]
        if len(lines) > MOST_CREATORS:
            raise ValidationError(_("At most %(most)s creators."), params={"most": MOST_CREATORS})
        for line in lines:
            try:
                creators.append(creator_of(line))
            except ValueError as wrong:
                raise ValidationError(
                    _(
                        "“%(line)s” is not a name, or a name and an ORCID after a semicolon. Check the digits."
                    ),
                    params={"line": line},
                ) from wrong
        return tuple(creators)

    def clean_doi(self) -> str:
        doi: str = self.cleaned_data["doi"].strip().removeprefix("https://doi.org/")
        if doi and not DOI.fullmatch(doi):
            raise ValidationError(_("A DOI begins with 10. and has a slash, as 10.5281/zenodo.1234."))
        return doi

    def metadata(self, description: str) -> Metadata:
        """Of a form that is valid."""
        values = {name: value for name, value in self.cleaned_data.items() if name != "records"}
        return Metadata(**values, description=description)
