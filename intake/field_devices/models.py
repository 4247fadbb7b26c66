"""Field devices and the lots of tokens that they fetched. No column links a device or lot to a token or
record.

A token is blinded when it is signed (privacy.blind_signatures), and only a hash of another kind is stored
when it is spent. So nobody with this database can tell which device a record came from.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from intake.models import HASH_BYTES
from surveys.models import Survey

LONGEST_LABEL = 60
MOST_PEOPLE = 2000


class FieldDevice(models.Model):
    """A browser on a tablet or phone that may ask up to `people` people. The row is made with the device's set-up link.

    `ticket` is the hash of the link's ticket, `secret` the hash of the secret that the device drew at its set-up; None
    before. `asked` is the number of people by the device's own report, in fives. No column holds a time.
    """

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+")
    label = models.CharField(_("label"), max_length=LONGEST_LABEL)
    people = models.PositiveSmallIntegerField()
    ticket = models.BinaryField(max_length=HASH_BYTES)
    secret = models.BinaryField(max_length=HASH_BYTES, null=True)
    asked = models.PositiveSmallIntegerField(default=0)
    is_waiting = models.BooleanField(default=False)
    is_withdrawn = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("field device")
        verbose_name_plural = _("field devices")
        constraints = [
            models.UniqueConstraint(fields=["survey", "ticket"], name="one_device_a_ticket"),
            models.UniqueConstraint(fields=["survey", "secret"], name="one_device_a_secret"),
        ]

    def __str__(self) -> str:
        return self.label


class FieldLot(models.Model):
    """A numbered portion (lot) of tokens that a device fetched: one hash of the device's secret, the lot's number and
    its blinded messages.

    The same request may come again and gets the same answer; a different one under this number is refused.
    """

    device = models.ForeignKey(FieldDevice, models.CASCADE, related_name="lots")
    number = models.PositiveSmallIntegerField()
    hash = models.BinaryField(max_length=HASH_BYTES)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["device", "number"], name="one_field_lot_a_number")]

    def __str__(self) -> str:
        return f"{self.device} {self.number}"
