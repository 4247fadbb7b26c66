"""What the start page and the study sheet say of the last proof."""

from typing import cast

from django.urls import reverse

from intake.pages.last_proof import LastProof, ProofResult
from proof.models import Proof


def last_proof(survey: int) -> LastProof | None:
    proof = (
        Proof.objects.filter(survey=survey)
        .order_by("pk")
        .values_list("made", "result", "survey__slug")
        .last()
    )
    if proof is None:
        return None
    made, result, slug = proof
    return LastProof(made, cast("ProofResult", result), reverse("proof:page", args=[slug]))
