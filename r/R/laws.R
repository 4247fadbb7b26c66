# Any other survey with randomised response: its law, and shares by group of a data frame (docs/mathematics.md, Scores of
# one answer). A record says yes with probability chance + keep * share.

# `turned`: a recorded no is what the law calls yes.
response_law <- function(keep, chance, turned = FALSE) {
  if (!isTRUE(keep > 0 & keep <= 1 & chance >= 0 & chance <= 1 - keep + 1e-12)) {
    stop("the probabilities of the law leave no true answer, or are none", call. = FALSE)
  }
  structure(list(keep = keep, chance = chance, turned = turned), class = "candor_law")
}

print.candor_law <- function(x, ...) {
  cat("true answer with probability ", format(x$keep), ", yes by chance with ", format(x$chance),
      if (x$turned) ", where no is recorded as yes", "\n", sep = "")
  invisible(x)
}

# Warner (1965): the sensitive statement with probability p, else its opposite.
warner <- function(p) response_law(abs(2 * p - 1), pmin(p, 1 - p), turned = p < 0.5)

# Greenberg et al. (1969): the question with probability p, else one that a share `yes` affirms.
unrelated_question <- function(p, yes) response_law(p, (1 - p) * yes)

# Boruch (1971): a forced yes and a forced no with these probabilities. Both are named, since other packages have them in
# either order.
forced_response <- function(..., yes, no) {
  if (...length() || missing(yes) || missing(no)) stop("name both: forced_response(yes = 1/6, no = 1/6)", call. = FALSE)
  response_law(1 - yes - no, yes)
}

# Yu, Tian and Tang (2008): whether both answers are the same, where a share p affirms the other question.
crosswise <- function(p) warner(p)

# y ~ group: 1, TRUE, "yes" or the second level of a factor is yes; rows with a missing value are left out.
shares.formula <- function(x, data, law, level = 0.95, ...) {
  if (...length()) stop("shares of a formula takes data, law and level alone", call. = FALSE)
  frame <- model.frame(x, data, na.action = na.omit)
  yes <- as_yes(model.response(frame))
  groups <- frame[-1]
  key <- if (length(groups)) interaction(groups, drop = TRUE, lex.order = TRUE) else factor(rep("all", length(yes)))
  first <- match(levels(key), key)
  n <- as.vector(table(key))
  having <- as.vector(rowsum(as.numeric(yes), key))
  table <- count_shares(having, n, law, level)
  if (!length(groups)) return(table)
  data.frame(groups[first, , drop = FALSE], table, row.names = NULL, check.names = FALSE)
}

as_yes <- function(answers) {
  if (is.matrix(answers)) stop("the answers are one column: give counts of yes to count_shares", call. = FALSE)
  values <- if (is.factor(answers)) levels(answers) else sort(unique(answers))
  known <- list(c(0, 1), c(FALSE, TRUE), c("no", "yes"))
  for (pair in known) if (all(values %in% pair)) return(answers == pair[2])
  if (!is.factor(answers) || length(values) != 2) {
    stop("answers are 0 and 1, FALSE and TRUE, no and yes, or a factor of two levels", call. = FALSE)
  }
  answers == values[2]
}

# By count the share, its standard error and its interval.
count_shares <- function(having, records, law, level = 0.95) {
  counts <- recycled(list(having, records))
  yes <- yes_of(counts[[1]], counts[[2]], law)
  records <- counts[[2]]
  received <- yes / records
  ends <- if (law$keep == 1) exact_interval(yes, records, critical_z_of(level)) else {
    share_interval(rbind(0, yes), rbind(0, records), law$keep, law$chance, level = level)
  }
  data.frame(n = records, share = (received - law$chance) / law$keep,
             se = sqrt(received * (1 - received) / records) / law$keep, low = ends[, 1], high = ends[, 2], row.names = NULL)
}

# One number goes with each of the others.
recycled <- function(counts) {
  rows <- max(lengths(counts))
  if (!all(lengths(counts) %in% c(1, rows))) stop("the numbers of having and those of records differ in length", call. = FALSE)
  lapply(counts, function(count) rep_len(as.numeric(count), rows))
}

# How many records say what the law calls yes.
yes_of <- function(having, records, law) {
  if (!inherits(law, "candor_law")) stop("name the law of the answers, as warner(0.8)", call. = FALSE)
  if (!isTRUE(all(having >= 0 & having <= records & records > 0))) {
    stop("having must be from 0 to the number of records, which is above 0", call. = FALSE)
  }
  if (any(abs(c(having, records) - round(c(having, records))) > 1e-6)) {
    stop("having must be whole numbers of records, not shares", call. = FALSE)
  }
  if (law$turned) records - having else having
}
