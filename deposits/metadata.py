"""Metadata of a deposit for repositories, as DataCite 4.6 and as a citation file. None of it is stored."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

ORCID = re.compile(r"[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]")
WRITTEN_ORCID = re.compile(
    r"(?:https?://(?:www\.)?orcid\.org/)?\b([0-9]{4})-?([0-9]{4})-?([0-9]{4})-?([0-9]{3}[0-9x])\b",
    re.ASCII | re.IGNORECASE,
)
"""Pattern of an ORCID within a line, with the link before it."""
ORCID_LABEL = re.compile(r"\borcid(?:\W{1,3}id)?$", re.ASCII | re.IGNORECASE)
AROUND_ORCID = " \t()[]<>;,:/-–"
"""Characters between a name and an ORCID that belong to neither."""
LIKE_ORCID = re.compile(r";|orcid|[0-9]{3,4}-[0-9]{3,4}-|[0-9]{15}", re.IGNORECASE)
DOI = re.compile(r"10\.[0-9]{4,9}/\S+")
SCHEMA = "http://datacite.org/schema/kernel-4"


@dataclass(frozen=True, slots=True)
class Licence:
    name: str
    url: str


LICENCES = {
    "CC-BY-4.0": Licence(
        "Creative Commons Attribution 4.0 International", "https://creativecommons.org/licenses/by/4.0/"
    ),
    "CC0-1.0": Licence(
        "Creative Commons Zero 1.0 Universal", "https://creativecommons.org/publicdomain/zero/1.0/"
    ),
    "CC-BY-SA-4.0": Licence(
        "Creative Commons Attribution Share Alike 4.0 International",
        "https://creativecommons.org/licenses/by-sa/4.0/",
    ),
    "CC-BY-NC-4.0": Licence(
        "Creative Commons Attribution Non Commercial 4.0 International",
        "https://creativecommons.org/licenses/by-nc/4.0/",
    ),
}
"""Licences by SPDX identifier."""


@dataclass(frozen=True, slots=True)
class Creator:
    """A person or an organisation who made the data. `name`: "Family, Given", or an organisation's without a comma."""

    name: str
    orcid: str = ""

    @property
    def parts(self) -> tuple[str, str]:
        """Family and given name; the second is empty if there is no comma."""
        family, _comma, given = self.name.partition(",")
        return family.strip(), given.strip()


@dataclass(frozen=True, slots=True)
class Metadata:
    title: str
    creators: tuple[Creator, ...]
    publisher: str
    year: int
    licence: str
    language: str
    contact: str
    description: str
    doi: str = ""


def is_orcid(text: str) -> bool:
    """Returns True if the check digit of an ORCID is right (ISO 7064, MOD 11-2)."""
    if not ORCID.fullmatch(text):
        return False
    digits, total = text.replace("-", ""), 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    return "0123456789X"[(12 - total % 11) % 11] == digits[-1]


def parse_creator(line: str) -> Creator:
    """Parses a name, "Family, Given", and an ORCID anywhere in the line.

    Raises ValueError without a name, or for an ORCID with a wrong check digit.
    """
    found = WRITTEN_ORCID.search(line)
    orcid, parts = "", [line]
    if found:
        orcid = "-".join(found.groups()).upper()
        before = ORCID_LABEL.sub("", line[: found.start()].rstrip(AROUND_ORCID))
        parts = [before.rstrip(AROUND_ORCID), line[found.end() :].lstrip(AROUND_ORCID)]
    name = " ".join(part.strip() for part in parts if part.strip())
    if not name or (orcid and not is_orcid(orcid)) or LIKE_ORCID.search(name):
        raise ValueError(line)
    return Creator(name, orcid)


def datacite(about: Metadata) -> bytes:
    """Returns metadata as DataCite JSON; it describes a draft if `about` has no DOI, which the repository assigns."""
    licence = LICENCES[about.licence]
    document = {
        **({"identifiers": [{"identifier": about.doi, "identifierType": "DOI"}]} if about.doi else {}),
        "creators": [_datacite_creator(creator) for creator in about.creators],
        "titles": [{"title": about.title, "lang": about.language}],
        "publisher": {"name": about.publisher},
        "publicationYear": str(about.year),
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Survey results"},
        "language": about.language,
        "contributors": [{**_datacite_creator(about.creators[0]), "contributorType": "ContactPerson"}],
        "rightsList": [
            {
                "rights": licence.name,
                "rightsUri": licence.url,
                "rightsIdentifier": about.licence,
                "rightsIdentifierScheme": "SPDX",
                "schemeUri": "https://spdx.org/licenses/",
            }
        ],
        "descriptions": [
            {"description": about.description, "descriptionType": "Abstract", "lang": about.language}
        ],
        "schemaVersion": SCHEMA,
    }
    return json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n"


def _datacite_creator(creator: Creator) -> dict[str, object]:
    family, given = creator.parts
    names = {"nameType": "Personal", "givenName": given, "familyName": family}
    orcid = {
        "nameIdentifier": f"https://orcid.org/{creator.orcid}",
        "nameIdentifierScheme": "ORCID",
        "schemeUri": "https://orcid.org",
    }
    return {
        "name": creator.name,
        **(names if given else {}),
        **({"nameIdentifiers": [orcid]} if creator.orcid else {}),
    }


def citation_file(about: Metadata, released: str) -> bytes:
    """Returns CITATION.cff, version 1.2.0. `released`: a day in ISO format."""
    title, authors = (
        _quoted(about.title),
        [line for creator in about.creators for line in _citation_author(creator)],
    )
    lines = [
        "cff-version: 1.2.0",
        "message: If you use this deposit, please cite it as below.",
        "type: dataset",
        f"title: {title}",
        f"abstract: {_quoted(about.description)}",
        "authors:",
        *authors,
        "contact:",
        *_citation_author(about.creators[0]),
        f"    email: {_quoted(about.contact)}",
        f"license: {about.licence}",
        f"date-released: {released}",
        *([f"doi: {_quoted(about.doi)}"] if about.doi else []),
        "preferred-citation:",
        "  type: data",
        f"  title: {title}",
        "  authors:",
        *(f"  {line}" for line in authors),
        f"  year: {about.year}",
        "  publisher:",
        f"    name: {_quoted(about.publisher)}",
    ]
    return "\n".join(lines).encode() + b"\n"


def _citation_author(creator: Creator) -> Iterator[str]:
    family, given = creator.parts
    if given:
        yield f"  - family-names: {_quoted(family)}"
        yield f"    given-names: {_quoted(given)}"
    else:
        yield f"  - name: {_quoted(creator.name)}"
    if creator.orcid:
        yield f"    orcid: https://orcid.org/{creator.orcid}"


def _quoted(text: str) -> str:
    """Returns the text as a quoted YAML scalar, in the form of a JSON string."""
    return json.dumps(text, ensure_ascii=False)
