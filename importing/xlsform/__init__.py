"""XLSForm, the spreadsheets of ODK, KoboToolbox and others: https://xlsform.org.

What the standard has no word for stands in columns of our own: candor_section, candor_keep, candor_asked,
candor_noise, candor_role, candor_form, candor_group, candor_label and candor_name in the sheets survey and choices, of
numbers candor_limits, candor_window and others, and what the start page says in candor_ columns of settings. Tools
that do not know them ignore them. docs/formats.md, XLSForm, lists them all.
"""

from importing.xlsform.draft_reader import read
from importing.xlsform.draft_writer import dropped, written

__all__ = ["dropped", "read", "written"]
