"""XLSForm, the spreadsheet format of ODK, KoboToolbox and others (https://xlsform.org): reader and writer.

Settings without an equivalent in the standard are in columns of Candor's own: candor_section, candor_keep,
candor_asked, candor_noise, candor_role, candor_form, candor_group, candor_label and candor_name in the sheets
survey and choices, candor_limits, candor_window and others for numbers, and the texts of the start page in
candor_ columns of settings. Tools that do not know them ignore them. docs/formats.md, XLSForm, lists them
all.
"""

from importing.xlsform.draft_reader import read
from importing.xlsform.draft_writer import make_sheets, unsupported_parts, write

__all__ = ["make_sheets", "read", "unsupported_parts", "write"]
