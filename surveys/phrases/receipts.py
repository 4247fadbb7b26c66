"""The phrases of the page that checks a receipt."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.phrase import Phrase, Phrases

VERIFYING: Phrases = {
    "verify_script": Phrase(
        _(
            "The check runs in your browser, so it needs JavaScript. Allow it for this site and"
            " load the page again."
        )
    ),
    "verify_title": Phrase(_("Check a receipt")),
    "verify_about": Phrase(
        _(
            "Is this a record that the survey's disguise can produce? Both files stay on this device:"
            " the check runs in this page, and nothing is uploaded."
        )
    ),
    "verify_receipt": Phrase(_("Receipt")),
    "verify_receipt_hint": Phrase(_("The file receipt.json that was saved after sending.")),
    "verify_design": Phrase(_("Design of the survey")),
    "verify_design_hint": Phrase(
        _("The file design.json, from the survey's start page or from beside the receipt.")
    ),
    "verify_yes": Phrase(_("This is a possible record of the design.")),
    "verify_no": Phrase(_("This is not a record of that design.")),
    "verify_fingerprint": Phrase(_("Compare the fingerprint with the one on the survey's start page:")),
    "verify_insecure": Phrase(
        _("This browser can check fingerprints only on pages opened with https. Open the page that way.")
    ),
    "verify_no_receipt": Phrase(_("The first file is not a receipt.")),
    "verify_no_design": Phrase(_("The second file is not a design that this page understands.")),
    "verify_wrong_design": Phrase(
        _(
            "The receipt names the fingerprint of another design, or the design was changed, if only"
            " by a space."
        )
    ),
    "verify_wrong_group": Phrase(
        _("It claims answers without disguise, and the design allows none, or it names no known group.")
    ),
    "verify_wrong_answers": Phrase(_("Its codes do not fit the questions.")),
    "verify_wrong_asked": Phrase(
        _(
            "In the part that begins with this question it answers more or fewer questions than are"
            " drawn: %(question)s"
        )
    ),
    "verify_wrong_applicable": Phrase(
        _(
            "By the answers before it, this question was asked although it does not apply, or the"
            " reverse: %(question)s"
        )
    ),
}
