from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ProofConfig(AppConfig):
    name = "proof"
    verbose_name = _("proofs")

    def ready(self) -> None:
        """Registers the function by which the respondents' pages read the last proof."""
        from intake.pages import last_prove_result
        from proof import models

        last_prove_result.register_last_proof_reader(models.last_proof)
