"""The bits that the method page states are those that `audit` computes."""

from fractions import Fraction

import pytest
from django.test import Client

from privacy.guarantee.leakage import leakage
from privacy.kinds.grouped.law import SectionLaw


@pytest.mark.page
def test_the_method_page_states_the_bits_of_its_examples(visitor: Client) -> None:
    half = Fraction(1, 2)
    one = leakage(SectionLaw(half, ((Fraction(2, 5), Fraction(3, 5)),), 1), places=3)
    ten = leakage(SectionLaw(half, ((half, half),) * 10, 10), places=2)
    assert one
    assert ten
    assert (str(one.mutual_information), str(one.largest_distance)) == ("0.192", "0.236")
    assert str(ten.mutual_information) == "4.01"
    page = visitor.get("/app/method").content.decode()
    assert "a record holds .192 of the 1 bit of a yes/no answer, and at most .236 bits" in page
    assert "hold 4.01 of 10 bits" in page
