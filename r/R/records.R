# Record files as CSV (docs/formats.md, Record files).

# The number of each answer by question: HIDDEN where it does not apply, NA where it was not asked or is withheld.
read_records <- function(file, design) {
  # The names are read as a row, since read.table marks no encoding of a header.
  table <- read.table(file, sep = ",", quote = "\"", comment.char = "", header = FALSE, colClasses = "character",
                      na.strings = character(), encoding = "UTF-8")
  columns <- sub("^\ufeff", "", unlist(table[1, ]))
  table <- table[-1, , drop = FALSE]
  group <- table[[place_of_column("group", columns)]]
  plain <- if (design$arms) "direct" else "open"
  unknown <- setdiff(group, c(plain, "disguised"))
  if (length(unknown)) stop("no group is called ", dQuote(unknown[1]), call. = FALSE)
  counted <- Filter(function(question) length(question$choices), design$questions)
  codes <- lapply(counted, function(question) {
    coded(question, table[[place_of_column(question$name, columns)]])
  })
  cells <- lapply(scored_questions(design), function(question) {
    scored_cells(question, table[[place_of_column(question$name, columns)]])
  })
  list(disguised = group == "disguised", codes = codes, cells = cells)
}

# The cells of a number or of a set, NA where it was not asked or does not apply.
scored_cells <- function(question, cells) {
  cells[cells %in% c("", "?", "-")] <- NA
  cells <- sub("^'", "", cells)
  law <- question$scored
  parts <- if (law$law == "subset") unlist(strsplit(unique(cells), "+", fixed = TRUE)) else unique(cells)
  unknown <- setdiff(parts, c(NA, law$cells))
  if (length(unknown)) stop(dQuote(unknown[1]), " is no answer to ", dQuote(question$name), call. = FALSE)
  cells
}

# A text that a spreadsheet would take for a formula has an apostrophe before it.
place_of_column <- function(name, columns) {
  place <- match(TRUE, columns %in% c(name, paste0("'", name)))
  if (is.na(place)) stop("the file has no column ", dQuote(name), call. = FALSE)
  place
}

coded <- function(question, cells) {
  known <- c("", "?", "-", question$cells, paste0("'", question$cells))
  # A place that a rule hides counts as not asked.
  hidden <- if (question$asked_if_shown) NA else HIDDEN
  place <- match(cells, known)
  if (anyNA(place)) {
    stop(dQuote(cells[is.na(place)][1]), " is no answer to ", dQuote(question$name), call. = FALSE)
  }
  c(NA, NA, hidden, question$code, question$code)[place]
}

# By group (open or direct, disguised) and answer: records asked the question, shown it, having the answer.
answer_counts <- function(answers, records, among = rep(TRUE, length(records$disguised))) {
  groups <- list(which(among & !records$disguised), which(among & records$disguised))
  count <- function(has) {
    counts <- vapply(seq_len(nrow(answers)), function(row) {
      has_it <- has(records$codes[[answers$question[row]]], answers$code[row])
      vapply(groups, function(rows) as.numeric(sum(has_it[rows], na.rm = TRUE)), 0)
    }, c(0, 0))
    matrix(counts, nrow = 2)
  }
  list(asked = count(function(codes, code) !is.na(codes)), shown = count(function(codes, code) codes > HIDDEN),
       having = count(function(codes, code) codes == code))
}
