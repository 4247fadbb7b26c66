"""What the page frame needs on every page; nothing here touches the session until a template asks."""

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

THEMES: dict[str, str | Promise] = {
    "system": _("As the device"),
    "light": _("Light"),
    "dark": _("Dark"),
}


def frame(request: HttpRequest) -> dict[str, object]:
    theme = getattr(request, "theme", "system")
    return {"theme": theme if theme in THEMES else "system"}
