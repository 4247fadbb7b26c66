"""Lists the formulas by which the columns of a file were computed (docs/mathematics.md)."""

from mining.nodes.study_nodes import Study

SCORE = "z = prod_b (1[y_b contains S_b] - (1-p_b) q_b(S_b)) / p_b if disguised, 1[x contains S] if open"
COUNTED = "P(S) = mean of 1[x contains S] over base(S), those asked all of S; 0 where S does not apply"
SUPPORT = {
    "stratified": f"P(S) = mean of z over base(S), those asked all of S; {SCORE}; 0 where S does not apply",
    "pooled": "P(S) = (P*(S) - (1-k) sum_T prod_T p prod_not-T (1-p) q P(S_T)) / (k + (1-k) prod p), over base(S)",
    "combined": f"P(S) = sum_g m_g/v_g / sum_g 1/v_g over the groups' means m_g of z over base(S); {SCORE}",
}
TEST = (
    "score test: D / e with e^2 the larger of the variance at t and that of the estimate, corrected for skewness "
    "(Wilson and Hilferty) and, where at most three records have all of S, by a Poisson probability"
)
SUPPORT_INTERVAL = {
    "stratified": f"all t in [0, 1] with |z(t)| <= z0 = 1.96, D = P(S) - t; {TEST}",
    "pooled": "all t in [0, 1] with (P - t)^2 <= z0^2 (se^2 + sum_g w_g^2 (B_g (t - P) - t^2 + P^2)/n_g), z0 = 1.96, "
    "w_g as n_0 and n_1 prod_b p_b; se^2 = mean psi^2 / n with the influence psi of each record",
    "combined": "all t in [0, 1] with (P - t)^2 <= z0^2 sum_g w_g^2 (A_g + B_g t - t^2)/n_g, z0 = 1.96, "
    "w_g = (1/v_g) / sum_g 1/v_g",
}
BY_SCORE = {
    "confidence": f"P_S / P_A among E(A + C); all t in [0, 1] with |z(t)| <= z0, D = P_S - t P_A; {TEST}",
    "lift": "P_S / (P_A P_C) among E(A + C); all t from 1 outwards with |z(t)| <= z0, D = P_S - t (P_A P_C - C_AC); "
    "the same test; no interval where fewer than ten records are received without A, or without C",
    "p": "two-sided, of lift = 1 by the same test",
}
BY_RATIO = {
    "confidence": "P_S / P_A among E(A + C); Fieller with the groups' weights held fixed: all t in [0, 1] with "
    "(P_S - t P_A)^2 <= z0^2 (V_S - 2 t C_AS + t^2 V_A); too narrow where hardly a record has A without C",
    "lift": "P_S / (P_A P_C) among E(A + C); Fieller with D = P_A P_C - C_AC in place of P_A, cut at 0",
    "p": "two-sided, normal, of lift = 1",
}
WEIGHTED = (
    "P_w = sum w z / sum w over the disguised records of base(S); w raked to the margins; se^2 = sum w^2 r^2 / "
    "(sum w)^2 n/(n-k), r the residuals of the weighted regression of z on the margins' indicators; Wilson through the "
    "inverse with n' = (mean z^2 - P_w^2)/se^2 in place of n"
)
MODELS = (
    "coefficients of the share of an answer, among the records of the model's population to which the answer and all "
    "covariates apply (both arms where the arm is a covariate); linear: b = H^-1 sum w z, H = sum w w'; logit: "
    "sum w (z - mu) = 0, mu = 1/(1+exp(-w'b)); variance H^-1 [sum w w' (z - mu)^2] H^-1 n/(n-k); b -+ 1.96 se; p: "
    "linear Wald, logit score test; fit: score test of all products of two covariates that hold the floors"
)
MORE = {
    "eligible": "E(A + C): the records asked all of A and C to which every item applies; confidence, lift, "
    "p and q of a rule are computed among them",
    "shown": "E(S): the records asked all of S to which every item applies; share_shown = P(S) |base(S)| / |E(S)|, its "
    "interval that of a support among E(S)",
    "among": "itemsets, rules and shares by group that join plain and sensitive answers are estimated from the "
    "disguised records alone",
    "plain_answers": "counted; Clopper and Pearson",
    "q": "Benjamini and Hochberg, for lift = 1, over the family of the list: all pairs of frequent answers, or all "
    "splits of larger itemsets of them up to the maximum size; those pruned, implied or impossible count as p = 1",
    "converse": "of C -> A, in the same row; its base rate is that of A among all",
    "both": "whether the converse, too, has the confidence that the run asked for; said: what is published",
    "listed": "low_listed and high_listed: the same intervals at z0 = max(1.96, Phi^-1(1 - 0.025 k/m)), k the largest "
    "power of two up to the place in the list (at most 512), m the splits (or itemsets) of the list's family: of the "
    "intervals in the first k rows at most 5 % are expected to miss, for any k chosen without looking",
    "association": "1 where z of lift = 1 is above z0 of the place, -1 where it is below -z0, else 0",
    "order": "rules by p in two lists, pairs and larger itemsets (a report without statements.larger: in one); "
    "itemsets by the estimated support",
    "coherent": "the nearest supports of up to 12 answers that all fit together: least squares, weighted by one over "
    "the variance; none negative, no error of their own, never in place of the raw ones",
    "groups": "the mean of z over the disguised records of a class, whatever the estimator; the interval of a "
    "stratified support",
    "forged": "where 1 % more records could bring the mean of z over base(S), whatever the estimator",
    "expected_w": "sqrt(2/pi) sqrt((mean z^2 - P)/n_S + P(1-P)(1/n_S - 1/n)): expected |S - S'| for these respondents",
}


OF_DISGUISED = ("among", "groups", "forged", "expected_w")
"""Formulas of what only a survey with disguised answers has."""
NUMBERS = {
    "number_shares": "P = mean z of the item over the records with a class, z = sum_b V f(a,z|b) / mean f, the "
    "unbiased scores of least variance where all classes are as likely; se^2 = (mean z^2 - P^2)/n; "
    'support_interval, without V"',
    "itemsets": "with an item of a number: stratified, whatever the estimator; not coherent; observed is empty, since "
    "no share is received, only scores",
    "mean": "mean of sum_b t_b z_b over the records with a class, plus D times the mean of u over those with the bit, "
    "u = (bit - (1-p')/2)/p'; se^2 = the sum of both (mean square - mean^2)/n; value -+ 1.96 se, cut to the ends",
    "quantiles": "at_least: the last limit, from t_1 upwards, at which the low end of P(x >= t_i) is above 1 - q; "
    "below: the last one, from t_N downwards, at which the high end is below 1 - q",
    "blurred": "mean over the records of z_x(y) = (1 + 2 sum_m=1..M (1 - m/(M+1)) cos(2 pi m (x-y)/V)/lambda_m)/V, "
    "times the numbers of the cell; lambda_m = u sin((2h+1) pi m/V)/((2h+1) sin(pi m/V)), open: lambda_m = 1; M "
    "(modes) is the largest with all |lambda_m| >= .1; V numbers on a circle",
    "band": "low, high: blurred -+ 1.96 se, se^2 = (mean z^2 - mean^2)/n, from 1,000 records on; each point by itself",
    "illustration": "expectation maximisation over the distributions, smoothed in each step and stopped where each "
    "half of the records fits the other best; without error; a single value with many people is spread over its "
    "neighbours",
}


ARMS = {
    "difference": "D = m_1 - m_0, the means of z in both arms among E(S); low, high: all t with |z(t)| <= 1.96, z the "
    "score test of a sum of shares at the likeliest shares whose difference is t; more is assumed to be truer",
    "p": "two-sided, of z(0); holm: over all sensitive items",
    "smallest_more": "found with 80 % power by a test of this item alone, if more say so in the disguised arm; "
    "smallest_fewer: if fewer do; null: no difference is found so often",
    "completion": "q = k(1-d)/((1-k)d), k the share of direct records, d the share drawn; low, high: q exp(-+ 1.96 "
    "sqrt(1/n_0 + 1/n_1)); p: (n_0 - nd)/sqrt(nd(1-d))",
    "bounds": "of D if people left because of their arm, without sampling error",
}
CONTROLS = {
    "careless": "L = (P_c - pi_c)/(1/2 - pi_c): who answers at random is assumed to take each choice alike",
    "corrected": "(P_j - L/m_j)/(1 - L), m_j choices; Fieller, not cut to [0, 1]",
    "p": "of P_c = pi_c with the error at pi_c; a plain item by the exact binomial test",
}
UNDERSTANDING = {
    "share": "counted among the disguised records; low, high: Clopper and Pearson",
    "difference": "D = m_1 - m_0, the means of z among E(S) of the disguised who understood, at once or after the "
    "explanation, and of the others; low, high, p: the score test of a sum of shares, as of arms; holm: over all items",
}
PLAN = {
    "p": "two-sided, by the estimator stratified; none where it cannot be computed, which counts as 1",
    "low": "low, high: the interval at 1 - 0.05/h of the same test, h hypotheses; met: it excludes no effect (of a "
    "share: p <= 0.05/h)",
    "holm": "Holm over all hypotheses of the plan, withheld ones as p = 1",
}

WAVES = {
    "difference": "D = m_2 - m_1, the means of z in this survey and the earlier one; low, high, p: the score test of a "
    "sum of shares, as of people who may be in both, with other answers",
    "holm": "over all answers that no plan names; a change in the plan is met where low, high lie in its direction",
}


def study_formulas(study: Study) -> dict[str, str]:
    """Returns the formulas of the parts that the study has: arms, control items, understanding, plan, changes."""
    parts = (
        ("arms", study.arms, ARMS),
        ("controls", study.controls, CONTROLS),
        ("understanding", study.understanding, UNDERSTANDING),
        ("plan", study.plan, PLAN),
        ("waves", study.waves, WAVES),
    )
    return {f"{name}_{key}": how for name, part, formulas in parts if part for key, how in formulas.items()}


def estimator_formulas(
    estimator: str, *, numbers: bool = False, has_disguise: bool = True, offers_choice: bool = False
) -> dict[str, str]:
    """Returns the formulas of this estimator; `numbers` adds those of sensitive numbers. `offers_choice`: people may
    choose to answer without disguise."""
    choice = f"{MORE['among']}, and said to be of people who chose disguise"
    rules = BY_SCORE if estimator == "stratified" else BY_RATIO
    of_numbers = {f"numbers_{name}": formula for name, formula in NUMBERS.items()} if numbers else {}
    return {
        "support": SUPPORT[estimator] if has_disguise else COUNTED,
        "support_interval": SUPPORT_INTERVAL[estimator],
        **rules,
        **{name: formula for name, formula in MORE.items() if has_disguise or name not in OF_DISGUISED},
        **({"among": choice} if offers_choice else {}),
        **of_numbers,
    }
