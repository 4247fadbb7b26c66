from django.apps import AppConfig
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

ACTION_TEXTS: dict[str, str | Promise] = {
    "intake.field-device-made": _("made a set-up link for a field device"),
    "intake.field-device-withdrawn": _("withdrew a field device"),
}


class FieldConfig(AppConfig):
    name = "intake.field_devices"
    label = "field"
    verbose_name = _("field devices")
