# Numbers and sets of choices, which are estimated from scores of codes (docs/mathematics.md, Scores of codes).

FURTHEST <- 1e9

# The law of such a question; `items` are its answers, `cells` what a record file can hold where these are few.
scored_law <- function(section, question) {
  if (section$kind == "subset") {
    choices <- vapply(question$choices, name_of, "")
    return(list(law = "subset", keep = as.numeric(section$keep), size = section$size, items = choices, cells = choices))
  }
  if (!identical(question$law, "classes")) return(NULL)
  limits <- unlist(question$limits)
  step <- if (is.null(question$step)) 1 else question$step
  ends <- c(question$low, question$high)
  has_ends <- length(ends) == 2
  if (!has_ends) ends <- limits[1] - c(1, -1) * (c(1, -1) * limits[1] + FURTHEST) %/% step * step
  starts <- c(ends[1], limits)
  span <- max(c(limits - step, ends[2]) - starts)
  between <- classes_between(length(limits) + 1)
  above <- paste0(">=", as_text(starts[between$a + 1]))
  below <- paste0("<", as_text(c(limits, NA)[between$z]))
  cells <- ifelse(between$z > length(limits), above, ifelse(between$a > 0, paste(above, below), below))
  rest <- if (is.null(question$rest)) 0 else question$rest
  n <- length(limits)
  list(law = "classes", keep = as.numeric(section$keep), cuts = question$cuts, starts = starts, high = ends[2], span = span,
       keep_rest = if (is.null(section$keep_rest)) 0 else as.numeric(section$keep_rest), has_mean = rest > 0 || has_ends && span == 0,
       items = c(paste0(">=", as_text(limits)), if (n > 1) paste0(">=", as_text(limits[-n]), " <", as_text(limits[-1])),
                 paste0("<", as_text(limits))),
       cells = c(cells, if (rest > 0) c("rest=0", "rest=1")))
}

as_text <- function(number) format(number, scientific = FALSE, trim = TRUE)

# The intervals of classes that a device can send, each from class a up to before class z, counted from 0.
classes_between <- function(classes) {
  a <- rep(0:(classes - 1), classes:1)
  list(a = a, z = a + sequence(classes:1))
}

# By code and class: the score of an open record, of a disguised one, and how likely the code is.
class_scores <- function(law) {
  limits <- length(law$starts) - 1
  between <- classes_between(limits + 1)
  a <- between$a
  z <- between$z
  drawn <- (a > 0) + (z <= limits)
  others <- limits - (z - a - 1) - drawn
  drawn_this <- ifelse(law$cuts < drawn | others < law$cuts - drawn, 0, choose(others, law$cuts - drawn)) / choose(limits, law$cuts)
  inside <- outer(a, 0:limits, "<=") & outer(z, 0:limits, ">")
  given <- law$keep * inside + (1 - law$keep) / (law$cuts + 1)
  list(open = inside * (z - a == 1), disguised = (given / rowMeans(given)) %*% solve(crossprod(given, given * drawn_this / rowMeans(given))),
       chance = given * drawn_this)
}

# By class whether it is in each answer: at least each limit, between two of them, below each.
classes_in <- function(law) {
  n <- length(law$starts) - 1
  cbind(outer(0:n, seq_len(n), ">="), outer(0:n, seq_len(n - 1), "=="), outer(0:n, seq_len(n), "<")) + 0
}

set_chances <- function(law) {
  c(law$keep, (law$keep * (law$size - 1) + (1 - law$keep) * law$size) / (length(law$items) - 1))
}

# By distinct cell and answer the scores of open and of disguised records; NA where a cell is none of a class.
scores_of <- function(law, cells) {
  if (law$law == "classes") {
    code <- match(cells, law$cells)
    of_code <- lapply(class_scores(law)[c("open", "disguised")], function(z) z %*% classes_in(law))
    code[code > nrow(of_code$open)] <- NA
    return(lapply(of_code, function(z) z[code, , drop = FALSE]))
  }
  inside <- t(vapply(strsplit(cells, "+", fixed = TRUE), function(set) law$items %in% set, logical(length(law$items)))) + 0
  p <- set_chances(law)
  list(open = inside, disguised = (inside - p[2]) / (p[1] - p[2]))
}

# The moments of a disguised score by answer, absent or there, and power, where the classes have these shares.
score_moments <- function(law, share) {
  if (law$law == "subset") {
    p <- set_chances(law)
    m <- length(law$items)
    inside <- ifelse(diag(m) == 1, p[1], p[2])
    z <- c(1 - p[2], -p[2]) / (p[1] - p[2])
    powers <- lapply(1:3, function(k) inside * z[1]^k + (1 - inside) * z[2]^k)
    items <- diag(m) == 1
    others <- cbind(seq_len(m) %% m + 1, seq_len(m))
  } else {
    of <- class_scores(law)
    z <- of$disguised %*% classes_in(law)
    n <- length(law$starts) - 1
    powers <- lapply(1:3, function(k) crossprod(z^k, of$chance))
    items <- t(classes_in(law)) == 1
    between <- seq_len(n - 1)
    others <- rbind(cbind(seq_len(n), seq_len(n) + 1), cbind(between, between + 1), cbind(seq_len(n) + 1, seq_len(n)))
  }
  lapply(1:2, function(there) {
    weight <- sweep(items == (there == 2), 2, share, "*")
    empty <- which(rowSums(weight) <= 0)
    # Where nobody is expected on one side of an answer, a neighbour stands for it.
    weight[cbind(empty, others[empty, there])] <- 1
    weight <- weight / rowSums(weight)
    rbind(there - 1, t(vapply(powers[-1], function(power) rowSums(power * weight), numeric(nrow(items)))))
  })
}

# Which of the answers are the classes themselves.
own_classes <- function(law) {
  if (law$law == "subset") return(seq_along(law$items))
  n <- length(law$starts) - 1
  c(2 * n, n + seq_len(n - 1), n)
}

scored_questions <- function(design) Filter(function(question) !is.null(question$scored), design$questions)

# By group (open, disguised) and distinct cell the number of records; with arms of the disguised arm alone.
cell_counts <- function(design, records, question) {
  cells <- records$cells[[question$name]]
  known <- unique(cells[!is.na(cells)])
  code <- match(cells, known)
  open <- if (design$arms) logical(length(code)) else !records$disguised
  list(cells = known, n = rbind(tabulate(code[open], length(known)), tabulate(code[records$disguised], length(known))))
}

# Shares of numbers above limits and between them, and of choices that are sent as sets.
score_shares <- function(design, records) {
  do.call(rbind, lapply(unname(scored_questions(design)), function(question) {
    law <- question$scored
    counted <- cell_counts(design, records, question)
    z <- scores_of(law, counted$cells)
    coded <- !is.na(z$open[, 1])
    n <- counted$n[, coded, drop = FALSE]
    z <- lapply(z, function(scores) scores[coded, , drop = FALSE])
    total <- sum(n)
    mean_of <- function(k) as.vector(n[1, ] %*% z$open^k + n[2, ] %*% z$disguised^k) / max(total, 1)
    share <- mean_of(1)
    told <- enough(matrix(rowSums(n), 2))
    ends <- if (told) score_interval_of(law, n, z) else matrix(NA_real_, length(share), 2)
    share[!told] <- NA
    data.frame(item = paste0(question$name, "=", law$items), n_asked = total, n_open = sum(n[1, ]), support = share,
               se = sqrt(pmax(mean_of(2) - share^2, 0) / max(total, 1)), low = ends[, 1], high = ends[, 2])
  }))
}

# The score test of each share: given the answer or its absence, scores have the moments of their law.
score_interval_of <- function(law, n, z) {
  sums <- rbind(n[1, ] %*% z$open, n[2, ] %*% z$disguised)
  rows <- ncol(sums)
  classes <- pmax(sums[2, own_classes(law)], 0)
  moments <- score_moments(law, classes / max(sum(classes), 1e-300))
  records <- matrix(rowSums(n), 2, rows)
  received <- sums / pmax(records, 1)
  share <- pmax(received, 0)
  rest <- (records > 0) * pmax(1 - received, 0)
  total <- share + rest
  estimate <- colSums(sums) / sum(n)
  nothing <- matrix(0, 2, rows)
  test <- list(n = records, records = colSums(records), share = share / ifelse(total > 0, total, 1), slope = nothing,
               inside = nothing, outside = nothing, having = rep(Inf, rows), lacking = rep(Inf, rows), estimate = estimate,
               square = estimate^2, with = lapply(1:3, function(k) rbind(rep(1, rows), moments[[2]][k, ])),
               without = lapply(1:3, function(k) rbind(rep(0, rows), moments[[1]][k, ])),
               shows_with = nothing, shows_without = nothing)
  score_interval(function(rows, t) support_z(test, rows, t), rep(0, rows), rep(1, rows))
}

LEAST_CLASSES <- 200
LEAST_REST <- 10

# The averages of numbers that the law tells one of: of the classes, and of the place inside them.
averages <- function(design, records) {
  asked <- Filter(function(question) isTRUE(question$scored$has_mean), design$questions)
  do.call(rbind, lapply(unname(asked), function(question) {
    law <- question$scored
    counted <- cell_counts(design, records, question)
    n <- matrix(0, 2, length(law$cells))
    n[, match(counted$cells, law$cells)] <- counted$n
    z <- class_scores(law)
    codes <- seq_len(nrow(z$open))
    classes <- n[, codes, drop = FALSE]
    bits <- n[, -codes, drop = FALSE]
    table <- data.frame(question = question$name, n_asked = sum(n), mean = NA_real_, se = NA_real_, low = NA_real_, high = NA_real_)
    few <- sum(classes) < LEAST_CLASSES || !enough(matrix(rowSums(classes), 2)) || law$span > 0 && sum(bits) < LEAST_REST
    if (few) return(table)
    width <- law$high - law$starts[1]
    above <- (law$starts - law$starts[1]) / width
    scores <- rbind(as.vector(z$open %*% above), as.vector(z$disguised %*% above))
    value <- sum(classes * scores) / sum(classes)
    variance <- max(sum(classes * scores^2) / sum(classes) - value^2, 0) / sum(classes)
    p <- law$keep_rest
    if (law$span == 0) {
      bits <- matrix(0, 2, 2)
      p <- 1
    }
    of_bits <- side(bits[, 2, drop = FALSE], matrix(rowSums(bits)), matrix(c(1, p)), matrix(c(0, (1 - p) / 2)))
    sums <- c(of_bits, list(factor = law$span / width * weights_of(of_bits$n), added = matrix(value), added_variance = matrix(variance)))
    ends <- score_interval(function(rows, t) sum_z(take(sums, rows), t), 0, 1)
    # Both ends are missing where the counts contradict each other: then nothing is said.
    if (anyNA(ends)) return(table)
    estimate <- estimate_of(sums)
    se <- sqrt(sum_variance(sums, constrained(sums, clip(estimate, 0, 1))))
    table[c("mean", "se", "low", "high")] <- c(law$starts[1], 0, law$starts[1], law$starts[1]) + width * c(estimate, se, ends)
    table
  }))
}
