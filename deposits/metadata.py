"""What a repository asks of a deposit, as DataCite 4.6 and as a citation file; nothing of it is stored."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

ORCID = re.compile(r"[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]")
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
"""By the identifier of SPDX."""


@dataclass(frozen=True, slots=True)
class Creator:
    """`name` is "Family, Given"; without a comma nothing is said of whether it is that of a person."""

    name: str
    orcid: str = ""

    @property
    def parts(self) -> tuple[str, str]:
        """Family and given name; the second is empty where there is no comma."""
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
    """By its check digit (ISO 7064, MOD 11-2)."""
    if not ORCID.fullmatch(text):
        return False
    digits, total = text.replace("-", ""), 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    return "0123456789X"[(12 - total % 11) % 11] == digits[-1]


def creator_of(line: str) -> Creator:
    """`ValueError` for a line that is no name, or whose ORCID has another check digit."""
    name, _semicolon, orcid = (part.strip() for part in line.partition(";"))
    orcid = orcid.removeprefix("https://orcid.org/").upper()
    if not name or (orcid and not is_orcid(orcid)):
        raise ValueError(line)
    return Creator(name, orcid)


def datacite(about: Metadata) -> bytes:
    """The attributes of DataCite's JSON. Without a DOI, which the repository gives, it is that of a draft."""
    licence = LICENCES[about.licence]
    whole = {
        **({"identifiers": [{"identifier": about.doi, "identifierType": "DOI"}]} if about.doi else {}),
        "creators": [_person(creator) for creator in about.creators],
        "titles": [{"title": about.title, "lang": about.language}],
        "publisher": {"name": about.publisher},
        "publicationYear": str(about.year),
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Survey results"},
        "language": about.language,
        "contributors": [{**_person(about.creators[0]), "contributorType": "ContactPerson"}],
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
    return json.dumps(whole, indent=2, ensure_ascii=False).encode() + b"\n"


def _person(creator: Creator) -> dict[str, object]:
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
    """CITATION.cff, version 1.2.0. A JSON text is a YAML scalar. `released`: a day."""
    return "\n".join(_citation_lines(about, released)).encode() + b"\n"


def _citation_lines(about: Metadata, released: str) -> Iterator[str]:
    yield "cff-version: 1.2.0"
    yield "message: If you use this deposit, please cite it as below."
    yield "type: dataset"
    yield f"title: {_quoted(about.title)}"
    yield f"abstract: {_quoted(about.description)}"
    yield "authors:"
    for creator in about.creators:
        yield from _author(creator)
    yield "contact:"
    yield from _author(about.creators[0])
    yield f"    email: {_quoted(about.contact)}"
    yield f"license: {about.licence}"
    yield f"date-released: {released}"
    if about.doi:
        yield f"doi: {_quoted(about.doi)}"
    yield "preferred-citation:"
    yield "  type: data"
    yield f"  title: {_quoted(about.title)}"
    yield "  authors:"
    for creator in about.creators:
        yield from (f"  {line}" for line in _author(creator))
    yield f"  year: {about.year}"
    yield "  publisher:"
    yield f"    name: {_quoted(about.publisher)}"


def _author(creator: Creator) -> Iterator[str]:
    family, given = creator.parts
    if given:
        yield f"  - family-names: {_quoted(family)}"
        yield f"    given-names: {_quoted(given)}"
    else:
        yield f"  - name: {_quoted(creator.name)}"
    if creator.orcid:
        yield f"    orcid: https://orcid.org/{creator.orcid}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
