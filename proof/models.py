"""Stored proofs of surveys; the start page and the study sheet show the last one."""

from typing import Optional, cast

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from intake.pages.last_prove_result import LastProof, ProofResult
from surveys.models import Survey


class Proof(models.Model):
    """A stored proof. `result`: a `proof.outcome.Result`. `document`: the whole report, which is public and contains
    nothing about answers or this machine."""

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
    def last_for_survey(cls, survey: int) -> Optional["Proof"]:
        """Returns the latest stored proof of a survey, by the order of storing and not by the clock."""
        return cls._default_manager.filter(survey=survey).order_by("pk").last()


def last_proof(survey: int) -> LastProof | None:
    """Returns the survey's last proof for links on its pages, without loading the document."""
    proofs = Proof.objects.filter(survey=survey).order_by("pk")
    last = proofs.values_list("made", "result", "survey__slug").last()
    if last is None:
        return None
    made, result, slug = last
    return LastProof(made, cast("ProofResult", result), reverse("proof:page", args=[slug]))
