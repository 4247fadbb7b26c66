import json

from hypothesis import given, settings
from pyxform.xls2xform import convert

from privacy.designs import parse
from surveys.builder.shape import orderly
from surveys.draft import Draft
from surveys.formats import own, xlsform
from tests.surveys.drafts import bilingual, complete, weak
from tests.surveys.formats.strategies import drafts


@settings(max_examples=60, deadline=None)
@given(draft=drafts())
def test_a_spreadsheet_comes_back_as_the_same_draft(draft: Draft) -> None:
    assert xlsform.read(xlsform.written(draft)).draft == draft


@settings(max_examples=30, deadline=None)
@given(draft=drafts())
def test_pyxform_takes_every_spreadsheet_that_we_write(draft: Draft) -> None:
    assert convert(xlsform.written(draft), validate=False, file_type=".xlsx").xform.startswith("<?xml")


@settings(max_examples=60)
@given(draft=drafts())
def test_our_own_file_comes_back_as_the_same_draft(draft: Draft) -> None:
    assert own.read(own.written(draft)) == {key: value for key, value in draft.items() if key != "expected"}


def test_the_file_of_a_finished_draft_is_a_design_for_every_command() -> None:
    for draft in (complete(), weak(), bilingual()):
        assert parse(own.written(draft)).title.in_language("en") == "Work and health"


def test_a_design_comes_back_as_the_draft_that_it_was() -> None:
    design = parse(own.written(bilingual()))
    assert parse(json.dumps(own.read(design.canonical.encode()))) == design


def test_a_spreadsheet_keeps_how_many_answers_are_expected() -> None:
    draft = orderly(complete(expected=4321))
    assert xlsform.read(xlsform.written(draft)).draft["expected"] == 4321
