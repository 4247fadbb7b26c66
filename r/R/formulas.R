# Any data frame: shares, differences and models of an answer by formulas, as in Python (docs/mathematics.md, Sums of shares,
# Weights and Models).

LEAST_CLASS <- 10
FEW_CLUSTERS <- 30

# y ~ group: 1, TRUE, "yes" or the second level of a factor is yes, or the value `yes`; a + b ~ group has two answers.
shares.formula <- function(x, data, law, level = 0.95, law_by = NULL, weights = NULL, clusters = NULL, yes = NULL, ...) {
  if (...length()) stop("shares of a formula takes no other arguments", call. = FALSE)
  critical_z <- critical_z_of(level)
  read <- reading(x, data, law, law_by, weights, clusters, yes)
  tables <- lapply(read$items, function(item) {
    groups <- groups_of(item$used, read$covariates)
    parts <- lapply(groups$rows, function(rows) item$answers[rows, ])
    counts <- cbind(data.frame(item = rep(item$name, length(parts))), groups$labels)
    answers <- item$answers
    if (length(unique(answers$law)) == 1 && is.null(weights) && is.null(clusters) && !anyNA(answers$chance)) {
      # The answers are turned already.
      known <- response_law(answers$keep[1], answers$chance[1])
      having <- vapply(parts, function(part) sum(part$yes), 0)
      return(cbind(counts, count_shares(having, vapply(parts, nrow, 0L), known, level)))
    }
    sides <- lapply(parts, make_side)
    cbind(counts, n = vapply(parts, nrow, 0L), effective = vapply(sides, effective_of, 0),
          share = vapply(sides, share_of, 0), se = sqrt(vapply(sides, variance_of, 0)),
          interval_of(sums_of(sides), 0, critical_z))
  })
  result(read, "shares", tables, "Estimates are not cut to [0, 1]; score intervals within [0, 1]", level)
}

# Each group less the first, with the score test of no difference.
differences <- function(formula, data, law, law_by = NULL, weights = NULL, clusters = NULL, yes = NULL, level = 0.95) {
  critical_z <- critical_z_of(level)
  read <- reading(formula, data, law, law_by, weights, clusters, yes)
  if (length(read$covariates) != 1) stop("formula must have one column of groups, as theft ~ sex", call. = FALSE)
  tables <- lapply(read$items, function(item) {
    groups <- groups_of(item$used, read$covariates)
    if (length(groups$rows) < 2) stop("formula must have two groups at least", call. = FALSE)
    sides <- lapply(groups$rows, function(rows) make_side(item$answers[rows, ]))
    names <- as.character(groups$labels[[1]])
    first <- sides[[1]]
    both <- lapply(sides[-1], function(second) {
      whole <- Map(c, first, second)
      whole$factor <- c(-first$factor, second$factor)
      whole
    })
    sums <- sums_of(both)
    z <- sum_z(sums, rep(0, length(both)))
    contrast <- paste(names[-1], "less", names[1])
    sizes <- lengths(groups$rows)
    table <- data.frame(item = item$name, contrast, n_first = sizes[1], n_second = sizes[-1], first = share_of(first),
                        second = vapply(sides[-1], share_of, 0), difference = estimate_of(sums),
                        interval_of(sums, -1, critical_z), z = z, p = 2 * pnorm(-abs(z)), row.names = NULL)
    names(table)[2] <- read$covariates
    table
  })
  table <- do.call(rbind, tables)
  table$holm <- p.adjust(table$p, "holm")
  result(read, "differences", list(table), "Second less first; score intervals, p of the same test", level)
}

# The share of yes by covariates; the right side is a formula of model.matrix.
regress <- function(formula, data, law, family = c("linear", "logit"), law_by = NULL, weights = NULL, clusters = NULL,
                    yes = NULL, level = 0.95) {
  family <- match.arg(family)
  critical_z <- critical_z_of(level)
  read <- reading(formula, data, law, law_by, weights, clusters, yes)
  right <- formula[-2]
  tables <- lapply(read$items, function(item) {
    answers <- item$answers
    if (anyNA(answers$chance)) stop("unrelated_question: yes must be known for a model", call. = FALSE)
    columns <- model_columns(right, item$used)
    check_collinear(columns, rep(1, nrow(columns)))
    z <- (answers$yes - answers$chance) / answers$keep
    w <- answers$weight / mean(answers$weight)
    link <- if (family == "logit") logit_link else linear_link
    b <- link$solve(list(n = w, first = w * z, second = w * z^2), columns, NULL)
    mu <- link$mean(columns %*% b)
    influence <- columns * (w * (z - mu))
    influence <- influence %*% solve(gram(columns, w * link$slope(mu)))
    n <- nrow(columns)
    k <- ncol(columns)
    variance <- if (is.null(clusters)) crossprod(influence) * n / (n - k) else {
      cluster_variance(influence, answers$cluster) * (n - 1) / (n - k)
    }
    se <- sqrt(diag(variance))
    data.frame(item = item$name, of = colnames(columns), n = n, b = b, se = se, low = b - critical_z * se,
               high = b + critical_z * se, z = b / se, p = 2 * pnorm(-abs(b / se)), row.names = NULL)
  })
  error <- if (is.null(clusters)) "HC1" else "CR1, by clusters"
  result(read, "coefficients", tables, paste0("Wald intervals and p, with the sandwich (", error, ")"), level)
}

# Texts are factors, as `C` needs them.
model_columns <- function(right, used) {
  used[] <- lapply(used, function(column) if (is.character(column)) factor(column) else column)
  model.matrix(right, model.frame(right, used, na.action = na.fail))
}

# By item the used rows and what they say, and how many rows are left out why.
reading <- function(formula, data, law, law_by, weights, clusters, yes) {
  if (!inherits(formula, "formula") || length(formula) != 3) stop("write a formula, as theft ~ age", call. = FALSE)
  if (missing(law)) stop("name the law of the answers, as warner(0.8)", call. = FALSE)
  covariates <- all.vars(formula[[3]])
  roles <- c(law_by, weights, clusters)
  unknown <- setdiff(c(covariates, roles), names(data))
  if (length(unknown)) stop("data has no column ", dQuote(unknown[1]), call. = FALSE)
  left_out <- integer()
  used <- rep(FALSE, nrow(data))
  items <- lapply(sum_parts(formula[[2]]), function(expression) {
    name <- paste(deparse(expression), collapse = "")
    answer <- tryCatch(eval(expression, data, environment(formula)),
                       error = function(e) stop("data has no column ", dQuote(name), call. = FALSE))
    if (is.matrix(answer)) stop("the answers are one column: give counts of yes to count_shares", call. = FALSE)
    lacking <- c(list(is.na(answer)), lapply(data[unique(c(covariates, roles))], is.na))
    names(lacking)[1] <- name
    names(lacking) <- paste("no", names(lacking))
    if (!is.null(weights)) {
      weight <- data[[weights]]
      if (!is.numeric(weight) || any(weight < 0 | is.infinite(weight), na.rm = TRUE)) {
        stop("weights: ", weights, " must be finite numbers of at least 0", call. = FALSE)
      }
      lacking[["weight 0"]] <- !is.na(weight) & weight == 0
    }
    rows <- which(!Reduce(`|`, lacking))
    if (!length(rows)) stop("data has no row with all of the values that are needed", call. = FALSE)
    counts <- vapply(lacking, sum, 0L)
    counts <- counts[counts > 0]
    left_out[names(counts)] <<- pmax(counts, left_out[names(counts)], na.rm = TRUE)
    used[rows] <<- TRUE
    list(name = name, used = data[rows, , drop = FALSE],
         answers = read_answers(answer[rows], name, data[rows, , drop = FALSE], law, law_by, weights, clusters, yes))
  })
  few <- !is.null(clusters) && any(vapply(items, function(item) length(unique(item$answers$cluster)) < FEW_CLUSTERS, NA))
  list(items = items, covariates = covariates, left_out = left_out, n = sum(used),
       notes = if (few) paste("Fewer than", FEW_CLUSTERS, "clusters: intervals are too short."))
}

sum_parts <- function(expression) {
  if (is.call(expression) && identical(expression[[1]], as.name("+")) && length(expression) == 3) {
    c(sum_parts(expression[[2]]), sum_parts(expression[[3]]))
  } else list(expression)
}

# By row: whether it says what its law calls yes, keep and chance, weight, cluster, and the number of the law.
read_answers <- function(answer, name, used, law, law_by, weights, clusters, yes) {
  is_law <- function(value) inherits(value, "candor_law")
  of_item <- if (!is_law(law) && name %in% names(law)) law[[name]] else law
  key <- if (is.null(law_by) || is_law(of_item)) rep("all", length(answer)) else as.character(used[[law_by]])
  laws <- if (is_law(of_item) || is.null(law_by)) list(all = of_item) else of_item[unique(key)]
  for (value in unique(key)) if (!is_law(laws[[value]])) {
    stop("law: ", if (value == "all") name else value, " must be a law, as warner(0.8): name the law", call. = FALSE)
  }
  of_rows <- function(member) unname(vapply(laws, function(one) as.numeric(one[[member]]), 0)[key])
  says <- as.numeric(as_yes(answer, if (is.list(yes)) yes[[name]] else yes))
  table <- data.frame(yes = ifelse(of_rows("turned") == 1, 1 - says, says), keep = of_rows("keep"), chance = of_rows("chance"),
                      weight = if (is.null(weights)) 1 else as.numeric(used[[weights]]))
  table$cluster <- if (is.null(clusters)) NA else as.character(used[[clusters]])
  table$law <- paste(table$keep, table$chance)
  table
}

as_yes <- function(answers, yes = NULL) {
  if (!is.null(yes)) return(answers == yes)
  if (is.character(answers)) answers <- tolower(answers)
  values <- if (is.factor(answers)) levels(answers) else sort(unique(answers))
  known <- list(c(0, 1), c(FALSE, TRUE), c("no", "yes"))
  for (pair in known) if (all(values %in% pair)) return(answers == pair[2])
  if (!is.factor(answers) || length(values) != 2) {
    stop("answers are 0 and 1, FALSE and TRUE, no and yes, or a factor of two levels; or name the value `yes`", call. = FALSE)
  }
  answers == values[2]
}

groups_of <- function(used, covariates) {
  if (!length(covariates)) return(list(rows = list(seq_len(nrow(used))), labels = data.frame(row.names = 1)))
  key <- interaction(used[covariates], drop = TRUE, lex.order = TRUE)
  first <- match(levels(key), key)
  labels <- used[first, covariates, drop = FALSE]
  row.names(labels) <- NULL
  list(rows = unname(split(seq_len(nrow(used)), key)), labels = labels)
}

# These rows as groups whose sum is their share; clusters divide the counts by their design effect (Rao and Scott 1992).
make_side <- function(answers) {
  laws <- split(answers, factor(answers$law, unique(answers$law)))
  factors <- factors_of_laws(laws)
  parts <- Map(function(of_law, factor) {
    law <- if (is.na(of_law$chance[1])) c(1, 0) else c(of_law$keep[1], of_law$chance[1])
    weight <- sort(unique(of_law$weight))
    pattern <- match(of_law$weight, weight)
    size <- tabulate(pattern, length(weight))
    having <- as.vector(rowsum(of_law$yes, pattern))
    class <- weight_classes(size, weight)
    by_class <- function(values) as.vector(rowsum(values, class))
    w <- by_class(size * weight)
    n <- w^2 / by_class(size * weight^2)
    share <- sum(having * weight) / sum(w)
    influence <- factor / law[1] * of_law$weight * (of_law$yes - share) / sum(w)
    list(side = list(n = n, x = n * by_class(having * weight) / w, keep = rep(law[1], length(n)),
                     chance = rep(law[2], length(n)), factor = factor * w / sum(w)),
         influence = influence, cluster = of_law$cluster)
  }, laws, factors)
  side <- do.call(Map, c(list(c), unname(lapply(parts, `[[`, "side"))))
  cluster <- unlist(lapply(parts, `[[`, "cluster"))
  if (all(is.na(cluster)) || variance_of(side) == 0) return(side)
  influence <- matrix(unlist(lapply(parts, `[[`, "influence")))
  effect <- max(1, cluster_variance(influence, cluster) / variance_of(side))
  side$n <- side$n / effect
  side$x <- side$x / effect
  side
}

share_of <- function(side) sum(side$factor * (side$x / side$n - side$chance) / side$keep)

variance_of <- function(side) {
  received <- side$x / side$n
  sum((side$factor / side$keep)^2 * received * (1 - received) / side$n)
}

# The number of records of equal weight; of two samples all of them.
effective_of <- function(side) if (all(side$factor >= 0)) 1 / sum(side$factor^2 / side$n) else sum(side$n)

cluster_variance <- function(influence, cluster) {
  totals <- rowsum(influence, cluster)
  if (nrow(totals) < 2) stop("clusters must be two at least, in each group", call. = FALSE)
  crossprod(totals) * nrow(totals) / (nrow(totals) - 1)
}

# Its share of the weight; of two samples with an unknown share of yes to the unrelated question as Greenberg et al. (1969).
factors_of_laws <- function(laws) {
  unknown <- vapply(laws, function(of_law) anyNA(of_law$chance), NA)
  if (!any(unknown)) {
    weight <- vapply(laws, function(of_law) sum(of_law$weight), 0)
    return(weight / sum(weight))
  }
  if (length(laws) != 2 || !all(unknown)) {
    stop("unrelated_question: yes is unknown: each group needs two samples whose p differ, named by law_by", call. = FALSE)
  }
  p <- vapply(laws, function(of_law) of_law$keep[1], 0)
  c(1 - p[2], p[1] - 1) / (p[1] - p[2])
}

# Weights in ascending order; a class ends with ten records where the next weight is above twice its least.
weight_classes <- function(records, weight) {
  classes <- integer(length(weight))
  class <- 1L
  many <- 0
  least <- weight[1]
  for (index in seq_along(weight)) {
    if (many >= LEAST_CLASS && weight[index] > 2 * least) {
      class <- class + 1L
      many <- 0
      least <- weight[index]
    }
    classes[index] <- class
    many <- many + records[index]
  }
  if (many < LEAST_CLASS && class > 1) classes[classes == class] <- class - 1L
  classes
}

# A column for each side; sides with fewer groups get empty ones.
sums_of <- function(sides) {
  most <- max(vapply(sides, function(side) length(side$n), 0L))
  empty <- c(n = 0, x = 0, keep = 1, chance = 0, factor = 0)
  sapply(names(empty), simplify = FALSE, function(name) {
    matrix(unlist(lapply(sides, function(side) c(side[[name]], rep(empty[[name]], most - length(side$n))))), nrow = most)
  })
}

interval_of <- function(sums, least, critical_z) {
  rows <- ncol(sums$n)
  z <- function(some, t) sum_z(take(sums, some), t)
  ends <- score_interval(z, rep(least, rows), rep(1, rows), critical_z)
  for (end in 1:2) ends[, end] <- refined_end(z, ends[, end], c(1, -1)[end] * critical_z, least)
  ends
}

# A step of the secant method, to more digits than the search has.
refined_end <- function(z, ends, target, least) {
  some <- which(ends > least & ends < 1)
  if (!length(some)) return(ends)
  at <- z(some, ends[some])
  step <- 1e-7 * (target - at) / (z(some, ends[some] + 1e-7) - at)
  good <- is.finite(step) & abs(step) < 2e-7
  ends[some[good]] <- ends[some[good]] + step[good]
  ends
}

result <- function(read, kind, tables, method, level) {
  table <- do.call(rbind, tables)
  row.names(table) <- NULL
  notes <- c(read$notes, if (anyNA(table$low)) "Without ends: the counts contradict each other or the law.")
  structure(table, class = c("candor_estimates", "data.frame"), kind = kind, method = method, level = level, n = read$n,
            left_out = read$left_out, notes = notes)
}

print.candor_estimates <- function(x, ...) {
  left_out <- attr(x, "left_out")
  reasons <- if (length(left_out)) paste(left_out, "for", names(left_out), collapse = ", ") else "none"
  if (!is.null(attr(x, "kind"))) {
    cat(attr(x, "kind"), ", n ", attr(x, "n"), ", left out: ", reasons, ". ", attr(x, "method"), ", level ", attr(x, "level"),
        ".\n", sep = "")
  }
  print.data.frame(as.data.frame(x), row.names = FALSE, ...)
  for (note in attr(x, "notes")) cat(note, "\n")
  invisible(x)
}

as.data.frame.candor_estimates <- function(x, ...) {
  data.frame(lapply(x, identity), check.names = FALSE)
}

summary.candor_estimates <- function(object, ...) {
  print(object)
}

tidy <- function(x, ...) UseMethod("tidy")

# The columns that broom has.
tidy.candor_estimates <- function(x, ...) {
  kind <- attr(x, "kind")
  estimate <- switch(kind, shares = "share", differences = "difference", "b")
  labels <- if (kind == "coefficients") x$of else {
    do.call(paste, c(unname(as.list(as.data.frame(x)[seq_len(match("n", substr(names(x), 1, 1)) - 1)])), sep = " "))
  }
  se <- if (is.null(x$se)) NA_real_ else x$se
  data.frame(response = x$item, term = labels, estimate = x[[estimate]], std.error = se,
             statistic = if (is.null(x$z)) NA_real_ else x$z, p.value = if (is.null(x$p)) NA_real_ else x$p,
             conf.low = x$low, conf.high = x$high)
}
