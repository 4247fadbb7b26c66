"""What the page of a run and a report say of copied records: the whole per cent, and no number below ten."""

from math import ceil

import pytest
from django.test import Client

from mining.error.excess_copies import max_unnoticed_copies
from reports.models import Review
from runs.copied_record_detection import LEVEL
from runs.models import Run
from tests.reports.paged import PUBLISHED, desk, reader, shown

pytestmark = pytest.mark.page


def found(review: Review, copies: int | None, disguised: int = 800) -> None:
    Run.objects.filter(pk=review.run_id).update(copies=copies, disguised=disguised)


def test_of_a_run_that_knows_nothing_of_copies_nothing_is_said(review: Review, judging: Client) -> None:
    found(review, None)
    assert "identical than the disguise allows" not in shown(judging, desk("report"))


def test_where_nothing_was_found_the_page_says_how_many_copies_it_would_have_missed(
    published: Review, reading: Client, judging: Client
) -> None:
    found(published, 0)
    copies = max_unnoticed_copies(published.run.content, 800, LEVEL / 2 * (1 / 2 - 1 / 3))
    assert copies
    words = (
        f"No more disguised records are identical than the disguise allows; up to {ceil(copies / 8)} % of them could "
        "be copies of one record and go unnoticed."
    )
    for page in (shown(reading, reader("")), shown(judging, desk("report"))):
        assert words in page
        assert "Some answers look forged" not in page


def test_where_no_copies_can_be_found_the_page_says_so(published: Review, reading: Client) -> None:
    found(published, 0, disguised=5)
    assert "Copies cannot be found in this survey" in shown(reading, reader(""))


SENTENCES = {
    80: "At least 10 % of the disguised records are forged copies",
    87: "At least 10 % of the disguised records are forged copies",
    9: "A few disguised records are forged copies, fewer than 10 as far as can be seen",
}


def test_the_whole_per_cent_is_told_and_no_number_below_ten(
    published: Review, reading: Client, judging: Client
) -> None:
    run = published.run.get_absolute_url()
    for copies, (client, address) in zip(
        SENTENCES, ((judging, desk("report")), (judging, run), (reading, reader(""))), strict=True
    ):
        found(published, copies)
        page = shown(client, address)
        assert SENTENCES[copies] in page
        assert "Some answers look forged" in page
        assert f"at least {copies}" not in page


def test_who_may_not_see_the_numbers_of_a_run_sees_no_word_of_it(published: Review, reading: Client) -> None:
    found(published, 80)
    assert "forged" not in shown(reading, published.run.get_absolute_url())


def test_of_very_many_a_few_are_less_than_one_per_cent(published: Review, reading: Client) -> None:
    found(published, 12, disguised=40_000)
    assert "fewer than 1 % as far as can be seen" in shown(reading, reader(""))


def test_no_other_page_and_no_file_says_anything_of_it(published: Review, reading: Client) -> None:

    def everything() -> dict[str, str]:
        binary = ("files/csv", "files/excel", "files/parquet", "print.pdf")
        kept = [page for page in PUBLISHED[1:] if page not in binary]
        return {page: shown(reading, reader(page)) for page in kept}

    found(published, 0)
    before = everything()
    found(published, 123)
    assert everything() == before
