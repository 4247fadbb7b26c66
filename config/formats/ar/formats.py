"""Number formats for Arabic, with the decimal point that CLDR has beside Latin digits; Django has a comma."""

DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","
