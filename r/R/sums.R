# The score test of a sum of shares (docs/mathematics.md, Sums of shares): differences are such sums.
# All are matrices of group by row: n records, x of them with the answer, law chance + keep * share.
# A sum may contain the mean of other records, which is normal: `added` and `added_variance`, matrices of one row.

side <- function(having, records, keep, chance) {
  x <- as_groups(having)
  law <- function(value) matrix(value, nrow(x), ncol(x), byrow = is.null(dim(value)))
  list(x = x, n = as_groups(records), keep = law(keep), chance = law(chance))
}

as_groups <- function(counts) matrix(as.numeric(counts), nrow = if (is.null(dim(counts))) 1 else nrow(counts))

take <- function(sums, rows) lapply(sums, function(part) part[, rows, drop = FALSE])

weights_of <- function(n) sweep(n, 2, pmax(colSums(n), 1), "/")

# The second side's share less the first's; each side is the sum over its groups.
difference_of <- function(first, second) {
  both <- Map(rbind, first, second)
  both$factor <- rbind(-weights_of(first$n), weights_of(second$n))
  both
}

estimate_of <- function(sums) {
  colSums(sums$factor * (sums$x / ifelse(sums$n > 0, sums$n, 1) - sums$chance) / sums$keep) + added_of(sums, "added")
}

added_of <- function(sums, name) if (is.null(sums[[name]])) 0 else sums[[name]][1, ]

sum_variance <- function(sums, received) {
  by <- sums$factor / sums$keep
  colSums(by^2 * received * (1 - received) / ifelse(sums$n > 0, sums$n, 1)) + added_of(sums, "added_variance")
}

sum_z <- function(sums, t, shared = FALSE) {
  received <- constrained(sums, t)
  by <- sums$factor / sums$keep
  spread <- received * (1 - received)
  n <- ifelse(sums$n > 0, sums$n, 1)
  variance <- sum_variance(sums, received)
  if (shared) variance <- variance + overlap(sums$n, shares_at(received, sums))
  standardised(estimate_of(sums) - t, variance, colSums(by^3 * spread * (1 - 2 * received) / n^2))
}

shares_at <- function(received, sums) clip((received - sums$chance) / sums$keep, 0, 1)

# How often each group shows the answer if its share is the likeliest with which the sum is t.
# The sum falls with the multiplier mu = 10 N u / (1 - u^2), which is searched.
constrained <- function(sums, t) {
  by <- sums$factor / sums$keep
  everybody <- 10 * matrix(colSums(sums$n), nrow(sums$n), ncol(sums$n), byrow = TRUE)
  most <- sums$chance + sums$keep
  none <- sums$n == 0
  multiplier <- function(u) u / pmax.int(1 - u^2, 1e-15)
  received_at <- function(u) {
    pull <- everybody * rep(multiplier(u), each = nrow(by)) * by
    b <- sums$n + pull
    root <- sqrt(clip(b^2 - 4 * pull * sums$x, 0, Inf))
    received <- choose_from(b > 0, 2 * sums$x / (b + root), (b - root) / (2 * pull))
    clip(choose_from(none, sums$chance, received), sums$chance, most)
  }
  added <- function(u) added_of(sums, "added") - everybody[1, ] * multiplier(u) * added_of(sums, "added_variance")
  above <- function(u) colSums(sums$factor * shares_at(received_at(u), sums)) + added(u) - t
  low <- rep(-1, length(t))
  # At the ends of the range of t rounding may leave the sum on the wrong side.
  received_at(find_root(above, low, -low, pmax(above(low), 0), pmin(above(-low), 0), exact = 1e-16, small = 1e-13))
}

# What the variance gains at most if the same people are on both sides, each of two groups, and their answers alternate.
overlap <- function(n, shares) {
  first <- weights_of(n[1:2, , drop = FALSE])[1, ]
  second <- weights_of(n[3:4, , drop = FALSE])[1, ]
  alternating <- function(g, h) shares[g, ] * shares[h, ] - pmax(shares[g, ] + shares[h, ] - 1, 0)
  gain <- function(both) {
    both * alternating(1, 3) + (first - both) * alternating(1, 4) + (second - both) * alternating(2, 3) +
      (1 - first - second + both) * alternating(2, 4)
  }
  most <- pmax(colSums(n[1:2, , drop = FALSE]), colSums(n[3:4, , drop = FALSE]))
  2 * pmax(gain(pmin(first, second)), gain(pmax(first + second - 1, 0))) / pmax(most, 1)
}
