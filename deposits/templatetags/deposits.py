from django import template

from deposits.models import DepositDigest
from reports.models import Review

register = template.Library()

SHOWN = 10


@register.simple_tag
def deposit_digests(review: Review) -> list[str]:
    """Returns the digests of this report's last downloaded deposits, newest first."""
    digests = DepositDigest.objects.filter(review=review.pk).order_by("-when", "-pk")
    return list(digests.values_list("digest", flat=True)[:SHOWN])
