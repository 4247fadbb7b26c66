"""Recognises files of formats that cannot be read, and names a format that can be used instead."""

from collections.abc import Collection

from django.utils.translation import gettext as _

PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"RIFF")
OLD_OFFICE, PDF = b"\xd0\xcf\x11\xe0", b"%PDF"
XFORMS = b"http://www.w3.org/2002/xforms"
DDI_ROOTS = (b"codebook", b"ddiinstance", b"ddi:")


def refusal_reason(data: bytes) -> str:
    """Returns a sentence with the format of an unreadable file, and what to use instead; empty if the file may be
    readable."""
    begin = data[:2_000].lstrip(b"\xef\xbb\xbf \t\r\n")
    lower = begin.lower()
    if begin.startswith(OLD_OFFICE):
        return _("is an old spreadsheet or document; save it as .xlsx")
    if begin.startswith(PICTURES):
        return _(
            "is a picture; export the questionnaire from the program that made it, or write it as an XLSForm"
        )
    if begin.startswith(PDF):
        return _(
            "is a PDF; export the questionnaire from the program that made it, or write it as an XLSForm"
        )
    if begin[:1] == b"<" and (b"<html" in lower or b"<!doctype html" in lower) and XFORMS not in data:
        return _("is a web page; export the questionnaire from the program that made it, not its page")
    if begin[:1] == b"<" and any(root in lower for root in DDI_ROOTS):
        return _("is a DDI document, which describes data; export the questionnaire as an XLSForm (.xlsx)")
    if begin.startswith(b"{") and b'"formId"' in data and b'"items"' in data:
        return _("is a form of Google Forms; write its questions as an XLSForm (.xlsx), one row each")
    return ""


def archive_reason(names: Collection[str]) -> str:
    """Returns a sentence with the format of an unreadable zip file with these members; empty if it may be readable."""
    if "word/document.xml" in names:
        return _(
            "is a Word document; export the questionnaire from the program that made it, or as an XLSForm"
        )
    if "content.xml" in names:
        return _("is an OpenDocument file; save the spreadsheet of the form as .xlsx")
    return ""


def text_reason(data: bytes) -> str:
    """Returns the refusal sentence for a file without a mark of any known format."""
    lines = [line for line in data[:8_000].splitlines() if line.strip()]
    if not lines:
        return _("is empty")
    cells = [{line.count(sign) for line in lines[:2]} for sign in (b",", b";", b"\t")]
    if len(lines) > 1 and any(len(each) == 1 and each != {0} for each in cells):
        return _(
            "is a table of no known kind; send an XLSForm (.xlsx or .csv) or a data dictionary of REDCap"
        )
    return _("is a text of no known kind; export the questionnaire from the program that made it")
