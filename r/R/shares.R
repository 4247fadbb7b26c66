# Shares of answers, of open and disguised records together (docs/mathematics.md, Estimators and Score test).

# Counts are matrices of group (open, disguised) by answer; `keep` and `chance` are the law of the disguised group.
share_interval <- function(having, asked, keep, chance, shown = asked, level = 0.95) {
  critical_z <- critical_z_of(level)
  counts <- list(having = having, asked = asked, shown = shown)
  rows <- NCOL(asked)
  fits <- vapply(counts, function(part) identical(dim(part), c(2L, rows)), NA)
  if (!all(fits, c(length(keep), length(chance)) %in% c(1, rows))) {
    stop("having, asked and shown have a row for undisguised and one for disguised people, and a column for each keep and chance",
         call. = FALSE)
  }
  if (!isTRUE(all(having >= 0 & having <= shown & shown <= asked))) {
    stop("having must be from 0 to the number of records", call. = FALSE)
  }
  test <- support_test(counts, rep_len(keep, rows), rep_len(chance, rows))
  score_interval(function(rows, t) support_z(test, rows, t), rep(0, rows), rep(1, rows), critical_z)
}

# The critical value of intervals with this confidence level.
critical_z_of <- function(level) {
  if (!is.numeric(level) || length(level) != 1 || !isTRUE(level > 0 && level < 1)) {
    stop("level is a confidence level such as .95", call. = FALSE)
  }
  if (level == 0.95) NORMAL_95 else -qnorm((1 - level) / 2)
}

# Disguised people have noise with probability 1 - keep; chance is how often noise alone shows the answer.
# Records before the disguise are of two classes: with the answer and without it. By group and row:
support_test <- function(counts, keep, chance) {
  law <- function(open, disguised) rbind(rep(open, length(keep)), disguised)
  p <- law(1, keep)
  chance <- law(0, chance)
  q <- ifelse(p < 1, chance / (1 - p), 0)
  n <- counts$asked
  at_least_1 <- pmax(n, 1)
  shown <- counts$shown / at_least_1
  having <- counts$having / at_least_1
  # Shares before the disguise, negative ones set to 0: the answer does not apply, is another one, is this one.
  none <- (n > 0) * (1 - shown) * (1 - (1 - p) * (1 - q)) / p
  other <- pmax((shown - having - (1 - p) * shown * (1 - q)) / p, 0)
  this <- pmax((having - (1 - p) * shown * q) / p, 0)
  total <- none + other + this
  share <- this / ifelse(total > 0, total, 1)
  without <- none + other
  # Of those without the answer, how many have another one. If there are none of them: all, unless a rule hides it.
  hides <- matrix(colSums(counts$shown < n) > 0, 2, ncol(n), byrow = TRUE)
  others <- ifelse(without > 0, other / ifelse(without > 0, without, 1), 1 * !hides)
  inside <- (1 - chance) / p
  outside <- -chance / p
  with_it <- 1 - (1 - p) * (1 - q)
  powers <- 1:3
  list(n = n, records = colSums(n), share = share, slope = p, inside = inside, outside = outside,
       having = colSums(counts$having), lacking = colSums(n - counts$having),
       estimate = colSums(n * (having * inside + (shown - having) * outside)) / pmax(colSums(n), 1),
       square = colSums(n * (having * inside^2 + (shown - having) * outside^2)) / pmax(colSums(n), 1),
       with = lapply(powers, function(k) with_it * inside^k + (1 - with_it) * outside^k),
       without = lapply(powers, function(k) others * ((1 - chance) * outside^k + chance * inside^k)),
       shows_with = with_it, shows_without = others * chance)
}

support_z <- function(test, rows, t) {
  of <- function(part) part[, rows, drop = FALSE]
  by_group <- function(value) matrix(value, 2, length(rows), byrow = TRUE)
  n <- of(test$n)
  records <- test$records[rows]
  weight <- n / by_group(pmax(records, 1))
  mean_of <- function(k, share) share * of(test$with[[k]]) + (1 - share) * of(test$without[[k]])
  at_t <- by_group(clip(t, 0, 1))
  variance <- ifelse(weight > 0, mean_of(2, at_t) - mean_of(1, at_t)^2, 0)
  total <- by_group(colSums(weight * variance))
  step <- ifelse(total == 0, 1, variance / ifelse(total == 0, 1, total))
  # The shares of the groups whose weighted sum is t.
  wanted <- clip(t, 0, 1)
  gap <- colSums(weight * of(test$share)) - wanted
  moved <- clip(of(test$share) - by_group(gap) * step, 0, 1)
  for (group in 2:1) {
    rest <- (wanted - weight[3 - group, ] * moved[3 - group, ]) / pmax(weight[group, ], 1e-300)
    moved[group, ] <- ifelse(weight[group, ] > 0, clip(rest, 0, 1), moved[group, ])
  }
  s <- lapply(1:3, function(k) colSums(weight * mean_of(k, moved)))
  third <- s[[3]] - 3 * s[[1]] * s[[2]] + 2 * s[[1]]^3
  # The variance among the received records, the count of the answer lowered to t.
  lowering <- test$estimate[rows] - t
  slope <- of(test$slope) * weight * step
  inside <- of(test$inside)
  outside <- of(test$outside)
  y1 <- test$estimate[rows] - colSums(slope * (inside - outside)) * lowering
  y2 <- test$square[rows] - colSums(slope * (inside^2 - outside^2)) * lowering
  square <- pmax(s[[2]] - s[[1]]^2, y2 - y1^2) / records
  z <- standardised(lowering, square, third / records^2)
  # With at most three records of a kind the Poisson probability bounds z.
  shows <- moved * of(test$shows_with) + (1 - moved) * of(test$shows_without)
  expected <- colSums(n * shows)
  few <- test$having[rows] <= 3 & z > 0
  z[few] <- pmin(z, z_of_fewer(test$having[rows], expected))[few]
  few <- test$lacking[rows] <= 3 & z < 0
  z[few] <- -pmin(-z, z_of_fewer(test$lacking[rows], records - expected))[few]
  z
}

# The share of every answer among the records asked it, with its standard error and 95 % interval; where a rule may hide
# the question also among those shown it. Of a survey with arms: of the disguised arm.
shares <- function(x, ...) UseMethod("shares")

shares.candor_design <- function(x, records, items = x$answers$item, ...) {
  if (...length()) stop("shares of a design takes records and items alone", call. = FALSE)
  design <- x
  answers <- answers_named(design, items)
  counts <- answer_counts(answers, records)
  if (design$arms) counts <- lapply(counts, function(part) part * c(0, 1))
  withheld <- answers$kind == "place" & !design$arms
  counts <- lapply(counts, function(part) { part[1, withheld] <- 0; part })
  # Answers that nothing disguises need ten records of a group that was asked.
  plain <- answers$noise == 0
  telling <- function(part) ifelse(matrix(plain, 2, length(plain), byrow = TRUE), counts$having, part)
  is_enough <- enough(counts$asked, telling(counts$asked))
  test <- support_test(counts, answers$keep, answers$chance)
  share <- test$estimate
  share[!is_enough] <- NA
  asked <- colSums(counts$asked)
  shown <- colSums(counts$shown)
  interval <- intervals_of(counts, answers, is_enough)
  told <- is_enough & answers$hidden & enough(counts$shown, telling(counts$shown))
  among_shown <- intervals_of(list(having = counts$having, asked = counts$shown, shown = counts$shown), answers, told)
  data.frame(item = answers$item, n_asked = asked, n_open = counts$asked[1, ], shown = shown, support = share,
             se = sqrt(pmax(test$square - share^2, 0) / pmax(asked, 1)), interval,
             share_shown = ifelse(told, share * asked / shown, NA),
             low_shown = among_shown[, 1], high_shown = among_shown[, 2])
}

intervals_of <- function(counts, answers, is_enough) {
  ends <- matrix(NA_real_, nrow(answers), 2, dimnames = list(NULL, c("low", "high")))
  exact <- which(is_enough & !answers$sensitive)
  ends[exact, ] <- exact_interval(colSums(counts$having)[exact], colSums(counts$asked)[exact])
  tested <- which(is_enough & answers$sensitive)
  if (length(tested)) {
    part <- lapply(counts, function(part) part[, tested, drop = FALSE])
    ends[tested, ] <- share_interval(part$having, part$asked, answers$keep[tested], answers$chance[tested], part$shown)
  }
  ends
}
