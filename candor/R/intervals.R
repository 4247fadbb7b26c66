# The values that a score test does not exclude (docs/mathematics.md, Score test and Support interval).

NORMAL_95 <- 1.96
NO_VARIANCE <- 1e-18
NO_DIFFERENCE <- 1e-9
NO_SKEW <- 1e-4

# All t between `low` and `high` with |z(t)| <= level, by row; z falls with t. Both NA: the counts contradict each other.
# `z` is a function of rows and of one t for each of them.
score_interval <- function(z, low, high, level = NORMAL_95) {
  rows <- seq_along(low)
  at_low <- z(rows, low)
  at_high <- z(rows, high)
  ends <- cbind(low = low, high = high)
  need <- which(at_low > level)
  ends[need, 1] <- find_root(function(t) z(need, t) - level, low[need], high[need], at_low[need] - level)
  need <- which(at_high < -level)
  ends[need, 2] <- find_root(function(t) z(need, t) + level, low[need], high[need], at_low[need] + level)
  ends[which(at_high > level | at_low < -level), ] <- NA
  ends
}

# Where a falling function is 0 between a and b: regula falsi with halved values (Illinois), by row, and every third
# step in the middle, so that a function with a jump does not hold it up.
find_root <- function(f, a, b, fa) {
  if (!length(a)) return(a)
  cut <- function(values) pmin(pmax(values, -8), 8)
  fa <- cut(fa)
  fb <- cut(f(b))
  for (step in 1:80) {
    t <- if (step %% 3) (a * fb - b * fa) / (fb - fa) else (a + b) / 2
    t <- ifelse(t > a & t < b, t, (a + b) / 2)
    ft <- cut(f(t))
    above <- ft > 0
    fb <- ifelse(above, fb / 2, ft)
    fa <- ifelse(above, ft, fa / 2)
    a <- ifelse(above, t, a)
    b <- ifelse(above, b, t)
    if (all(b - a < 1e-10 | ft == 0)) break
  }
  ifelse(ft == 0, t, (a + b) / 2)
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
exact_interval <- function(having, records) {
  cbind(low = ifelse(having > 0, qbeta(0.025, having, records - having + 1), 0),
        high = ifelse(having < records, qbeta(0.975, having + 1, records - having), 1))
}
