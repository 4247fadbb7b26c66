from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ProofConfig(AppConfig):
    name = "proof"
    verbose_name = _("proofs")
