from django.contrib.admin import AdminSite
from django.utils.translation import gettext_lazy as _


class CandorAdminSite(AdminSite):
    site_header = site_title = _("Candor administration")
