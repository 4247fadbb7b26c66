# Models of the share of a sensitive answer among plain covariates (docs/mathematics.md, Models).

LARGEST_PREDICTOR <- 15
FAR <- 30
LARGEST_CONDITION <- 1e10

# `on`: plain questions, and "arm" where both arms are wanted; `numbers`: those taken as the number of their choice;
# `products`: as "age*sex"; `among`: answers to plain questions that all these records have.
fit_model <- function(design, records, item, on, numbers = NULL, products = NULL, among = NULL, logit = FALSE) {
  answer <- answers_named(design, item)
  if (!answer$sensitive) stop(item, " is not disguised: name an answer to a sensitive question", call. = FALSE)
  patterns <- patterns_of(design, records, answer, on, among)
  if (sum(patterns$n) < LEAST_BASE) {
    stop("fewer than 50 records answer the item and all covariates: choose others", call. = FALSE)
  }
  other <- setdiff(numbers, on)
  if (length(other)) stop(dQuote(other[1]), " is not among the covariates", call. = FALSE)
  columns <- columns_of(design, patterns$codes, on, numbers, products)
  check_collinear(columns$w, patterns$n)
  link <- if (logit) logit_link else linear_link
  b <- link$solve(patterns, columns$w, NULL)
  mu <- link$mean(columns$w %*% b)
  hessian <- gram(columns$w, patterns$n * link$slope(mu))
  bread <- solve(hessian)
  k <- ncol(columns$w)
  n <- sum(patterns$n)
  variance <- bread %*% gram(columns$w, squares(patterns, mu)) %*% bread * (n / (n - k))
  fit <- list(b = b, hessian = hessian, variance = variance, link = link)
  p_of <- function(chosen) p_of_columns(fit, patterns, columns$w, chosen)
  se <- sqrt(diag(variance))
  of <- colnames(columns$w)
  terms <- setdiff(unique(columns$terms), "1")
  list(coefficients = data.frame(of = of, n = n, b = b, se = se, low = b - NORMAL_95 * se, high = b + NORMAL_95 * se,
                                 p = vapply(seq_len(k), function(i) p_of(seq_len(k) == i), 0), row.names = NULL),
       terms = data.frame(of = terms, df = vapply(terms, function(term) sum(columns$terms == term), 0L),
                          p = vapply(terms, function(term) p_of(columns$terms == term), 0), row.names = NULL))
}

# The combinations of choices that occur: their codes, number of records, sums of scores and of squares of scores.
patterns_of <- function(design, records, answer, on, among) {
  questions <- setdiff(on, if (design$arms) "arm")
  sensitive <- vapply(design$questions[questions], function(question) is.null(question) || question$sensitive, TRUE)
  if (any(sensitive)) stop(dQuote(questions[sensitive][1]), " is no plain question of the design", call. = FALSE)
  codes <- records$codes[[answer$question]]
  used <- (records$disguised | "arm" %in% on & design$arms) & codes %in% seq_along(records$disguised)
  used <- used & Reduce(`&`, lapply(records$codes[questions], function(code) code %in% seq_along(code)), TRUE)
  for (row in seq_along(among)) {
    plain <- answers_named(design, among[row])
    used <- used & records$codes[[plain$question]] %in% plain$code
  }
  chosen <- c(records$codes[questions], list(arm = records$disguised + 1))[on]
  chosen <- as.data.frame(lapply(chosen, function(code) code[used]), col.names = on, check.names = FALSE)
  disguised <- records$disguised[used]
  z <- ((codes[used] == answer$code) - disguised * answer$chance) / ifelse(disguised, answer$keep, 1)
  key <- do.call(paste, c(list(""), chosen))
  first <- !duplicated(key)
  sums <- function(values) as.vector(rowsum(values, match(key, key[first]), reorder = TRUE))
  list(codes = chosen[first, , drop = FALSE], n = sums(rep(1, length(z))), first = sums(z), second = sums(z^2))
}

# An indicator for each choice but the first, the number of a choice from 0, or products of two covariates.
columns_of <- function(design, codes, on, numbers, products) {
  main <- lapply(on, function(name) {
    code <- codes[[name]]
    if (name %in% c(numbers, "arm")) return(matrix(code - 1, dimnames = list(NULL, name)))
    choices <- design$questions[[name]]$choices
    indicators <- outer(code, seq_along(choices)[-1], "==") + 0
    colnames(indicators) <- paste0(name, "=", choices[-1])
    indicators
  })
  names(main) <- on
  times <- lapply(products, function(product) {
    sides <- main[on %in% strsplit(product, "*", fixed = TRUE)[[1]]]
    if (length(sides) != 2) stop(product, " is no product of two covariates: write it as age*sex", call. = FALSE)
    do.call(cbind, lapply(colnames(sides[[1]]), function(name) {
      product <- sides[[1]][, name] * sides[[2]]
      colnames(product) <- paste0(name, "*", colnames(sides[[2]]))
      product
    }))
  })
  parts <- c(list(matrix(1, nrow(codes), 1, dimnames = list(NULL, "1"))), unname(main), times)
  list(w = do.call(cbind, parts), terms = rep(c("1", on, products), vapply(parts, ncol, 0L)))
}

check_collinear <- function(w, n) {
  columns <- sqrt(n) * w
  if (qr(columns, tol = 1e-9)$rank < ncol(w)) {
    stop("a covariate follows from the others: leave it out", call. = FALSE)
  }
}

# SUM w w' weight.
gram <- function(w, weight) crossprod(w * sqrt(as.vector(weight)))

# SUM (z - mu)^2 by pattern; rounding may leave it a little below 0.
squares <- function(patterns, mu) pmax(patterns$second - mu * (2 * patterns$first - mu * patterns$n), 0)

linear_link <- list(
  mean = as.vector, slope = function(mu) rep(1, length(mu)),
  solve = function(patterns, w, start) as.vector(solve(gram(w, patterns$n), crossprod(w, patterns$first)))
)

logit_link <- list(
  mean = function(predictor) plogis(as.vector(predictor)), slope = function(mu) mu * (1 - mu),
  solve = function(patterns, w, start) maximum(patterns, w, start)
)

# Newton's method with halving: SUM z w'b - ln(1 + exp(w'b)) is concave for every z.
maximum <- function(patterns, w, start) {
  value_at <- function(predictor) sum(patterns$first * predictor) - sum(patterns$n * -plogis(-predictor, log.p = TRUE))
  b <- if (is.null(start)) rep(0, ncol(w)) else start
  predictor <- as.vector(w %*% b)
  value <- value_at(predictor)
  for (round in 1:50) {
    mu <- plogis(predictor)
    hessian <- gram(w, patterns$n * mu * (1 - mu))
    step <- tryCatch(as.vector(solve(hessian, crossprod(w, patterns$first - patterns$n * mu))), error = function(e) NULL)
    if (is.null(step)) no_maximum()
    change <- as.vector(w %*% step)
    if (max(abs(change)) < 1e-5) {
      scale <- sqrt(diag(hessian))
      values <- range(eigen(hessian / outer(scale, scale), symmetric = TRUE, only.values = TRUE)$values)
      if (max(abs(predictor + change)) > LARGEST_PREDICTOR || values[2] > LARGEST_CONDITION * values[1]) no_maximum()
      return(b + step)
    }
    for (halving in 1:40) {
      moved <- value_at(predictor + change)
      if (moved >= value) break
      step <- step / 2
      change <- change / 2
    }
    b <- b + step
    predictor <- predictor + change
    value <- moved
    if (max(abs(predictor)) > FAR) break
  }
  no_maximum()
}

no_maximum <- function() {
  stop("cannot be estimated: some of these people look like nobody or everybody, so read the linear model", call. = FALSE)
}

# Of a linear model Wald's test, of a logit the score test at the fit without the chosen columns.
p_of_columns <- function(fit, patterns, w, chosen) {
  if (identical(fit$link, linear_link)) {
    b <- fit$b[chosen]
    statistic <- sum(b * solve(fit$variance[chosen, chosen, drop = FALSE], b))
    return(pchisq(statistic, length(b), lower.tail = FALSE))
  }
  kept <- w[, !chosen, drop = FALSE]
  rest <- numeric()
  if (ncol(kept)) {
    away <- fit$hessian[!chosen, chosen, drop = FALSE] %*% fit$b[chosen]
    start <- fit$b[!chosen] + as.vector(solve(fit$hessian[!chosen, !chosen, drop = FALSE], away))
    rest <- tryCatch(maximum(patterns, kept, start), error = function(e) NULL)
  }
  if (is.null(rest)) NA_real_ else score_test(fit$link, patterns, w, chosen, rest)
}

# u'(L B L')^-1 u, L = [-H_10 H_00^-1, 1].
score_test <- function(link, patterns, w, chosen, rest) {
  mu <- link$mean(w[, !chosen, drop = FALSE] %*% rest)
  hessian <- gram(w, patterns$n * link$slope(mu))
  through <- matrix(0, sum(chosen), ncol(w))
  through[, chosen] <- diag(sum(chosen))
  if (any(!chosen)) {
    through[, !chosen] <- -t(solve(hessian[!chosen, !chosen, drop = FALSE], hessian[!chosen, chosen, drop = FALSE]))
  }
  u <- crossprod(w[, chosen, drop = FALSE], patterns$first - patterns$n * mu)
  variance <- through %*% gram(w, squares(patterns, mu)) %*% t(through)
  pchisq(sum(u * solve(variance, u)), sum(chosen), lower.tail = FALSE)
}
