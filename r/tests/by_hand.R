# Numbers worked out by hand.
library(candor)
near <- function(a, b, by = 1e-9) stopifnot(max(abs(a - b)) < by)

design <- read_design('{"format": "candor-design/1", "direct": "0.5", "sections": [
  {"kind": "plain", "questions": [{"name": "sex", "choices": ["f", "m"]}]},
  {"kind": "unrelated-question", "keep": "0.5", "questions": [{"name": "theft", "choices": ["no", "yes"]}]},
  {"kind": "crosswise", "questions": [{"name": "tax", "choices": ["no", "yes"], "share": "0.25"}]}]}')
stopifnot(design$arms, identical(design$answers$chance, c(0, 0, 0.25, 0.25, 0.25, 0.25)))

file <- tempfile(fileext = ".csv")
rows <- c("disguised,f,yes,yes" = 36, "disguised,f,no,yes" = 4, "disguised,m,yes,no" = 34, "disguised,m,no,no" = 26,
          "direct,?,yes,no" = 30, "direct,?,no,no" = 70)
writeLines(c("group,sex,theft,tax", rep(names(rows), rows)), file)
records <- read_records(file, design)

# 70 of 100 disguised records say yes: .7 = .5 s + .25. Nobody direct counts.
told <- shares(design, records)
near(told$support[told$item == "theft=yes"], 0.9)
stopifnot(all(told$n_asked == 100), all(told$n_open == 0))

# The ends are where the difference is 1.96 standard errors, here .0001.
ends <- share_interval(rbind(0, 5e7), rbind(0, 1e8), 0.5, 0.25)
near(ends, 0.5 + c(-1.96, 1.96) * 1e-4, 1e-7)

# Of 1,000 people noise alone gives 250 the answer: one contradicts that.
stopifnot(all(is.na(share_interval(rbind(0, 1), rbind(0, 1000), 0.5, 0.25))))

arms <- compare_arms(design, records)
near(arms$difference[arms$item == "theft=yes"], 0.9 - 0.3)
near(arms$holm, sort(arms$p) * 2:1)

# 36 of 40 women and 34 of 60 men sent yes: 1.3 and .6333 before the disguise, and no logit reaches 1.3.
linear <- fit_model(design, records, "theft=yes", "sex")$coefficients
near(linear$b, c(1.3, -2 / 3))
stopifnot(inherits(try(fit_model(design, records, "theft=yes", "sex", logit = TRUE), silent = TRUE), "try-error"))

# Equal counts differ by nothing; the same people on both sides only widen the interval.
equal <- compare_shares(30, 100, 30, 100)
near(c(equal$difference, 1 - equal$p, equal$low + equal$high), 0)
# Counts whose likeliest shares at t = 1 depend on rounding; Candor says .98306284.
near(compare_shares(15, 52, 44, 124, 0.2015, 0.14796205)$high, 0.98306284, 1e-6)

sides <- list(rbind(30, 40), rbind(100, 100), rbind(60, 50), rbind(100, 100), c(1), 0)
alone <- do.call(compare_shares, sides)
both <- do.call(compare_shares, c(sides, shared = TRUE))
stopifnot(both$low < alone$low, both$high > alone$high)

# 70 sent both yes: 36 + 34, but only 40 said yes to tax. z of theft and of tax, 1.5 or -.5 each: 36 * 2.25 - (34 + 4) * .75 + 26 * .25.
both <- supports(design, records, list(c("theft=yes", "tax=yes"), c("sex=f", "theft=yes")))
near(both$support, c((36 * 2.25 - 38 * 0.75 + 26 * 0.25) / 100, (36 * 1.5 - 4 * 0.5) / 100))
near(both$pooled, both$support)

# One limit, always drawn: half of the numbers are kept, half of the others are at least 100. 120 of 300 are: .4 = .5 s + .25.
number <- read_design('{"format": "candor-design/1", "sections": [{"kind": "number", "keep": "0.5", "questions": [
  {"name": "debt", "law": "classes", "limits": [100], "low": 0, "high": 100, "step": 100, "cuts": 1}]}]}')
writeLines(c("group,debt", rep(c("disguised,<100", "disguised,>=100"), c(180, 120))), file)
told <- read_records(file, number)
near(score_shares(number, told)$support, c(0.3, 0.7))
near(averages(number, told)$mean, 30)

# Sets of one of four choices: a quarter by chance, .55 where it is true. 100 of 300 are a: 1 / 3 = .55 s + .15 (1 - s).
sets <- read_design('{"format": "candor-design/1", "sections": [{"kind": "subset", "keep": "0.55", "size": 1,
  "questions": [{"name": "drug", "choices": ["a", "b", "c", "d"]}]}]}')
writeLines(c("group,drug", rep(paste0("disguised,", c("a", "b", "c", "d")), c(100, 80, 70, 50))), file)
near(score_shares(sets, read_records(file, sets))$support[1], (1 / 3 - 0.15) / 0.4)

writeLines(c("group,sex,theft,tax", "disguised,f,maybe,no"), file)
refusal <- try(read_records(file, design), silent = TRUE)
stopifnot(grepl("maybe", refusal), grepl("theft", refusal))
