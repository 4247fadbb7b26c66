"""A worker compiles the loops of a run before its first job."""

from mining.inference import moment_kernel, score_kernel
from runs import kernel_cache


def test_the_warm_up_compiles_the_score_test() -> None:
    kernel_cache.warm_up()
    loops = (score_kernel.fill_zs, score_kernel.share_ends, score_kernel.lift_ends, moment_kernel.fill_rows)
    assert all(loop.signatures for loop in loops)
