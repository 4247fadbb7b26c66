# The values that a score test does not exclude (docs/mathematics.md, Score test and Support interval).

NORMAL_95 <- 1.96
NO_VARIANCE <- 1e-18
NO_DIFFERENCE <- 1e-9
NO_SKEW <- 1e-4

# All t between `low` and `high` with |z(t)| <= critical_z, by row; z falls with t. Both NA: the counts contradict each other.
# `z` is a function of rows and of one t for each of them.
score_interval <- function(z, low, high, critical_z = NORMAL_95) {
  rows <- seq_along(low)
  at_low <- z(rows, low)
  at_high <- z(rows, high)
  ends <- cbind(low = low, high = high)
  need <- which(at_low > critical_z)
  ends[need, 1] <- find_root(function(t) z(need, t) - critical_z, low[need], high[need], at_low[need] - critical_z,
                              at_high[need] - critical_z)
  need <- which(at_high < -critical_z)
  ends[need, 2] <- find_root(function(t) z(need, t) + critical_z, low[need], high[need], at_low[need] + critical_z,
                              at_high[need] + critical_z)
  ends[which(at_high > critical_z | at_low < -critical_z), ] <- NA
  ends
}

# Where functions, one a row, are 0 between a and b, by Chandrupatla's method (Adv. Eng. Softw. 28, 1997): to `exact` in
# the place or to `small` in the value.
find_root <- function(f, a, b, fa, fb = f(b), exact = 1e-9, small = 0) {
  if (!length(a)) return(a)
  fa <- clip(fa, -8, 8)
  fb <- clip(fb, -8, 8)
  share <- 0.5
  for (step in 1:100) {
    t <- a + share * (b - a)
    ft <- clip(f(t), -8, 8)
    # c is the point before a, or the end that a replaces; b stays on the other side of the root.
    same <- sign(ft) == sign(fa)
    c <- choose_from(same, a, b)
    fc <- choose_from(same, fa, fb)
    b <- choose_from(same, b, a)
    fb <- choose_from(same, fb, fa)
    a <- t
    fa <- ft
    width <- abs(b - a)
    if (all(width < exact | abs(fa) <= small)) break
    xi <- (a - b) / (c - b)
    phi <- (fa - fb) / (fc - fb)
    share <- fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
    halved <- !(phi^2 < xi & (1 - phi)^2 < 1 - xi & is.finite(share))
    share[halved | is.na(halved)] <- 0.5
    least <- pmin.int(exact / 2 / pmax.int(width, exact), 0.5)
    share <- clip(share, least, 1 - least)
  }
  choose_from(abs(fa) < abs(fb), a, b)
}

choose_from <- function(test, yes, no) {
  no[test] <- yes[test]
  no
}

# As pmin and pmax, in a tenth of the time.
clip <- function(x, low, high) {
  below <- which(x < low)
  x[below] <- if (length(low) == 1) low else low[below]
  above <- which(x > high)
  x[above] <- if (length(high) == 1) high else high[above]
  x
}

# z of a difference with this variance and third moment, corrected for skewness where that is nearer to 0.
standardised <- function(difference, variance, third) {
  certain <- variance <= NO_VARIANCE
  zeta <- difference / sqrt(ifelse(certain, 1, variance))
  gamma <- ifelse(certain, 0, third / pmax(variance, NO_VARIANCE)^1.5)
  skewed <- wilson_hilferty(zeta, gamma)
  z <- ifelse(abs(zeta) <= abs(skewed), zeta, skewed)
  ifelse(certain, ifelse(abs(difference) < NO_DIFFERENCE, 0, sign(difference) * Inf), z)
}

wilson_hilferty <- function(z, gamma) {
  symmetric <- abs(gamma) < NO_SKEW
  safe <- ifelse(symmetric, 1, gamma)
  inner <- 1 + safe * z / 2
  ifelse(symmetric, z, 6 / safe * (sign(inner) * abs(inner)^(1 / 3) - 1) + safe / 6)
}

# Clopper and Pearson's interval of a share that is counted.
exact_interval <- function(having, records, critical_z = NORMAL_95) {
  tail <- if (critical_z == NORMAL_95) 0.025 else pnorm(-critical_z)
  cbind(low = ifelse(having > 0, qbeta(tail, having, records - having + 1), 0),
        high = ifelse(having < records, qbeta(1 - tail, having + 1, records - having), 1))
}

# The normal z of the Poisson probability of fewer records than these, at least 0.
z_of_fewer <- function(records, mean) {
  fewer <- ifelse(records > 0, ppois(round(records) - 1, pmax(mean, 0)), 0)
  ifelse(fewer <= 0.5, 0, ifelse(fewer >= 1, Inf, pmin(qnorm(fewer), 9)))
}
