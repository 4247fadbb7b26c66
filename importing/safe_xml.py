"""Parses XML of other programs; refuses document types (so that there are no entities), deep nesting and huge
files."""

from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat  # no entity is ever read: see parse_xml

from django.utils.translation import gettext as _

from importing.faults import Fault, FileRefused, too_large_refusal

MOST_ELEMENTS, DEEPEST = 300_000, 60
LINE = " line"
"""Attribute key under which an element's line in the file is kept; no XML attribute can have this name."""


def looks_like_xml(data: bytes) -> bool:
    """True if the file begins like XML."""
    return data[:100].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<")


def parse_xml(data: bytes) -> Element:
    """Returns the root element; elements and attributes are named "namespace name", or only "name" without a
    namespace."""
    builder, parser = TreeBuilder(), expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    elements = depth = 0

    def start_element(name: str, attributes: dict[str, str]) -> None:
        nonlocal elements, depth
        elements, depth = elements + 1, depth + 1
        if depth > DEEPEST or elements > MOST_ELEMENTS:
            raise too_large_refusal()
        builder.start(name, {**attributes, LINE: str(parser.CurrentLineNumber)})

    def end_element(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name)

    def refusal_at_line(reason: str) -> FileRefused:
        """Returns the exception with this reason, and the line that the parser has reached."""
        return FileRefused([Fault(_("line %(number)s") % {"number": parser.CurrentLineNumber}, reason)])

    def refuse_document_type(*_declared: object) -> None:
        raise refusal_at_line(_("defines a document type, which no questionnaire does"))

    parser.StartElementHandler, parser.EndElementHandler = start_element, end_element
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse_document_type
    try:
        parser.Parse(data, True)
    except FileRefused:
        raise
    except (expat.ExpatError, LookupError, ValueError):
        raise refusal_at_line(_("is damaged XML; export it again")) from None
    return builder.close()


def local_name(element: Element) -> str:
    return element.tag.rpartition(" ")[2]
