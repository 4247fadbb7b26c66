# Differences of one answer's share between two sides (docs/mathematics.md, Sums of shares).

# `having` and `records` of a side: a number per answer, as in `count_shares`.
compare_shares <- function(having_1, records_1, having_2, records_2, law, law_2 = law, shared = FALSE) {
  counts <- recycled(list(having_1, records_1, having_2, records_2))
  # Nobody answers openly.
  side_by_law <- function(having, records, law) {
    yes <- yes_of(having, records, law)
    side(rbind(0, yes), rbind(0, records), matrix(c(1, law$keep)), matrix(c(0, law$chance)))
  }
  compare_sides(side_by_law(counts[[1]], counts[[2]], law), side_by_law(counts[[3]], counts[[4]], law_2), shared)
}

compare_sides <- function(first, second, shared = FALSE, compared = rep(TRUE, ncol(first$n))) {
  table <- matrix(NA_real_, ncol(first$n), 8, dimnames = list(NULL, c("first", "second", "difference", "low", "high",
                                                                      "z", "p", "holm")))
  rows <- which(compared)
  if (length(rows)) {
    first <- take(first, rows)
    second <- take(second, rows)
    sums <- difference_of(first, second)
    z_at <- function(some, t) sum_z(take(sums, some), t, shared)
    ends <- score_interval(z_at, rep(-1, length(rows)), rep(1, length(rows)))
    z <- z_at(seq_along(rows), rep(0, length(rows)))
    p <- 2 * pnorm(-abs(z))
    share <- function(side) estimate_of(c(side, list(factor = weights_of(side$n))))
    table[rows, ] <- cbind(share(first), share(second), estimate_of(sums), ends, z, p, p.adjust(p, "holm"))
  }
  as.data.frame(table)
}

# Nothing disguises the answers of group 0; where nothing disguises the others either, they are one group.
side_of <- function(answers, counts) {
  plain <- !answers$sensitive
  pooled <- lapply(counts[c("shown", "having")], function(part) {
    part[1, plain] <- colSums(part)[plain]
    part[2, plain] <- 0
    part
  })
  side(pooled$having, pooled$shown, rbind(1, answers$keep), rbind(0, answers$chance))
}

group_of <- function(side, group) lapply(side, function(part) part[group, , drop = FALSE])

listed_answers <- function(design) {
  design$answers[design$answers$sensitive & design$answers$listed, ]
}

# The disguised arm less the direct one, among those to whom a question applies.
compare_arms <- function(design, records) {
  if (!design$arms) stop("the design has no direct arm, so there is nothing to compare", call. = FALSE)
  answers <- listed_answers(design)
  counts <- answer_counts(answers, records)
  both <- side_of(answers, counts)
  compared <- colSums(both$n) >= LEAST_BASE & colSums(both$n < LEAST_GROUP) == 0
  table <- compare_sides(group_of(both, 1), group_of(both, 2), compared = compared)
  names(table)[1:2] <- c("direct", "disguised")
  cbind(item = answers$item, table, n_direct = both$n[1, ], n_disguised = both$n[2, ])
}

# The disguised people with the answer `second` to a plain question less those with `first`.
compare_classes <- function(design, records, first, second) {
  answers <- listed_answers(design)
  sides <- lapply(list(first, second), function(class) {
    class <- answers_named(design, class)
    if (class$sensitive) stop(class$item, " is disguised: name an answer to a plain question", call. = FALSE)
    among <- records$disguised & records$codes[[class$question]] %in% class$code
    side_of(answers, answer_counts(answers, records, among))
  })
  compared <- enough(sides[[1]]$n) & enough(sides[[2]]$n)
  table <- compare_sides(sides[[1]], sides[[2]], compared = compared)
  cbind(item = answers$item, table, n_first = colSums(sides[[1]]$n), n_second = colSums(sides[[2]]$n))
}

# The later wave less the earlier one, of the questions that both asked in the same words.
# `shared`: the same people may have answered both.
compare_waves <- function(design_1, records_1, design_2, records_2, shared = TRUE) {
  same <- Filter(function(question) {
    before <- design_1$questions[[question$name]]
    length(question$choices) && !is.null(before) && identical(before$same, question$same)
  }, design_2$questions)
  names <- vapply(same, `[[`, "", "name")
  if (!length(names)) stop("no question has the same name, choices and text in both designs", call. = FALSE)
  later <- design_2$answers[design_2$answers$listed & design_2$answers$question %in% names, ]
  earlier <- answers_named(design_1, later$item)
  of_wave <- function(design, records, answers) {
    counts <- answer_counts(answers, records)
    if (design$arms) counts <- lapply(counts, function(part) part * c(0, 1))
    side_of(answers, counts)
  }
  sides <- list(of_wave(design_1, records_1, earlier), of_wave(design_2, records_2, later))
  compared <- enough(sides[[1]]$n) & enough(sides[[2]]$n)
  table <- compare_sides(sides[[1]], sides[[2]], shared, compared)
  names(table)[1:2] <- c("earlier", "later")
  cbind(item = later$item, table, n_earlier = colSums(sides[[1]]$n), n_later = colSums(sides[[2]]$n))
}
