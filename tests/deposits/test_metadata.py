import json

import pytest
import yaml

from deposits.metadata import Creator, Metadata, citation_file, datacite, is_orcid, parse_creator

OLGA = Creator("Owner, Olga", "0000-0002-1825-0097")
ABOUT = Metadata(
    title='Work: "honest" # or not',
    creators=(OLGA, Creator("Institute of Work")),
    publisher="Zenodo",
    year=2026,
    licence="CC-BY-4.0",
    language="de",
    contact="olga@example.org",
    description="Results.\nOf a survey.",
    doi="10.5281/zenodo.1234",
)


def test_orcid_has_a_valid_check_digit() -> None:
    right = ["0000-0002-1825-0097", "0000-0002-1694-233X"]
    wrong = ["0000-0002-1825-0098", "0000-0002-1825-009", "0000000218250097"]
    assert [text for text in right + wrong if is_orcid(text)] == right


def test_creator_is_a_name_with_an_optional_orcid() -> None:
    assert parse_creator("Owner, Olga; https://orcid.org/0000-0002-1825-0097") == OLGA
    assert parse_creator(" Institute of Work ") == Creator("Institute of Work")
    for wrong in (
        "; 0000-0002-1825-0097",
        "Owner, Olga; 0000-0002-1825-0098",
        "0000-0002-1825-0098 Owner, Olga",
        "Owner, Olga; 0000-0002-1825-009",
        "Owner, Olga 0000-0002-1825-0097 0000-0002-1694-233X",
    ):
        with pytest.raises(ValueError, match=wrong):
            parse_creator(wrong)


def test_orcid_is_found_anywhere_in_the_line() -> None:
    for line in (
        "0000-0002-1825-0097 Owner, Olga",
        "0000-0002-1825-0097; Owner, Olga",
        "Owner, Olga (0000-0002-1825-0097)",
        "Owner, Olga (ORCID: 0000-0002-1825-0097)",
        "Owner, Olga, ORCID iD https://orcid.org/0000-0002-1825-0097",
        "Owner, Olga <http://www.orcid.org/0000-0002-1825-0097/>",
        "Owner, https://orcid.org/0000000218250097 Olga",
        "Owner, Olga 0000000218250097",
    ):
        found = parse_creator(line)
        assert found.orcid == OLGA.orcid, line
        assert found.parts[0] == "Owner" or found.name == "Owner Olga", line


def test_orcid_takes_no_letter_of_the_name() -> None:
    assert parse_creator("Owner, Olga 0000-0002-1694-233x").orcid == "0000-0002-1694-233X"
    assert parse_creator("Strömä, Böö 0000-0002-1825-0097").name == "Strömä, Böö"
    assert parse_creator("Owner, O. (0000-0002-1825-0097)").name == "Owner, O."
    assert parse_creator("Institute 21, section 2024-2025") == Creator("Institute 21, section 2024-2025")


def test_datacite_has_every_property_that_is_required() -> None:
    whole = json.loads(datacite(ABOUT))
    assert whole["identifiers"] == [{"identifier": "10.5281/zenodo.1234", "identifierType": "DOI"}]
    olga, institute = whole["creators"]
    assert (olga["nameType"], olga["familyName"], olga["givenName"]) == ("Personal", "Owner", "Olga")
    assert olga["nameIdentifiers"][0]["nameIdentifier"] == "https://orcid.org/0000-0002-1825-0097"
    assert institute == {"name": "Institute of Work"}
    assert whole["titles"] == [{"title": 'Work: "honest" # or not', "lang": "de"}]
    assert (whole["publisher"], whole["publicationYear"]) == ({"name": "Zenodo"}, "2026")
    assert whole["types"]["resourceTypeGeneral"] == "Dataset"
    assert whole["rightsList"][0]["rightsIdentifier"] == "CC-BY-4.0"
    assert whole["schemaVersion"] == "http://datacite.org/schema/kernel-4"


def test_citation_file_is_yaml_with_the_same_facts() -> None:
    cited = yaml.safe_load(citation_file(ABOUT, "2026-12-01"))
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
    assert (cited["title"], cited["type"], cited["license"]) == (ABOUT.title, "dataset", "CC-BY-4.0")
    assert cited["authors"] == [
        {"family-names": "Owner", "given-names": "Olga", "orcid": "https://orcid.org/0000-0002-1825-0097"},
        {"name": "Institute of Work"},
    ]
    assert cited["contact"][0]["email"] == "olga@example.org"
    assert cited["preferred-citation"]["publisher"] == {"name": "Zenodo"}
    assert str(cited["date-released"]) == "2026-12-01"
