"""The formulas of reports from before mining 5."""

SCORE = "z = prod_b (1[y_b contains S_b] - (1-p_b) q_b(S_b)) / p_b if disguised, 1[x contains S] if open"
SUPPORT = {
    "stratified": f"P(S) = mean of z over base(S); {SCORE}",
    "pooled": "P(S) = (P*(S) - (1-k) sum_T prod_T p prod_not-T (1-p) q P(S_T)) / (k + (1-k) prod p)",
    "combined": f"P(S) = sum_g m_g/v_g / sum_g 1/v_g over the groups' means m_g of z; {SCORE}",
}
SUPPORT_INTERVAL = {
    "stratified": "Wilson's interval of each group's mean score mapped through the inverse, both put together; 95 %",
    "pooled": "all t with (P - t)^2 <= 1.96^2 (se^2 + sum_g w_g^2 (B_g (t - P) - t^2 + P^2)/n_g), w_g as n_0 and "
    "n_1 prod_b p_b; se^2 = mean psi^2 / n with the influence psi of each record",
    "combined": "all t with (P - t)^2 <= 1.96^2 sum_g w_g^2 (A_g + B_g t - t^2)/n_g, w_g = (1/v_g) / sum_g 1/v_g",
}
MORE = {
    "plain_answers": "counted; Clopper and Pearson",
    "confidence": "P_S / P_A on base(S); Fieller: all t with (P_S - t P_A)^2 <= 1.96^2 (V_S - 2 t C_AS + t^2 V_A)",
    "lift": "P_S / (P_A P_C) on base(S); Fieller with D = P_A P_C - C_AC in place of P_A",
    "leverage": "P_S - P_A P_C; delta method",
    "p": "two-sided, normal, for lift = 1",
    "q": "Benjamini and Hochberg over every rule that the frequent answers, and those of the itemsets found, could "
    "make up to the maximum size",
    "coherent": "the nearest supports of up to 12 answers that all fit together: least squares, weighted by one over "
    "the variance; none negative, no error of their own, never in place of the raw ones",
    "groups": "the mean of z over the records of a class, whatever the estimator",
    "forged": "where 1 % more records could bring the mean of z over base(S), whatever the estimator",
    "again": "of simulated surveys of people drawn from the nearest coherent distribution, the share that report it",
    "expected_w": "sqrt(2/pi) sqrt((mean z^2 - P)/n_S + P(1-P)(1/n_S - 1/n)): expected |S - S'| for these respondents",
}


def formulas(estimator: str) -> dict[str, str]:
    return {"support": SUPPORT[estimator], "support_interval": SUPPORT_INTERVAL[estimator], **MORE}
