"""The terms of the documents in English, as in docs/glossary.md; the catalogue has the Chinese."""

from django.utils.translation import gettext_noop as _

QUOTED = (
    _("square mechanism"),
    _("discernibility penalty"),
    _("normalised certainty penalty"),
    _("data distortion"),
    _("consistency attack"),
    _("homogeneity attack"),
    _("complementary release attack"),
    _("unsorted matching"),
)
"""Terms whose Chinese is taken from the documents."""
OF_THE_FIELD = (
    _("amplification"),
    _("association rule"),
    _("background-knowledge attack"),
    _("distance vector"),
    _("equivalence class"),
    _("full-domain generalisation"),
    _("geo-indistinguishability"),
    _("grouped unrelated-question model"),
    _("itemset"),
    _("k-anonymity"),
    _("l-diversity"),
    _("lattice"),
    _("linking attack"),
    _("local differential privacy"),
    _("local recoding"),
    _("perfect privacy"),
    _("posterior probability"),
    _("prior probability"),
    _("privacy breach"),
    _("privacy budget"),
    _("quasi-identifier"),
    _("randomised response"),
    _("sensitive region"),
    _("suppression"),
    _("t-closeness"),
    _("unrelated question"),
    _("utility-optimised"),
)
"""Terms whose Chinese is the field's usual word, since the repository quotes no document."""
