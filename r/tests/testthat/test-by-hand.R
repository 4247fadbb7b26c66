# Numbers worked out by hand.

near <- function(a, b, by = 1e-9) expect_lt(max(abs(a - b)), by)

design <- read_design('{"format": "candor-design/1", "direct": "0.5", "sections": [
  {"kind": "plain", "questions": [{"name": "sex", "choices": ["f", "m"]}]},
  {"kind": "unrelated-question", "keep": "0.5", "questions": [{"name": "theft", "choices": ["no", "yes"]}]},
  {"kind": "crosswise", "questions": [{"name": "tax", "choices": ["no", "yes"], "share": "0.25"}]}]}')

read <- function(design, lines) {
  file <- tempfile(fileext = ".csv")
  writeLines(lines, file)
  read_records(file, design)
}

rows <- c("disguised,f,yes,yes" = 36, "disguised,f,no,yes" = 4, "disguised,m,yes,no" = 34, "disguised,m,no,no" = 26,
          "direct,?,yes,no" = 30, "direct,?,no,no" = 70)
records <- read(design, c("group,sex,theft,tax", rep(names(rows), rows)))

test_that("a design has the law of each answer", {
  expect_true(design$arms)
  expect_equal(design$answers$chance, c(0, 0, 0.25, 0.25, 0.25, 0.25))
})

test_that("a share is what was received, without chance; nobody direct counts", {
  # 70 of 100 disguised records say yes: .7 = .5 s + .25.
  found <- shares(design, records)
  near(found$support[found$item == "theft=yes"], 0.9)
  expect_true(all(found$n_asked == 100))
  expect_true(all(found$n_open == 0))
})

test_that("the ends of an interval are where the difference is 1.96 standard errors", {
  # One of them is .0001 here.
  ends <- share_interval(rbind(0, 5e7), rbind(0, 1e8), 0.5, 0.25)
  near(ends, 0.5 + c(-1.96, 1.96) * 1e-4, 1e-7)
  near(share_interval(rbind(0, 5e7), rbind(0, 1e8), 0.5, 0.25, level = 0.9), 0.5 + c(-1.644854, 1.644854) * 1e-4, 1e-9)
})

test_that("an interval needs a row of counts for undisguised and one for disguised people", {
  expect_error(share_interval(640, 1000, 0.5, 0.25), "a row for undisguised")
  expect_error(share_interval(c(640, 500), c(1000, 1000), 0.5, 0.25), "a row for undisguised")
  expect_error(share_interval(rbind(0, 1:3), rbind(0, 4:6), c(0.5, 0.6), 0.25), "a column for each keep")
})

test_that("counts that contradict each other have no interval", {
  # Of 1,000 people noise alone gives 250 the answer.
  expect_true(all(is.na(share_interval(rbind(0, 1), rbind(0, 1000), 0.5, 0.25))))
})

test_that("arms differ by the shares of both", {
  arms <- compare_arms(design, records)
  near(arms$difference[arms$item == "theft=yes"], 0.9 - 0.3)
  near(arms$holm, sort(arms$p) * 2:1)
})

test_that("a linear model has the shares of the classes, and no logit reaches 1.3", {
  # 36 of 40 women and 34 of 60 men sent yes: 1.3 and .6333 before the disguise.
  near(fit_model(design, records, "theft=yes", "sex")$coefficients$b, c(1.3, -2 / 3))
  expect_error(fit_model(design, records, "theft=yes", "sex", logit = TRUE), "cannot be estimated")
})

test_that("equal counts differ by nothing, and the same people on both sides widen the interval", {
  equal <- compare_shares(30, 100, 30, 100, unrelated_question(0.5, 0.5))
  near(c(equal$difference, 1 - equal$p, equal$low + equal$high), 0)
  # Counts whose likeliest shares at t = 1 depend on rounding; Candor says .98306284.
  near(compare_shares(15, 52, 44, 124, response_law(0.2015, 0.14796205))$high, 0.98306284, 1e-6)
  alone <- compare_shares(300, 1000, 350, 1000, warner(0.8))
  both <- compare_shares(300, 1000, 350, 1000, warner(0.8), shared = TRUE)
  expect_lt(both$low, alone$low)
  expect_gt(both$high, alone$high)
})

test_that("a support is the mean product of scores", {
  # 70 sent both yes: 36 + 34, but only 40 said yes to tax. z of theft and of tax, 1.5 or -.5 each.
  both <- supports(design, records, list(c("theft=yes", "tax=yes"), c("sex=f", "theft=yes")))
  near(both$support, c((36 * 2.25 - 38 * 0.75 + 26 * 0.25) / 100, (36 * 1.5 - 4 * 0.5) / 100))
  near(both$pooled, both$support)
})

test_that("a number is estimated from the scores of its codes", {
  # One limit, always drawn: half of the numbers are kept, half of the others are at least 100. 120 of 300 are: .4 = .5 s + .25.
  number <- read_design('{"format": "candor-design/1", "sections": [{"kind": "number", "keep": "0.5", "questions": [
    {"name": "debt", "law": "classes", "limits": [100], "low": 0, "high": 100, "step": 100, "cuts": 1}]}]}')
  told <- read(number, c("group,debt", rep(c("disguised,<100", "disguised,>=100"), c(180, 120))))
  near(score_shares(number, told)$support, c(0.3, 0.7))
  near(averages(number, told)$mean, 30)
})

test_that("a set of choices is estimated from how often it holds each", {
  # A quarter by chance, .55 where it is true. 100 of 300 are a: 1 / 3 = .55 s + .15 (1 - s).
  sets <- read_design('{"format": "candor-design/1", "sections": [{"kind": "subset", "keep": "0.55", "size": 1,
    "questions": [{"name": "drug", "choices": ["a", "b", "c", "d"]}]}]}')
  told <- read(sets, c("group,drug", rep(paste0("disguised,", c("a", "b", "c", "d")), c(100, 80, 70, 50))))
  near(score_shares(sets, told)$support[1], (1 / 3 - 0.15) / 0.4)
})

test_that("a covariate that is a number is among the covariates", {
  expect_error(fit_model(design, records, "theft=yes", "sex", numbers = "age"), "not among the covariates")
})

test_that("a threshold is a share, no percent", {
  expect_error(itemsets(design, records, 10), "min_support must be above 0 and at most 1")
  expect_error(rules(design, records, 0.1, 60), "min_confidence must be above 0 and at most 1")
})

test_that("shares of a design have no level", {
  expect_error(shares(design, records, level = 0.9), "records and items alone")
})

test_that("a cell that the design does not know is refused with its place", {
  expect_error(read(design, c("group,sex,theft,tax", "disguised,f,maybe,no")), "maybe.*theft")
})

test_that("rules of plain answers are those of the table", {
  plain <- read_design('{"format": "candor-design/1", "sections": [{"kind": "plain", "questions": [
    {"name": "a", "choices": ["no", "yes"]}, {"name": "b", "choices": ["no", "yes"]}]}]}')
  told <- read(plain, c("group,a,b", rep(c("disguised,yes,yes", "disguised,yes,no", "disguised,no,yes", "disguised,no,no"),
                                         c(30, 10, 20, 40))))
  found <- itemsets(plain, told, 0.3)
  expect_equal(found$itemset, c("b=yes", "a=yes", "a=yes b=yes"))
  near(found$support, c(0.5, 0.4, 0.3))
  rule <- rules(plain, told, 0.3, 0.7)
  expect_equal(c(rule$antecedent, rule$consequent), c("a=yes", "b=yes"))
  near(c(rule$confidence, rule$lift), c(0.75, 1.5))
  expect_true(rule$confidence_low < 0.75 && 0.75 < rule$confidence_high && rule$lift_low > 1)
})

test_that("rules of pairs are a list before that of larger itemsets, whatever their p", {
  many <- read_design('{"format": "candor-design/1", "sections": [{"kind": "plain", "questions": [
    {"name": "a", "choices": ["no", "yes"]}, {"name": "b", "choices": ["no", "yes"]}, {"name": "c", "choices": ["no", "yes"]}]}]}')
  # Of pairs little goes together; all who say yes to a and to b say yes to c.
  told <- read(many, c("group,a,b,c", rep(c("disguised,yes,yes,yes", "disguised,yes,no,no", "disguised,no,yes,no", "disguised,no,no,yes"),
                                          c(30, 20, 20, 30))))
  found <- rules(many, told, 0.1, 0.1)
  sizes <- lengths(strsplit(paste(found$antecedent, found$consequent), " "))
  expect_equal(found$list, ifelse(sizes > 2, "larger", "pairs"))
  expect_equal(found$list, sort(found$list, decreasing = TRUE))
  expect_true(min(found$p[found$list == "larger"]) < min(found$p[found$list == "pairs"]))
  for (of in split(found$p, found$list)) expect_false(is.unsorted(of))
})

test_that("nothing is found where no answer is frequent enough", {
  expect_equal(nrow(itemsets(design, records, 1)), 0)
  expect_null(rules(design, records, 1, 0.5))
})

test_that("rules that hide a question leave out what they settle", {
  hidden <- read_design('{"format": "candor-design/1", "sections": [{"kind": "plain", "questions": [
    {"name": "work", "choices": ["employed", "not"]},
    {"name": "late", "choices": ["no", "yes"], "show_if": {"work": ["employed"]}}]}]}')
  told <- read(hidden, c("group,work,late", rep(c("disguised,employed,yes", "disguised,employed,no", "disguised,not,-"), 40)))
  expect_false(any(grepl(" ", itemsets(hidden, told, 0.1)$itemset)))
})
