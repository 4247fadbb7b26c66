"""Special functions of probability, to avoid loading scipy.special, which takes 0.25 s and 27 MB.

Normal probabilities and quantiles are scipy's bit by bit, by the formulas of Cephes (S. L. Moshier, ndtr.c and ndtri.c)
that scipy compiles. Exponentials and logarithms are the C library's, element by element: numpy's own differ in the last
bit. Tail probabilities of binomial and chi-square distributions are computed as sums, for one number at a time.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

HALF_ROOT = 7.07106781186547524400844362104849039e-1
ROOT_OF_2_PI = 2.50662827463100050242e0
LARGEST_EXPONENT = 7.09782712893383996843e2
END = 0.13533528323661269189
"""exp(-2): nearer to 0 or 1 a quantile is of a tail."""

Coefficients = tuple[tuple[float, ...], tuple[float, ...]]


def _coefficients(above: str, below: str) -> Coefficients:
    """Parses the coefficients of a ratio of polynomials: numerator and denominator, each from the highest power
    down."""
    return tuple(map(float, above.split())), tuple(map(float, below.split()))


ERF = _coefficients(
    "9.604973739870516 90.02601972038427 2232.005345946843 7003.325141128051 55592.30130103949",
    "1.0 33.56171416475031 521.3579497801527 4594.323829709801 22629.000061389095 49267.39426086359",
)
ERFC_BELOW_8 = _coefficients(
    "2.461969814735305e-10 0.5641895648310689 7.463210564422699 48.63719709856814 196.5208329560771 "
    "526.4451949954773 934.5285271719576 1027.5518868951572 557.5353353693994",
    "1.0 13.228195115474499 86.70721408859897 354.9377788878199 975.7085017432055 1823.9091668790973 "
    "2246.3376081871097 1656.6630919416134 557.5353408177277",
)
ERFC_FROM_8 = _coefficients(
    "0.5641895835477551 1.275366707599781 5.019050422511805 6.160210979930536 7.4097426995044895 "
    "2.9788666537210022",
    "1.0 2.2605286322011726 9.396035249380015 12.048953980809666 17.08144507475659 9.608968090632859 "
    "3.369076451000815",
)
QUANTILE_MIDDLE = _coefficients(
    "-59.96335010141079 98.00107541859997 -56.67628574690703 13.931260938727968 -1.2391658386738125",
    "1.0 1.9544885833814176 4.676279128988815 86.36024213908905 -225.46268785411937 200.26021238006066 "
    "-82.03722561683334 15.90562251262117 -1.1833162112133",
)
QUANTILE_TAIL = _coefficients(
    "4.0554489230596245 31.525109459989388 57.16281922464213 44.08050738932008 14.684956192885803 "
    "2.1866330685079025 -0.1402560791713545 -0.03504246268278482 -0.0008574567851546854",
    "1.0 15.779988325646675 45.39076351288792 41.3172038254672 15.04253856929075 2.504649462083094 "
    "-0.14218292285478779 -0.03808064076915783 -0.0009332594808954574",
)
QUANTILE_FAR_TAIL = _coefficients(
    "3.2377489177694603 6.915228890689842 3.9388102529247444 1.3330346081580755 0.20148538954917908 "
    "0.012371663481782003 0.00030158155350823543 2.6580697468673755e-06 6.239745391849833e-09",
    "1.0 6.02427039364742 3.6798356385616087 1.3770209948908132 0.21623699359449663 "
    "0.013420400608854318 0.00032801446468212774 2.8924786474538068e-06 6.790194080099813e-09",
)


def erfc(x: ArrayLike) -> Floats:
    """Returns the complementary error function."""
    x = np.asarray(x, np.float64)
    size, is_far = np.abs(x), x * x > LARGEST_EXPONENT
    return np.piecewise(
        x,
        [size < 1, (size >= 1) & (size < 8), (size >= 8) & ~is_far, is_far],
        [
            lambda x: 1 - _erf_near_0(x),
            lambda x: _erfc_tail(x, ERFC_BELOW_8),
            lambda x: _erfc_tail(x, ERFC_FROM_8),
            lambda x: np.where(x < 0, 2.0, 0.0),
            np.nan,
        ],
    )


def ndtr(x: ArrayLike) -> Floats:
    """Returns the normal probability below x."""
    scaled = np.asarray(x, np.float64) * HALF_ROOT
    size = np.abs(scaled)
    return np.piecewise(
        scaled, [size < 1, size >= 1], [lambda scaled: 0.5 + 0.5 * _erf_near_0(scaled), _ndtr_tail, np.nan]
    )


def ndtri(p: ArrayLike) -> Floats:
    """Returns the normal quantile of a probability; infinite at 0 and 1."""
    p = np.asarray(p, np.float64)
    is_middle = (p > END) & (p <= 1 - END)
    return np.piecewise(
        p,
        [p == 0, p == 1, is_middle, (p > 0) & (p < 1) & ~is_middle],
        [-np.inf, np.inf, _ndtri_middle, _ndtri_tail, np.nan],
    )


def chi_square_tail(df: int, x: float) -> float:
    """Returns the probability that a chi-square variable of `df` degrees of freedom exceeds x; NaN for NaN.

    Computed by the finite sums of Abramowitz and Stegun, 26.4.4 and 26.4.5.
    """
    if x <= 0 or math.isinf(x):
        return float(x <= 0)
    half, is_odd = x / 2, df % 2
    # half^i exp(-half) / gamma(i + 1), for i = 0, 1, ..., or 1/2, 3/2, ...
    exponents = [i + is_odd / 2 for i in range(df // 2)]
    terms = [math.exp(i * math.log(half) - half - math.lgamma(i + 1)) for i in exponents]
    return math.fsum([math.erfc(math.sqrt(half)) if is_odd else 0.0, *terms])


def _apply_elementwise(function: Callable[[float], float], x: Floats) -> Floats:
    """Returns the values of a function of the C library for each element of x."""
    return np.fromiter(map(function, x.tolist()), np.float64, len(x))


def _polynomial_ratio(x: Floats, coefficients: Coefficients, factor: Floats) -> Floats:
    """Returns factor times a ratio of polynomials, in Cephes' order of operations."""
    return np.asarray(factor * np.polyval(coefficients[0], x) / np.polyval(coefficients[1], x))


def _erf_near_0(x: Floats) -> Floats:
    return _polynomial_ratio(x * x, ERF, x)


def _erfc_tail(x: Floats, coefficients: Coefficients) -> Floats:
    tail = _polynomial_ratio(np.abs(x), coefficients, _apply_elementwise(math.exp, -x * x))
    return np.where(x < 0, 2 - tail, tail)


def _ndtr_tail(scaled: Floats) -> Floats:
    tail = 0.5 * erfc(np.abs(scaled))
    return np.where(scaled > 0, 1 - tail, tail)


def _ndtri_middle(p: Floats) -> Floats:
    y = p - 0.5
    square = y * y
    return (y + y * _polynomial_ratio(square, QUANTILE_MIDDLE, square)) * ROOT_OF_2_PI


def _ndtri_tail(p: Floats) -> Floats:
    is_lower = p <= 1 - END
    x = np.sqrt(-2 * _apply_elementwise(math.log, np.where(is_lower, p, 1 - p)))
    z = 1 / x
    far = _polynomial_ratio(z, QUANTILE_FAR_TAIL, z)
    tail = (
        x - _apply_elementwise(math.log, x) / x - np.where(x < 8, _polynomial_ratio(z, QUANTILE_TAIL, z), far)
    )
    return np.where(is_lower, -tail, tail)
