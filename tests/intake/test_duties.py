"""What a board and the law ask for stands on the start page, in each language, and is part of the fingerprint."""

import pytest
from django.test import Client

from accounts.models import Person
from importing import xlsform
from privacy.designs.design import DUTIES
from surveys.kinds.reading import read_questionnaire
from surveys.lifecycle import opening
from surveys.lifecycle.freezing import frozen
from surveys.models import Survey
from tests.surveys import drafts
from tests.surveys.conftest import NOW

WORDS = {name: {"en": f"The {name} <b>of us</b>"} for name in DUTIES}


def test_a_design_without_them_keeps_its_bytes_and_each_of_them_changes_the_fingerprint() -> None:
    plain = read_questionnaire(drafts.complete())
    assert not set(DUTIES) & set(plain.as_json())
    fingerprints = {frozen(plain.as_json()).fingerprint}
    for name in DUTIES:
        with_one = frozen({**plain.as_json(), name: WORDS[name]})
        assert f'"{name}":{{"en":' in with_one.canonical
        fingerprints.add(with_one.fingerprint)
    assert len(fingerprints) == 1 + len(DUTIES)


def test_they_come_back_from_a_spreadsheet() -> None:
    draft = read_questionnaire({**drafts.complete(), **WORDS})
    assert xlsform.read(xlsform.written(draft)).draft == draft.as_json()


@pytest.mark.page
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "headings"),
    [
        ("en", ["Ethics approval", "Data protection officer", "Privacy notice", "Imprint"]),
        ("de", ["Ethikvotum", "Datenschutzbeauftragte Person", "Datenschutzhinweis", "Impressum"]),
        ("ar", ["موافقة لجنة الأخلاقيات", "مسؤول حماية البيانات", "إشعار الخصوصية", "بيانات الناشر"]),
    ],
)
def test_respondents_read_them_under_headings_in_their_language(
    language: str, headings: list[str], owner: Person, client: Client
) -> None:
    draft = read_questionnaire({**drafts.complete(), **WORDS}).as_json()
    survey = Survey.objects.create(owner=owner, draft=in_language(draft, language))
    opening.open_now(survey, owner, NOW)
    page = client.get(survey.address, headers={"Accept-Language": language}).text
    assert all(f"<dt>{heading}</dt>" in page for heading in headings)
    assert all(f"The {name} &lt;b&gt;of us&lt;/b&gt;" in page for name in DUTIES)


def in_language(node: object, language: str) -> object:
    """The draft with its English words as those of another language."""
    if isinstance(node, dict):
        return {language if key == "en" else key: in_language(value, language) for key, value in node.items()}
    if isinstance(node, list):
        return [language if each == "en" else in_language(each, language) for each in node]
    return node
