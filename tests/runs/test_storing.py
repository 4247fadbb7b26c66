from runs.models import Itemset, Rule


def test_a_digest_hashes_the_numbers_in_the_order_that_earlier_digests_did() -> None:
    assert Itemset.float_fields() == (
        *("observed", "support", "se", "low", "high", "low_listed", "high_listed"),
        *("pooled", "expected_w", "share_shown", "low_shown", "high_shown"),
    )
    assert Rule.float_fields() == (
        *("antecedent_support", "antecedent_low", "antecedent_high"),
        *("consequent_support", "consequent_low", "consequent_high"),
        "support",
        *("confidence", "confidence_low", "confidence_high"),
        *("confidence_low_listed", "confidence_high_listed"),
        *("converse", "converse_low", "converse_high", "converse_low_listed", "converse_high_listed"),
        *("lift", "lift_low", "lift_high", "lift_low_listed", "lift_high_listed", "p", "q"),
    )
