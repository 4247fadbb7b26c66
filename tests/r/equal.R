# Estimates every study of a folder with the package; `asked.json` says what of each, `estimates.json` is the answer.
library(candor)
asked <- jsonlite::fromJSON("asked.json", simplifyVector = FALSE)

with_rows <- function(table) if (is.null(table)) list() else lapply(seq_len(nrow(table)), function(row) as.list(table[row, ]))
# In the order of their names, since estimates that differ by rounding alone may stand in another order.
found <- function(table, by) {
  if (is.null(table)) return(list())
  table$name <- do.call(paste, c(unname(table[by]), sep = " -> "))
  with_rows(table[order(table$name, method = "radix"), setdiff(names(table), c("items", by))])
}
named <- function(names) if (length(names)) unlist(names) else NULL

estimates <- lapply(asked, function(study) {
  design <- read_design(study$design)
  records <- read_records(study$records, design)
  model <- function(asked) {
    fit <- try(fit_model(design, records, asked$item, named(asked$on), named(asked$numbers), named(asked$products),
                         named(asked$among), asked$logit), silent = TRUE)
    if (inherits(fit, "try-error")) as.character(fit) else lapply(fit, with_rows)
  }
  again <- read_records(study$again, design)
  list(shares = with_rows(shares(design, records)),
       arms = if (design$arms) with_rows(compare_arms(design, records)),
       classes = with_rows(compare_classes(design, records, study$classes[[1]], study$classes[[2]])),
       scores = with_rows(score_shares(design, records)),
       averages = with_rows(averages(design, records)),
       itemsets = with_rows(supports(design, records, lapply(study$itemsets, unlist))),
       found = found(itemsets(design, records, study$min_support), "itemset"),
       rules = found(rules(design, records, study$min_support, study$min_confidence), c("antecedent", "consequent")),
       waves = with_rows(compare_waves(design, records, design, again, shared = study$shared)),
       models = lapply(study$models, model))
})
writeLines(jsonlite::toJSON(estimates, auto_unbox = TRUE, digits = NA, na = "null", null = "null"), "estimates.json")
