"""The proofs that were made of a survey: what the start page links, and what the study sheet names."""

from typing import Optional

from django.db import models
from django.utils.translation import gettext_lazy as _

from surveys.models import Survey


class Proof(models.Model):
    """`result` is one of `proof.outcome.Result`. `document` is the whole report, which is public: it says nothing of
    answers and nothing of this machine."""

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+")
    made = models.DateTimeField()
    result = models.CharField(max_length=11)
    document = models.JSONField()

    class Meta:
        verbose_name = _("proof")
        verbose_name_plural = _("proofs")

    def __str__(self) -> str:
        return f"{self.made:%Y-%m-%d %H:%M}"

    @classmethod
    def last_of(cls, survey: int) -> Optional["Proof"]:
        """The one that was stored last, whatever its clock said."""
        return cls._default_manager.filter(survey=survey).order_by("pk").last()
