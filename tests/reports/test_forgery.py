"""What a report says of forged records: numbers to its reviewer, the whole per cent to its readers."""

from math import ceil

import pytest

from accounts.models import Person
from mining.error.unnoticed import unnoticed_copies
from reports.models import Review
from runs.forgery.measuring import LEVEL
from runs.forgery.models import Measured
from surveys.models import Survey
from tests.cast import As
from tests.reports.paged import PUBLISHED, desk, reader, shown

pytestmark = pytest.mark.page


def measured(survey: Survey, *excess: int, disguised: int = 400) -> None:
    """One batch after the other; the run counts two."""
    Measured.objects.bulk_create(
        Measured(survey=survey, first=number, last=number, disguised=disguised, excess=found)
        for number, found in enumerate(excess, 1)
    )


def test_before_the_batches_are_measured_nothing_is_known(
    review: Review, reviewer: Person, signed_in_as: As
) -> None:
    measured(review.survey, 0)
    page = shown(signed_in_as(reviewer), desk("report"))
    assert "is not known yet" in page
    assert "No sign" not in page


def test_where_nothing_was_found_nothing_is_claimed(
    published: Review, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    measured(published.survey, 0, 0)
    for page in (shown(signed_in_as(owner), reader("")), shown(signed_in_as(reviewer), desk("report"))):
        assert "No sign of copied records" not in page
        assert "No more disguised records are identical than the disguise allows." in page
        assert "forged in another way cannot be told" in page


def test_the_page_says_how_many_copies_it_would_have_missed(
    published: Review, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    measured(published.survey, 0, 0)
    design = published.run.survey.design
    assert design
    copies = unnoticed_copies(design.content, 400, LEVEL / 2 * (1 / 2))
    assert copies
    part = f"{ceil(copies / 4)} %"
    assert (
        f"Up to {copies} of 400 disguised records ({part}) could be copies of one record and go unnoticed here."
        in shown(signed_in_as(reviewer), desk("report"))
    )
    page = shown(signed_in_as(owner), reader(""))
    assert f"Up to {part} of the disguised records could be copies of one record" in page
    assert "of 400" not in page


def test_where_no_copies_can_be_found_the_page_says_so(
    published: Review, owner: Person, signed_in_as: As
) -> None:
    measured(published.survey, 0, 0, disguised=5)
    assert "Copies cannot be found in this survey" in shown(signed_in_as(owner), reader(""))


def test_where_few_copies_would_be_missed_there_is_no_sign_of_them(
    published: Review, owner: Person, signed_in_as: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured(published.survey, 0, 0)
    monkeypatch.setattr("reports.pages.forgery.unnoticed_copies", lambda *_of: 40)
    page = shown(signed_in_as(owner), reader(""))
    assert "No sign of copied records" in page
    assert "Up to 10 % of the disguised records" in page


def test_the_reviewer_sees_how_many_where_and_what_they_may_have_moved(
    review: Review, reviewer: Person, signed_in_as: As
) -> None:
    measured(review.survey, 0, 80, 399)
    page = shown(signed_in_as(reviewer), desk("report"))
    assert "Forged copies among 800 disguised records: at least 80." in page
    assert "at most 0.1 % for the whole survey" in page
    assert "Batch Disguised records Forged, at least 2 400 80" in page
    # theft: 25 % of 1,000, keep .5, noise .4 for yes: a record counts 1.6 or -.4. (250 - 128)/920 and (250 + 32)/920.
    assert "25.0 % 13.3 % to 30.7 %" in page


def test_a_batch_of_which_nobody_may_be_honest_says_nothing_any_more(
    review: Review, reviewer: Person, signed_in_as: As
) -> None:
    measured(review.survey, 1_000, 1_000, disguised=1_000)
    assert "25.0 % anything" in shown(signed_in_as(reviewer), desk("report"))


ROUGHLY = {
    (80, 0): "At least 10 % of the disguised records are forged copies",
    (87, 0): "At least 10 % of the disguised records are forged copies",
    (9, 0): "A few disguised records are forged copies, fewer than 10 as far as can be seen",
}


@pytest.mark.parametrize(("excess", "words"), ROUGHLY.items())
def test_readers_get_the_whole_per_cent_and_no_number_below_ten(
    published: Review, owner: Person, signed_in_as: As, excess: tuple[int, ...], words: str
) -> None:
    measured(published.survey, *excess)
    page = shown(signed_in_as(owner), reader(""))
    assert words in page
    assert "Some answers look forged" in page
    for hidden in (
        "Batches with forged records",
        f"at least {excess[0]}",
        "800 disguised",
        "Without them",
        "0.1 %",
    ):
        assert hidden not in page


def test_of_very_many_a_few_are_less_than_one_per_cent(
    published: Review, owner: Person, signed_in_as: As
) -> None:
    measured(published.survey, 12, 0, disguised=40_000)
    assert "fewer than 1 % as far as can be seen" in shown(signed_in_as(owner), reader(""))


def test_what_a_share_was_moved_by_says_no_more_than_the_per_cent(
    published: Review, owner: Person, signed_in_as: As
) -> None:
    """10.0 and 10.9 % read the same: the bound is that of 11 %, 88 records of 800."""
    pages = []
    for excess in (80, 87):
        Measured.objects.all().delete()
        measured(published.survey, excess, 0)
        pages.append(shown(signed_in_as(owner), reader("")))
    assert pages[0] == pages[1]
    # cash: -1.2 % of 1,000; without 88 that count 1.6 each: (-12 - 140.8)/912 = -16.75 %.
    assert "moved a share by up to 15.6 percentage points" in pages[0]


def test_later_batches_do_not_change_what_was_published(
    published: Review, owner: Person, signed_in_as: As
) -> None:
    measured(published.survey, 80, 0)
    client = signed_in_as(owner)
    before = shown(client, reader(""))
    Measured.objects.create(survey=published.survey, first=3, last=3, disguised=400, excess=399)
    assert shown(client, reader("")) == before


def test_no_other_page_and_no_file_says_anything_of_it(
    published: Review, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)

    def everything() -> dict[str, str]:
        binary = ("files/csv", "files/excel", "files/parquet", "print.pdf")
        kept = [page for page in PUBLISHED[1:] if page not in binary]
        return {page: shown(client, reader(page)) for page in kept}

    before = everything()
    measured(published.survey, 123, 0)
    assert everything() == before
