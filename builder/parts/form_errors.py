"""Errors of a form that was not saved: its first error, or the fields that another person has changed."""

from typing import Any

from django.forms import BoundField, Form
from django.utils.translation import gettext as _


def first_error(form: Form) -> str:
    for name, errors in form.errors.items():
        label = str(form.fields[name].label) if name in form.fields else ""
        return _("%(label)s: %(error)s") % {"label": label, "error": errors[0]} if label else str(errors[0])
    return ""


def conflicting_fields(form: Form) -> list[tuple[str, str]]:
    """The label and the stored value of each field where that is not what was sent."""
    fields = [field for field in form if field.name in form.initial]
    return [
        (str(field.label), _shown(field, form.initial[field.name]))
        for field in fields
        if _plain(form.initial[field.name]) != _plain(field.value())
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return sorted(map(str, value))
    return "" if value in (None, False) else str(value).replace("\r\n", "\n")


def _shown(field: BoundField, value: Any) -> str:
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    choices = dict(getattr(field.field, "choices", ()))
    if isinstance(value, list):
        return _(", ").join(str(choices.get(each, each)) for each in value) or _("nothing")
    return str(choices.get(value, value)) if value not in (None, "") else _("nothing")
