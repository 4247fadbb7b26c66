# Supports of itemsets: how many people have several answers together (docs/mathematics.md, Estimators and Inversion).

HIDDEN <- 0L

LEAST_BASE <- 50
LEAST_GROUP <- 10

# Whether the records of all groups (rows) are many enough to say anything; `telling` are those that a floor counts.
enough <- function(records, telling = records) {
  colSums(records) >= LEAST_BASE & colSums(records > 0 & telling < LEAST_GROUP) == 0
}

# The rows of the answers with these names, as "theft=yes".
answers_named <- function(design, items) {
  rows <- match(items, design$answers$item)
  if (anyNA(rows)) stop("the design has no answer ", dQuote(items[is.na(rows)][1]), ": write it as theft=yes", call. = FALSE)
  design$answers[rows, ]
}

# By itemset the records asked all of it, its support with the standard error, and the support by the inversion that
# takes open and disguised people for alike. Itemsets that join plain and sensitive answers are of the disguised alone.
supports <- function(design, records, itemsets) {
  do.call(rbind, lapply(itemsets, function(items) support_of(design, records, items)))
}

# The codes of the records that were asked all of these answers, whether all apply, and which records are open.
counted_records <- function(design, records, answers) {
  if (anyDuplicated(answers$question)) stop("an itemset has one answer of a question", call. = FALSE)
  codes <- vapply(answers$question, function(name) records$codes[[name]], numeric(length(records$disguised)))
  counted <- rowSums(is.na(codes)) == 0 & (records$disguised | !design$arms)
  withheld <- answers$kind == "place" | !answers$sensitive
  if (any(withheld)) counted <- counted & records$disguised
  codes <- codes[counted, , drop = FALSE]
  list(codes = codes, applies = rowSums(codes == HIDDEN) == 0, open = !records$disguised[counted])
}

support_of <- function(design, records, items) {
  answers <- answers_named(design, items)
  counted <- counted_records(design, records, answers)
  has <- sweep(counted$codes, 2, answers$code, "==")
  applies <- counted$applies
  open <- counted$open
  # Answers of one section share its draw, so they are a part together; plain answers are one, too.
  parts <- split(seq_along(items), ifelse(answers$sensitive, answers$section, 0))
  received <- vapply(parts, function(part) rowSums(!has[, part, drop = FALSE]) == 0, logical(nrow(has)))
  received <- matrix(received, ncol = length(parts))
  keep <- vapply(parts, function(part) answers$keep[part[1]], 0)
  chance <- (1 - keep) * vapply(parts, function(part) prod(answers$noise[part]), 0)
  z <- vapply(seq_along(parts), function(part) ifelse(open, received[, part], (received[, part] - chance[part]) / keep[part]),
              numeric(nrow(has)))
  z <- applies * apply(matrix(z, ncol = length(parts)), 1, prod)
  groups <- c(sum(open), sum(!open))
  surely <- rowSums(!has[, answers$noise == 0, drop = FALSE]) == 0
  telling <- if (any(answers$noise == 0)) c(sum(open & surely), sum(!open & surely)) else groups
  told <- enough(matrix(groups, 2), matrix(telling, 2))
  n <- length(z)
  support <- if (told) mean(z) else NA
  data.frame(itemset = paste(items, collapse = " "), n_asked = n, n_open = groups[1],
             observed = sum(rowSums(!has) == 0) / max(n, 1), support = support,
             se = if (told) sqrt(max(mean(z^2) - support^2, 0) / n) else NA,
             pooled = if (told) inverted(received[applies, , drop = FALSE], open[applies], keep, chance) * sum(applies) / n else NA)
}

# P(S) = (P*(S) - (1-k) SUM_T f_T P(S_T)) / (k + (1-k) prod keep) over the proper subsets T of the parts, from small to large.
inverted <- function(received, open, keep, chance) {
  if (!length(open)) return(0)
  k <- mean(open)
  parts <- seq_along(keep)
  cells <- 0:(2^length(parts) - 1)
  inside <- function(cell) bitwAnd(cell, 2^(parts - 1)) > 0
  support <- numeric(length(cells))
  for (cell in cells) {
    whole <- inside(cell)
    support[cell + 1] <- mean(rowSums(!received[, whole, drop = FALSE]) == 0)
    below <- Filter(function(other) other < cell && bitwAnd(other, cell) == other, cells)
    for (other in below) {
      part <- inside(other)
      support[cell + 1] <- support[cell + 1] - (1 - k) * prod(keep[part]) * prod(chance[whole & !part]) * support[other + 1]
    }
    support[cell + 1] <- support[cell + 1] / (k + (1 - k) * prod(keep[whole]))
  }
  support[length(cells)]
}
