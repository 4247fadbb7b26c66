"""The forms of a survey's logo and colour."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from privacy.designs.parsing import COLOUR
from surveys.kinds.block_form import clean_texts
from surveys.questionnaire.problems import language_name
from surveys.questionnaire.questionnaire import Questionnaire
from ui.accent import LEAST_CONTRAST, least_contrast, shade

LONGEST_ALT = 300


class LogoForm(forms.Form):
    """A file, which may stay away where there is a logo, and its alternative text in each language."""

    file = forms.FileField(
        label=gettext_lazy("Picture"),
        help_text=gettext_lazy(
            "PNG, JPEG or WebP, at most 2 megabytes. It is stored as a picture of at most 600 × 200 pixels, and"
            " nothing else of the file."
        ),
        max_length=300,
        widget=forms.FileInput(attrs={"accept": ".png,.jpg,.jpeg,.webp"}),
    )

    def __init__(self, draft: Questionnaire, data: Any = None, files: Any = None) -> None:
        super().__init__(data, files, auto_id="logo-%s")
        hint = _("What people read or hear who do not see the logo, such as “University of Example”.")
        self.fields["file"].required = not draft.logo
        self.languages = draft.languages
        for code in draft.languages:
            label = _("Alternative text in %(language)s") % {"language": language_name(code)}
            attrs = {"lang": code, "dir": "auto", "autocomplete": "off"}
            self.fields[f"alt-{code}"] = forms.CharField(
                label=label if len(draft.languages) > 1 else _("Alternative text"),
                help_text=hint if code == draft.first_language else "",
                initial=draft.logo_alt.get(code, ""),
                max_length=LONGEST_ALT,
                widget=forms.TextInput(attrs=attrs),
            )

    @property
    def alternative_texts(self) -> dict[str, str]:
        said = clean_texts({code: self.cleaned_data[f"alt-{code}"] for code in self.languages})
        return {code: text for code, text in said.items() if text.strip()}


class AccentForm(forms.Form):
    """One colour that is read on every ground of a light page; `nearest` is offered where it is not."""

    accent = forms.CharField(
        label=gettext_lazy("Colour"),
        help_text=gettext_lazy("As your institution writes it for screens, such as #7a1f3d."),
        max_length=7,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "size": 9, "dir": "ltr"}),
    )
    nearest = ""

    def __init__(self, draft: Questionnaire, data: Any = None) -> None:
        super().__init__(data, initial={"accent": draft.accent}, auto_id="colour-%s")

    def clean_accent(self) -> str:
        written = str(self.cleaned_data["accent"]).strip().lower()
        colour = written if written.startswith("#") else f"#{written}"
        if not COLOUR.fullmatch(colour):
            raise ValidationError(_("Write the colour with six hexadecimal digits, such as #7a1f3d."))
        if shade(colour, "light") != colour:
            self.nearest = shade(colour, "light")
            words = _(
                "Words in %(colour)s have a contrast of %(ratio)s to 1 to the page, and need %(needed)s to 1. The"
                " nearest shade that has it is %(nearest)s."
            )
            ratio = f"{least_contrast(colour, 'light'):.1f}"
            said = {"colour": colour, "ratio": ratio, "needed": LEAST_CONTRAST, "nearest": self.nearest}
            raise ValidationError(words % said)
        return colour
