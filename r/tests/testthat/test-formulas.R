# Formulas of any data frame, by hand; tests/r/test_formulas.py compares random ones with Python.

near <- function(a, b, by = 1e-9) expect_lt(max(abs(a - b)), by)
half <- unrelated_question(0.5, 0.5)
data <- data.frame(sex = rep(c("f", "m"), each = 100), theft = rep(c(1, 0, 1, 0), c(36, 64, 60, 40)))

test_that("a result says what it is and what it leaves out", {
  missing <- data
  missing$theft[1:3] <- NA
  table <- shares(theft ~ sex, missing, half)
  expect_equal(attr(table, "left_out"), c("no theft" = 3L))
  expect_equal(attr(table, "n"), 197)
  expect_output(print(table), "left out: 3 for no theft.*score intervals")
  expect_output(summary(table), "level 0.95")
  expect_equal(tidy(shares(theft ~ sex, data, half))$estimate, count_shares(c(36, 60), 100, half)$share)
})

test_that("several answers have a law each, and weights count", {
  both <- cbind(data, lying = 1, w = ifelse(data$sex == "f", 3, 1))
  table <- shares(theft + lying ~ 1, both, list(theft = half, lying = warner(0.9)), weights = "w")
  near(table$share, c((0.42 - 0.25) / 0.5, (1 - 0.1) / 0.8))
  near(table$effective, 160)
})

test_that("two samples tell the share of an unknown question", {
  samples <- data.frame(s = rep(c("A", "B"), each = 1000), theft = rep(c(1, 0, 1, 0), c(320, 680, 480, 520)))
  near(shares(theft ~ 1, samples, list(A = unrelated_question(0.7), B = unrelated_question(0.3)), law_by = "s")$share, 0.2)
  expect_error(shares(theft ~ 1, samples, unrelated_question(0.7)), "two samples")
})

test_that("a difference is that of the counts, and a model has the shares", {
  near(differences(theft ~ sex, data, half)$p, compare_shares(36, 100, 60, 100, half)$p)
  near(regress(theft ~ sex, data, half)$b, c(0.22, 0.48))
  near(regress(theft ~ sex, data, half, "logit")$b, c(qlogis(0.22), qlogis(0.7) - qlogis(0.22)))
})
