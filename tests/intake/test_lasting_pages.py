"""What the start page of a study says whose disguise lasts, and which modules it loads."""

from typing import Any

import pytest

from privacy.designs import Design
from privacy.mechanisms.permanent import study_of
from surveys.kinds.phrases import phrases_for_design
from surveys.models import Design as DesignRow
from surveys.phrases.lasting import LASTING
from surveys.without_script import is_possible
from tests.intake import asked
from tests.intake.test_earlier_waves import TWICE, start

pytestmark = [pytest.mark.django_db, pytest.mark.page]
TAX = {"name": "tax", "choices": ["no", "yes"]}
LASTS = {"kind": "unrelated-question", "keep": "0.81", "lasting": "0.9", "questions": [TAX]}


def study(*sections: dict[str, Any], follows: Design | None = None, **more: Any) -> Design:
    known = {"follows": follows.fingerprint, "study": study_of(follows)} if follows else {}
    made = asked.written(*(sections or (LASTS,)), **known, **more)
    DesignRow.objects.get_or_create(fingerprint=made.fingerprint, defaults={"json": made.canonical})
    return made


def test_the_start_page_says_what_holds_for_all_rounds_for_a_change_and_without_the_code() -> None:
    """a = .9 and r = .9: 19 for ever, 19 for a round that differs, 19^2 = 361 for a second code."""
    page = start(study())
    assert "at most <strong>19 times</strong> as likely as any others that stay the same" in page
    assert "can multiply this by 19 once more" in page
    assert "at most 361 times as likely" in page
    assert "Two codes of one person" in page
    assert "Other disguised questions" not in page
    assert "Other disguised questions" in start(study(LASTS, TWICE))
    assert "If you answer openly once" in start(study(open_answers=True))


def test_a_later_round_states_no_number_that_holds_for_changing_answers_only_of_one_round() -> None:
    page = start(study(follows=study(title={"en": "Round 1"}), title={"en": "Round 2"}))
    assert "Round 1</bdi>" in page
    assert "compared with any other answer" not in page
    assert "answering again makes your protection weaker" not in page


def test_only_such_a_survey_brings_the_sentences_and_the_modules_of_the_code() -> None:
    lasting, once = study(), study(TWICE)
    assert LASTING.keys() <= phrases_for_design(lasting).keys()
    assert not LASTING.keys() & phrases_for_design(once).keys()
    assert "intake/lasting.js" in start(lasting)
    assert 'modulepreload" href="/static/privacy/permanent.js' in start(lasting)
    assert "intake/lasting.js" not in start(once)
    assert 'modulepreload" href="/static/privacy/permanent.js' not in start(once)
    assert not is_possible(lasting)
