"""Files of formats that cannot be read are named by what they are; an archive of LimeSurvey is read."""

import io
import zipfile

import pytest

from importing import questionnaire_file
from importing.faults import FileRefused
from importing.safe_zip import MOST_UNPACKED
from tests.importing import lime_files


def archive(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name.replace("__", "/").replace("_", "."), content)
    return made.getvalue()


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b"%PDF-1.7\n...", "is a PDF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "old spreadsheet"),
        (archive(word__document_xml=b"<w/>"), "Word document"),
        (archive(content_xml=b"<o/>"), "OpenDocument"),
        (b"<!DOCTYPE html><html></html>", "web page"),
        (b'<?xml version="1.0"?><codeBook xmlns="ddi:codebook:2_5"/>', "DDI"),
        (b'{"formId": "1", "info": {}, "items": []}', "Google Forms"),
        (b"1. How old are you?\n2. Where do you live?\n", "no known kind"),
    ],
)
def test_a_file_is_named_by_what_it_is(data: bytes, named: str) -> None:
    with pytest.raises(FileRefused) as found:
        questionnaire_file.read(data)
    ((_place, reason),) = found.value.faults
    assert named in reason
    assert "JSON" not in reason


def test_an_archive_of_limesurvey_is_read_without_its_responses() -> None:
    question = {"qid": "1", "gid": "1", "title": "q", "type": "Y", "question": "Do you?", "language": "en"}
    group = {"gid": "1", "group_name": "G", "language": "en"}
    survey = lime_files.document({"groups": [group], "questions": [question]})
    packed = archive(survey__1_lss=survey, survey__1_lsr=b"answers of people")
    taken = questionnaire_file.read(packed)
    assert [each["name"] for section in taken.draft["sections"] for each in section["questions"]] == ["q"]


def test_an_archive_that_unpacks_to_more_than_a_survey_is_refused() -> None:
    with pytest.raises(FileRefused, match="unpacks to more"):
        questionnaire_file.read(archive(survey_lss=bytes(MOST_UNPACKED + 1)))


def test_a_damaged_archive_is_refused() -> None:
    whole = archive(survey_lss=b"<document>" * 100)
    for size in range(0, len(whole), 7):
        with pytest.raises(FileRefused):
            questionnaire_file.read(whole[:size] or b"PK")
