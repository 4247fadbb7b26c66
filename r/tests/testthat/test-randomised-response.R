# Any data frame: figures that other packages and papers print, and laws worked out by hand.

near <- function(a, b, by) expect_lt(max(abs(a - b)), by)
studies <- jsonlite::fromJSON(test_path("published-studies.json"), simplifyVector = FALSE)$studies
names(studies) <- vapply(studies, `[[`, "", "name")
number <- function(text) eval(parse(text = text)[[1]])

test_that("each law says yes as often as its technique", {
  said <- function(law, share) law$chance + law$keep * share
  near(said(warner(0.8), 0.3), 0.3 * 0.8 + 0.7 * 0.2, 1e-12)
  near(1 - said(warner(0.2), 0.3), 0.3 * 0.2 + 0.7 * 0.8, 1e-12)
  near(said(unrelated_question(0.7, 0.1), 0.3), 0.7 * 0.3 + 0.3 * 0.1, 1e-12)
  near(said(forced_response(yes = 1 / 6, no = 2 / 6), 0.3), 0.5 * 0.3 + 1 / 6, 1e-12)
  expect_identical(unclass(crosswise(0.25))[1:3], unclass(warner(0.25))[1:3])
  near(said(kuk(yes = 0.7, no = 0.2), 0.3), 0.7 * 0.3 + 0.2 * 0.7, 1e-12)
  near(said(mangat(0.6), 0.3), 0.3 + 0.7 * 0.4, 1e-12)
  near(said(triangular(0.2), 0.3), 1 - 0.7 * 0.8, 1e-12)
  near(1 - said(negative_survey(4), 0.3), 0.7 / 3, 1e-12)
  expect_error(warner(0.5), "warner: p must leave a true answer")
  expect_error(warner(c(0.7, 0.8)), "warner: p must be a probability")
  expect_error(warner(NA), "warner: p must be a probability")
  expect_error(kuk(yes = 2, no = 0), "kuk: yes must be a probability")
  expect_error(negative_survey(2), "negative_survey: choices")
  expect_error(forced_response(1 / 6, 2 / 6), "name both")
  expect_output(print(warner(0.2)), "no is recorded as yes; amplification 4")
})

test_that("a formula has a row for each group, and takes answers as they come", {
  data <- data.frame(y = c("yes", "no", "yes", NA), sex = c("f", "f", "m", "m"), city = c(1, 2, 2, 1))
  data <- data[rep(1:4, c(30, 20, 10, 5)), ]
  table <- shares(y ~ sex, data, law = unrelated_question(0.5, 0.5))
  expect_equal(table$sex, c("f", "m"))
  expect_equal(table$n, c(50, 10))
  near(table$share, c((0.6 - 0.25) / 0.5, 1.5), 1e-12)
  same <- shares(factor(y) ~ 1, data, unrelated_question(0.5, 0.5))
  expect_equal(same$share, shares(I(y == "yes") ~ 1, data, unrelated_question(0.5, 0.5))$share)
  expect_equal(nrow(shares(y ~ sex + city, data, warner(0.8))), 3)
  expect_error(shares(y ~ 1, data), "law")
  expect_error(shares(y ~ 1, data.frame(y = 1:9), warner(0.8)), "0 and 1")
  expect_error(shares(cbind(yes, no) ~ 1, data.frame(yes = 0:1, no = 1:0), warner(0.8)), "count_shares")
  expect_error(shares(y ~ 1, data, warner(0.8), conf.level = 0.9), "no other arguments")
  expect_error(shares(y ~ 1, data, warner(0.8), weights = "none"), "no column")
  expect_error(share_interval(rbind(0, -1), rbind(0, 10), 0.6, 0.2), "from 0 to the number")
  expect_error(count_shares(-1, 10, warner(0.8)), "from 0 to the number")
})

# Wilson's interval of a half is 1/2 -+ z / (2 sqrt(n + z^2)), and as far again from 1/2 are the shares, of which half is received.
test_that("a level is a confidence level, by default .95 with 1.96", {
  law <- unrelated_question(0.5, 0.5)
  for (z in list(c(0.8, 1.2815515655), c(0.9, 1.644853627), c(0.95, 1.96), c(0.99, 2.5758293035))) {
    table <- count_shares(5e5, 1e6, law, z[1])
    near(c(table$low, table$high), 0.5 + c(-1, 1) * z[2] / sqrt(1e6 + z[2]^2), 1e-9)
  }
  expect_identical(count_shares(180, 500, law), count_shares(180, 500, law, 0.95))
  data <- data.frame(y = rep(1:0, c(180, 320)))
  expect_equal(shares(y ~ 1, data, law, level = 0.8)$low, count_shares(180, 500, law, 0.8)$low)
})

test_that("an interval covers as often as its level says, over all counts of 500 records", {
  law <- unrelated_question(0.5, 0.5)
  for (level in c(0.8, 0.9, 0.95, 0.99)) {
    table <- count_shares(0:500, 500, law, level)
    covers <- which(table$low <= 0.2 & table$high >= 0.2)
    near(sum(dbinom(covers - 1, 500, 0.25 + 0.5 * 0.2)), level, 0.015)
  }
})

test_that("what is no confidence level is refused", {
  words <- "level is a confidence level such as .95"
  for (level in list(1, 1.96, 95, 0, -0.95, NA, NaN, TRUE, "0.95", c(0.8, 0.9))) {
    expect_error(count_shares(30, 100, warner(0.8), level), words, fixed = TRUE)
    expect_error(share_interval(rbind(0, 30), rbind(0, 100), 0.6, 0.2, level = level), words, fixed = TRUE)
    expect_error(shares(y ~ 1, data.frame(y = 0:1), warner(0.8), level), words, fixed = TRUE)
  }
})

test_that("counts are numbers of records, one of which goes with each of the others", {
  law <- warner(0.8)
  expect_equal(count_shares(10, c(100, 50), law)$n, c(100, 50))
  expect_error(count_shares(1:2, c(100, 200, 300), law), "differ in length")
  expect_error(count_shares(1000, 640, law), "number of records")
  expect_error(count_shares(NA, 640, law), "number of records")
  expect_error(count_shares(0.64, 1000, law), "not shares")
  expect_error(compare_shares(30, 100, 50, 110, 0.6, 0.2), "name the law")
})

test_that("sides of a comparison have the shares of counts, whatever is recorded as yes", {
  table <- compare_shares(640, 1000, c(700, 500), 1000, warner(0.2))
  near(table$first, rep((0.64 - 0.8) / -0.6, 2), 1e-12)
  near(table$second, (c(0.7, 0.5) - 0.8) / -0.6, 1e-12)
  near(compare_shares(640, 1000, 300, 500, warner(0.2), warner(0.9))$second, (0.6 - 0.1) / 0.8, 1e-12)
})

test_that("a law without disguise has Clopper and Pearson's interval", {
  table <- count_shares(24, 768, forced_response(yes = 0, no = 0))
  near(c(table$low, table$high), binom.test(24, 768)$conf.int, 1e-9)
  table <- count_shares(24, 768, forced_response(yes = 0, no = 0), level = 0.8)
  near(c(table$low, table$high), binom.test(24, 768, conf.level = 0.8)$conf.int, 1e-9)
})

# Heck, D. W., Moshagen, M. (2018). RRreg: An R package for correlation and regression analyses of randomized response data.
# Journal of Statistical Software 85(2); its vignette prints Warner's model with p = .2, 1,000 people, pi .266667 and a
# standard error of .025311, which has n - 1 where ours has n. So 640 of them said yes.
test_that("the vignette of RRreg prints the same share and error", {
  data <- data.frame(response = rep(1:0, c(640, 360)))
  table <- shares(response ~ 1, data, law = warner(0.2))
  near(table$share, 0.266667, 1e-6)
  near(table$se * sqrt(1000 / 999), 0.025311, 1e-6)
})

# Blair, G., Imai, K., Zhou, Y.-Y. (2015). Design and analysis of the randomized response technique. Journal of the American
# Statistical Association 110(511); data set nigeria of the package rr.
test_that("forced response in Nigeria has the printed share and error", {
  item <- studies$nigeria$items[[1]]
  printed <- unlist(studies$nigeria$published)
  table <- count_shares(item$yes, item$n, forced_response(yes = 1 / 6, no = 1 / 6))
  near(c(table$share, table$se), printed, 5e-5)
})

test_that("the students' shares are those that the source prints", {
  for (item in studies$students$items) {
    printed <- unlist(studies$students$published[[item$question]])
    if (is.null(printed)) next
    table <- count_shares(item$yes, item$n, unrelated_question(item$p, number(item$noise)))
    near(table$share, printed[1], 5e-4)
    # Theirs is smaller, since their people are 710 of 10,777.
    expect_true(table$se > printed[2] && table$se < 1.01 * printed[2])
  }
})

# Hoeglinger, M., Jann, B. (2018). More is not always better. PLOS ONE 13(8): shares that the paper prints, to three places.
test_that("the validation study's shares are those that the paper prints", {
  printed <- list("tax evasion" = c(direct = 0.100, unrelated = 0.175, crosswise = 0.195, forced = 0.143),
                  "cheating dice game" = c(direct = 0.031, unrelated = 0.047, crosswise = 0.149, forced = -0.006))
  law_of <- function(item) switch(item$technique, crosswise = crosswise(item$p), direct = forced_response(yes = 0, no = 0),
                                  unrelated_question(item$p, item$noise))
  for (question in names(printed)) for (technique in names(printed[[question]])) {
    items <- Filter(function(item) item$question == question && item$technique == technique, studies$validation$items)
    tables <- do.call(rbind, lapply(items, function(item) count_shares(item$yes, item$n, law_of(item))))
    near(sum(tables$n * tables$share) / sum(tables$n), printed[[question]][[technique]], 5.1e-4)
  }
})
