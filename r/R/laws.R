# Laws of randomised response, and shares of counts (docs/mathematics.md, Scores of one answer). A record says yes with probability chance + keep * share.

# `turned`: a recorded no is what the law calls yes. `chance` is NA where nobody knows how many affirm an unrelated question.
response_law <- function(keep, chance, turned = FALSE, name = "law") {
  if (!isTRUE(keep > 0 & keep <= 1) || isTRUE(chance < -1e-12 | chance > 1 - keep + 1e-12)) {
    stop("law: keep must be above 0, chance at least 0, and both at most 1 together", call. = FALSE)
  }
  structure(list(keep = keep, chance = chance, turned = turned, name = name), class = "candor_law")
}

# The law with these parameters in its name; refuses by name those that are no probability or leave no true answer.
named_law <- function(technique, keep, chance, turned = FALSE, ...) {
  parameters <- c(...)
  for (name in names(parameters)) if (!isTRUE(parameters[[name]] >= 0 & parameters[[name]] <= 1)) {
    stop(technique, ": ", name, " must be a probability from 0 to 1", call. = FALSE)
  }
  if (!isTRUE(keep > 1e-12)) {
    stop(technique, ": ", paste(names(parameters), collapse = ", "), " must leave a true answer", call. = FALSE)
  }
  told <- paste(names(parameters), format(parameters, trim = TRUE, digits = 6), sep = "=", collapse = ", ")
  response_law(keep, chance, turned, paste0(technique, "(", told, ")"))
}

# One number of each parameter.
one <- function(technique, name, value) {
  if (!is.numeric(value) || length(value) != 1 || is.na(value)) {
    stop(technique, ": ", name, " must be a probability from 0 to 1", call. = FALSE)
  }
  value
}

# The largest factor by which one record changes the odds of the attribute (docs/mathematics.md, Guarantee).
amplification <- function(law) {
  rarer <- min(law$chance, 1 - law$keep - law$chance)
  if (is.na(rarer)) NA_real_ else if (rarer < 1e-12) Inf else 1 + law$keep / rarer
}

print.candor_law <- function(x, ...) {
  cat(x$name, ": true answer with probability ", format(x$keep), ", yes by chance with ", format(x$chance),
      if (x$turned) ", where no is recorded as yes", "; amplification ", format(amplification(x)), "\n", sep = "")
  invisible(x)
}

statement_or_opposite <- function(technique, p) {
  one(technique, "p", p)
  named_law(technique, abs(2 * p - 1), min(p, 1 - p), p < 0.5, p = p)
}

# Warner (1965): the sensitive statement with probability p, else its opposite.
warner <- function(p) statement_or_opposite("warner", p)

# Yu, Tian and Tang (2008): whether both answers are the same, where a share p affirms the other question.
crosswise <- function(p) statement_or_opposite("crosswise", p)

# Greenberg et al. (1969): the question with probability p, else one that a share `yes` affirms; without it two samples tell.
unrelated_question <- function(p, yes = NULL) {
  one("unrelated_question", "p", p)
  if (is.null(yes)) return(named_law("unrelated_question", p, NA_real_, p = p))
  one("unrelated_question", "yes", yes)
  named_law("unrelated_question", p, (1 - p) * yes, p = p, yes = yes)
}

# Boruch (1971): a forced yes and a forced no with these probabilities. Both are named, since other packages have them in
# either order.
forced_response <- function(..., yes, no) {
  if (...length() || missing(yes) || missing(no)) stop("name both: forced_response(yes = 1/6, no = 1/6)", call. = FALSE)
  one("forced_response", "yes", yes)
  one("forced_response", "no", no)
  named_law("forced_response", 1 - yes - no, yes, yes = yes, no = no)
}

# Kuk (1990), one card: red with probability `yes` where the attribute holds, else with probability `no`.
kuk <- function(..., yes, no) {
  if (...length() || missing(yes) || missing(no)) stop("name both: kuk(yes = 0.8, no = 0.2)", call. = FALSE)
  one("kuk", "yes", yes)
  one("kuk", "no", no)
  named_law("kuk", abs(yes - no), if (yes > no) no else 1 - no, yes < no, yes = yes, no = no)
}

# Mangat (1994): who has the attribute says yes, others say no with probability p.
mangat <- function(p) named_law("mangat", one("mangat", "p", p), 1 - p, p = p)

# Yu, Tian and Tang (2008): at least one of both, where a share p affirms the other question.
triangular <- function(p) named_law("triangular", 1 - one("triangular", "p", p), p, p = p)

# Esponda and Guerrero (2009): one of so many choices that does not apply, at random; a recorded yes names this choice.
negative_survey <- function(choices) {
  if (length(choices) != 1 || !isTRUE(choices >= 3 && choices == round(choices))) {
    stop("negative_survey: choices must be a whole number of at least 3", call. = FALSE)
  }
  response_law(1 / (choices - 1), 1 - 1 / (choices - 1), TRUE, paste0("negative_survey(choices=", choices, ")"))
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
  if (is.na(law$chance)) {
    stop("unrelated_question: yes is unknown: give it, or the data frame of two samples to shares", call. = FALSE)
  }
  if (!isTRUE(all(having >= 0 & having <= records & records > 0))) {
    stop("having must be from 0 to the number of records, which is above 0", call. = FALSE)
  }
  if (any(abs(c(having, records) - round(c(having, records))) > 1e-6)) {
    stop("having must be whole numbers of records, not shares", call. = FALSE)
  }
  if (law$turned) records - having else having
}
