# Reference figures for the models and weighted shares of docs/mathematics.md, Studies, by other people's methods:
# the R package survey for weights, and for logits the likelihood that RRlog of the R package RRreg maximises
# (Warner and unrelated questions with a known share: P(yes recorded) = keep * plogis(x b) + (1 - keep) * theta).
# Rscript reference.R > reference.json, with r-base-core and r-cran-survey of Debian 12.
suppressPackageStartupMessages(library(survey))

patterns <- expand.grid(sex = factor(0:1), age = factor(0:2))  # sex fastest
records <- function(n, yes) {
  row <- rep(seq_along(n), n)
  has <- unlist(mapply(function(some, of) rep(c(1, 0), c(some, of - some)), yes, n, SIMPLIFY = FALSE))
  data.frame(patterns[row, ], pattern = factor(row), y = has)
}

settings <- list(
  list(n = c(150, 160, 190, 210, 140, 150), yes = c(55, 66, 88, 101, 75, 84), keep = .6923, theta = .5,
       age = c(.35, .40, .25), sex = c(.48, .52)),
  list(n = c(90, 310, 220, 80, 160, 140), yes = c(20, 101, 60, 31, 61, 58), keep = .8, theta = .2,
       age = c(.30, .45, .25), sex = c(.55, .45)),
  list(n = c(400, 250, 300, 500, 350, 200), yes = c(140, 101, 118, 236, 140, 96), keep = .5, theta = .5,
       age = c(.40, .30, .30), sex = c(.5, .5))
)

weighted <- function(of) {
  data <- records(of$n, of$yes)
  data$z <- (data$y - (1 - of$keep) * of$theta) / of$keep
  one <- svydesign(ids = ~1, weights = ~1, data = data)
  total <- nrow(data)
  age <- data.frame(age = factor(0:2), Freq = of$age * total)
  sex <- data.frame(sex = factor(0:1), Freq = of$sex * total)
  both <- data.frame(pattern = factor(1:6), Freq = as.vector(outer(of$sex, of$age)) * total)
  raked <- rake(one, list(~age, ~sex), list(age, sex), control = list(maxit = 200, epsilon = 1e-9))
  said <- function(design) { found <- svymean(~z, design); list(share = coef(found)[[1]], se = SE(found)[[1]]) }
  list(raked = said(raked), post_stratified = said(postStratify(one, ~pattern, both)),
       unweighted = said(one))
}

logit <- function(of) {
  data <- records(of$n, of$yes)
  X <- model.matrix(~ age + sex, data)
  law <- function(b) of$keep * plogis(drop(X %*% b)) + (1 - of$keep) * of$theta
  minus <- function(b) { p <- law(b); -sum(log(ifelse(data$y == 1, p, 1 - p))) }
  slope <- function(b) {
    mu <- plogis(drop(X %*% b)); p <- law(b)
    -drop(t(X) %*% ((data$y - p) / (p * (1 - p)) * of$keep * mu * (1 - mu)))
  }
  found <- optim(rep(0, ncol(X)), minus, slope, method = "BFGS", hessian = TRUE,
                 control = list(reltol = 1e-14, maxit = 1000))
  stopifnot(found$convergence == 0)
  list(names = c("1", "age=1", "age=2", "sex=1"), b = found$par, se = sqrt(diag(solve(found$hessian))))
}

json <- function(value) {
  if (is.list(value)) {
    said <- vapply(value, json, "")
    if (is.null(names(value))) return(paste0("[", paste(said, collapse = ", "), "]"))
    return(paste0("{", paste0('"', names(value), '": ', said, collapse = ", "), "}"))
  }
  said <- if (is.character(value)) paste0('"', value, '"') else formatC(value, digits = 10, format = "g", width = 1)
  if (length(value) == 1) said else paste0("[", paste(said, collapse = ", "), "]")
}
made <- lapply(settings, function(of) c(of, list(weighted = weighted(of), logit = logit(of))))
cat(json(list(made_with = paste0("R ", getRversion(), ", survey ", packageVersion("survey")), settings = made)), "\n")
