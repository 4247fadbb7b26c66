import re

import pytest
from django import forms
from django.utils.datastructures import MultiValueDict


class Survey(forms.Form):
    name = forms.CharField(label="Name", help_text="Only you see it.")
    contact = forms.EmailField(label="Contact", required=False)
    kind = forms.ChoiceField(label="Kind", choices=[("a", "A"), ("b", "B")], widget=forms.RadioSelect)
    agree = forms.BooleanField(label="I agree", help_text="Read it first.")
    secret = forms.CharField(widget=forms.HiddenInput)

    def clean(self) -> None:
        raise forms.ValidationError("These do not go together.")


@pytest.fixture
def fresh_survey_text() -> str:
    return str(Survey())


@pytest.fixture
def refused_form() -> str:
    return str(Survey({"contact": "<nobody>"}))


def tag(page: str, start: str) -> str:
    found = re.search(rf"<[^>]*{re.escape(start)}[^>]*>", page)
    assert found, start
    return found[0]


def test_a_fresh_form_calls_nothing_wrong_and_says_hints_and_what_is_optional(fresh_survey_text: str) -> None:
    assert "error-summary" not in fresh_survey_text
    assert "aria-invalid" not in fresh_survey_text
    assert '<label for="id_name">Name' in fresh_survey_text
    assert 'id="id_name_helptext">Only you see it.' in fresh_survey_text
    assert 'aria-describedby="id_name_helptext"' in tag(fresh_survey_text, 'name="name"')
    assert fresh_survey_text.count("(optional)") == 1
    assert re.search(r"Contact\s*<span class=\"optional\">", fresh_survey_text)


def test_the_summary_leads_to_each_field_by_its_name_and_says_what_belongs_to_none(refused_form: str) -> None:
    summary = refused_form[: refused_form.index('class="field')]
    fields = [("id_name", "Name"), ("id_contact", "Contact"), ("id_kind", "Kind"), ("id_agree", "I agree")]
    assert re.findall(r'<a href="#(\w+)">(\w[\w ]*):', summary) == fields
    # Every link has a target.
    for goal in re.findall(r'href="#([^"]+)"', refused_form):
        assert f'id="{goal}"' in refused_form
    assert "<li>These do not go together.</li>" in refused_form
    assert refused_form.count("This field is required.") == 2 * 3 + 1


def test_an_error_stands_at_its_field_and_is_read_with_it(refused_form: str) -> None:
    field = tag(refused_form, 'name="name"')
    assert 'aria-invalid="true"' in field
    assert 'aria-describedby="id_name_helptext id_name_error"' in field
    assert 'id="id_name_error"' in refused_form


def test_what_was_typed_is_shown_again_and_escaped(refused_form: str) -> None:
    assert "&lt;nobody&gt;" in refused_form
    assert "<nobody>" not in refused_form


def test_radios_are_one_group_with_a_legend(refused_form: str) -> None:
    group = refused_form[refused_form.index("<fieldset") : refused_form.index("</fieldset>")]
    assert "<legend>Kind" in group
    assert group.count('type="radio"') == 2
    assert "id_kind_error" in tag(group, "fieldset")


def test_a_checkbox_comes_before_its_label_and_keeps_its_hint(fresh_survey_text: str) -> None:
    label = r'<label for="id_agree"><input type="checkbox"[^>]*> <span>I agree</span></label>'
    assert re.search(label, fresh_survey_text)
    assert 'id="id_agree_helptext">Read it first.' in fresh_survey_text


def test_a_file_that_was_refused_is_named_by_its_label() -> None:
    class Upload(forms.Form):
        records = forms.FileField(label="Records")

    page = str(Upload({}, MultiValueDict()))
    assert '<a href="#id_records">Records: This field is required.</a>' in page
    assert page.count('<label for="id_records">Records') == 1
