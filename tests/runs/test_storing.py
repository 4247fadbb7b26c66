from runs.models import Itemset, Rule


def test_a_digest_hashes_the_numbers_in_the_order_that_earlier_digests_did() -> None:
    assert Itemset.floats() == (
        *("observed", "support", "se", "low", "high", "low_after", "high_after", "q_holds"),
        *("pooled", "expected_w", "share_shown", "low_shown", "high_shown"),
    )
    assert Rule.floats() == (
        *("antecedent_support", "consequent_support", "support", "confidence"),
        *("confidence_low", "confidence_high", "confidence_low_after", "confidence_high_after"),
        *("lift", "lift_low", "lift_high", "lift_low_after", "lift_high_after"),
        *("leverage", "leverage_low", "leverage_high", "conviction", "zhangs_metric", "jaccard"),
        *("certainty", "kulczynski", "representativity", "p", "q", "q_holds"),
    )
