from django.apps import AppConfig
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

ACTION_TEXTS: dict[str, str | Promise] = {
    "releases.started": _("started a release"),
    "releases.uploaded": _("uploaded a table"),
    "releases.upload-deleted": _("deleted an uploaded table"),
    "releases.run": _("had a release made"),
    "releases.compared": _("compared methods for a release"),
    "releases.attacked": _("attacked a release"),
    "releases.not-made": _("could not make a release"),
    "releases.checked": _("finished making a release, which waits for a reviewer"),
    "releases.approved": _("approved a release"),
    "releases.refused": _("refused a release"),
    "releases.returned": _("returned a release that could not be made"),
    "releases.withdrawn": _("withdrew a release"),
    "releases.discarded": _("discarded a release"),
    "releases.downloaded": _("downloaded a release"),
}


class ReleasesConfig(AppConfig):
    name = "releases"
    verbose_name = _("Releases")
