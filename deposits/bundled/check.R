# Recomputes shares, averages, sets, supports, differences and models of report.json from records.csv with the R package
# in r/, which was written apart from library.zip. It needs R and jsonlite: Rscript check.R
# Like check.py it first compares the files with SHA256SUMS, their digests where R has SHA-256 (from 4.5 on).

CLOSE <- 1e-6

folder <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
if (length(folder)) setwd(dirname(folder))
lines <- if (file.exists("SHA256SUMS")) readLines("SHA256SUMS", encoding = "UTF-8", warn = FALSE) else character()
listed <- sub("^[0-9a-f]{64}  ", "", lines)
files <- setdiff(list.files(recursive = TRUE, all.files = TRUE), "SHA256SUMS")
odd <- c(listed[listed == lines], setdiff(files, listed), setdiff(listed, files), character())
if (!length(odd) && exists("sha256sum", asNamespace("tools"))) {
  odd <- listed[getExportedValue("tools", "sha256sum")(listed) != substr(lines, 1, 64)]
}
if (length(odd) || !length(lines)) {
  cat("Nothing was run: SHA256SUMS does not name exactly these files:", head(odd, 9), "\n")
  quit(status = 1)
}

fromJSON <- jsonlite::fromJSON
for (file in list.files("r/R", full.names = TRUE)) source(file, encoding = "UTF-8")
document <- tryCatch(fromJSON("report.json", simplifyVector = FALSE), error = function(problem) {
  cat("Nothing was run: report.json is no whole JSON.\n")
  quit(status = 1)
})
report <- document$report
design <- read_design("design.json")
wrong <- character()
equal <- character()

# The numbers that a published node and a row of a table have under the same names.
compare <- function(path, published, row) {
  for (name in intersect(names(published), names(row))) {
    number <- published[[name]]
    again <- row[[name]]
    if (!is.numeric(number) || !is.numeric(again) || is.na(again)) next
    where <- paste0(path, ".", name)
    if (abs(number - again) <= CLOSE * max(1, abs(number), abs(again))) equal <<- union(equal, where)
    else wrong <<- union(wrong, sprintf("%s is %.10g, not %.10g", where, again, number))
  }
}

# `key`: what a published row is about, as the column of the table says it.
compare_rows <- function(path, published, table, key, column) {
  for (index in seq_along(published)) {
    row <- match(key(published[[index]]), table[[column]])
    if (!is.na(row)) compare(paste0(path, ".", index - 1), published[[index]], as.list(table[row, ]))
  }
}

item_of <- function(node) if (is.null(node$item)) node$items[[1]] else node$item

note <- NULL
if (!file.exists("records.csv")) {
  note <- "records.csv is not in this deposit."
} else {
  records <- read_records("records.csv", design)
  if (sum(records$disguised) != report$about$disguised) note <- "The report counts other records than records.csv has."
  if (report$about$estimator != "stratified") note <- "The R package has the estimator stratified alone."
}
if (is.null(note)) {
  compare_rows("report.shares", report$shares, shares(design, records), item_of, "item")
  if (length(scored_questions(design))) {
    compare_rows("report.shares", report$shares, score_shares(design, records), item_of, "item")
  }
  means <- averages(design, records)
  for (index in seq_along(report$numbers)) {
    row <- means[match(report$numbers[[index]]$question, means$question), ]
    path <- paste0("report.numbers.", index - 1, ".all_records")
    if (NROW(row)) compare(paste0(path, ".mean"), report$numbers[[index]]$all_records$mean,
                           list(value = row$mean, se = row$se, low = row$low, high = row$high))
  }
  for (index in seq_along(report$itemsets)) {
    items <- unlist(report$itemsets[[index]]$items)
    # Numbers and sets of choices have scores, which the package estimates alone.
    if (!all(items %in% design$answers$item)) next
    compare(paste0("report.itemsets.", index - 1), report$itemsets[[index]], as.list(supports(design, records, list(items))))
  }
  if (length(report$study$arms$items)) {
    arms <- compare_arms(design, records)
    arms <- arms[match(vapply(report$study$arms$items, item_of, ""), arms$item), ]
    # A planned difference has Holm's p of the plan.
    planned <- unlist(lapply(report$study$plan$hypotheses, function(one) if (one$kind == "arms") one$item))
    arms$holm <- NA
    alone <- !arms$item %in% planned
    arms$holm[alone] <- p.adjust(arms$p[alone], "holm")
    # Intervals of what the plan names, and of what stands on the front, have other levels than 95 %.
    many <- unlist(report$about$statements)
    front <- 0.05 / sum(many[names(many) != "larger"] > 0) / many["arms"]
    arms[which(!alone | arms$p <= front), c("low", "high")] <- NA
    compare_rows("report.study.arms.items", report$study$arms$items, arms, item_of, "item")
  }
  for (index in seq_along(document$models)) {
    model <- document$models[[index]]
    fit <- tryCatch(fit_model(design, records, model$item, unlist(model$on), unlist(model$numbers), unlist(model$products),
                              unlist(model$among), isTRUE(model$logit)), error = function(refusal) NULL)
    path <- paste0("models.", index - 1)
    for (part in names(fit)) {
      compare_rows(paste0(path, ".", part), model[[part]], fit[[part]], function(node) node$of, "of")
    }
  }
}

n <- sum(unlist(rapply(document[c("report", "models")], is.numeric, how = "unlist")))
cat(note, sprintf("WRONG: %s", wrong), sep = "\n")
cat(sprintf("%d of %d numbers recomputed and equal:", length(setdiff(equal, wrong)), n),
    if (length(wrong)) paste(length(wrong), "numbers are WRONG") else "nothing that could be checked is wrong", "\n")
quit(status = if (length(wrong)) 1 else 0)
