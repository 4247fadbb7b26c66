# Records in the export of another tool, inside which the survey's page was shown (docs/elsewhere.md).

WRITTEN <- paste0("^\\{\"key\":\"([0-9a-f]{32})\",\"record\":\\{\"design\":\"([0-9a-f]{64})\",\"group\":([01]),",
                  "\"answers\":\"([0-9]*)\"\\}\\}$")

# `source`: a data frame, or the name of a file in CSV or JSON. `beside`: the other columns to take, by default all.
read_export <- function(source, design, beside = NULL) {
  if (design$arms || design$open_answers) {
    stop("the design lets people answer openly or directly, so no tool may ask it", call. = FALSE)
  }
  # The name of a design is the hash of its file, as Candor writes it.
  fingerprint <- sha256(design$text)
  design$layout <- layout_of(fromJSON(design$text, simplifyVector = FALSE))
  export <- if (is.data.frame(source)) source else read_table(source)
  texts <- do.call(rbind, lapply(seq_along(export), function(place) {
    cells <- if (is.factor(export[[place]])) as.character(export[[place]]) else export[[place]]
    rows <- if (is.character(cells)) grep("candor1", cells, ignore.case = TRUE, useBytes = TRUE) else integer()
    data.frame(row = rows, place = rep(place, length(rows)), cell = cells[rows])
  }))
  # A person may have typed a text of a page into a field of the tool, which takes no column away.
  found <- tabulate(as.integer(texts$place), length(export))
  places <- which(2 * found > vapply(export, function(column) sum(!is.na(column) & column != ""), 0L))
  columns <- columns_beside(export, beside, places)
  taken <- intersect(names(columns), vapply(answer_columns(design), `[[`, "", "name"))
  if (length(taken)) stop(dQuote(taken[1]), " is an answer of the design too: rename the column", call. = FALSE)
  read <- handed_records(texts, design, fingerprint)
  used <- read[read$why == "", ]
  left_out <- table(factor(read$why[read$why != ""], unique(read$why[read$why != ""])))
  left_out <- c(as.list(left_out), if (nrow(used) < nrow(export)) list("row without a record" = nrow(export) - nrow(used)))
  if (!nrow(used)) {
    stop("the export holds no record of this design, whose file must be as Candor wrote it", call. = FALSE)
  }
  codes <- codes_of_texts(used$answers, design)
  records <- records_of_codes(design, codes)
  answers <- answer_columns(design)
  frame <- columns[used$row, , drop = FALSE]
  for (answer in answers) {
    code <- records$codes[[answer$question]]
    shown <- !is.na(code) & code > 0
    choices <- design$questions[[answer$question]]$choices
    frame[[answer$name]] <- if (is.null(answer$code)) ifelse(shown, choices[replace(code, !shown, NA)], NA)
                            else ifelse(shown, as.numeric(code == answer$code), NA)
  }
  laws <- Filter(Negate(is.null), lapply(answers, `[[`, "law"))
  names(laws) <- vapply(Filter(function(answer) !is.null(answer$law), answers), `[[`, "", "name")
  structure(list(records = records, frame = frame, laws = laws, left_out = left_out), class = "candor_export")
}

print.candor_export <- function(x, ...) {
  reasons <- sprintf(", %s left out for %s", unlist(x$left_out), names(x$left_out))
  cat("Export of ", nrow(x$frame), " records", reasons, ".\n", sep = "")
  cat("These records stand beside what names people: nothing is withheld below any least number of them.\n")
  invisible(x)
}

# A file of any tool; all cells of CSV are texts.
read_table <- function(file) {
  if (grepl("\\.(json|jsonl|ndjson)$", file, ignore.case = TRUE)) return(frame_of_json(file))
  # Excel and Qualtrics write UTF-16, which begins with a mark; old programs the letters of Windows.
  has_mark <- list(readBin(file, "raw", 2)) %in% list(as.raw(c(255, 254)), as.raw(c(254, 255)))
  encoding <- if (has_mark) "UTF-16" else if (all(validUTF8(readLines(file, warn = FALSE, skipNul = TRUE)))) "UTF-8" else "CP1252"
  line <- readLines(con <- file(file, encoding = encoding), 1, warn = FALSE, skipNul = TRUE)
  close(con)
  if (!length(line)) stop(file, " is empty", call. = FALSE)
  separators <- c(",", ";", "\t", "|")
  separator <- separators[which.max(vapply(separators, function(one) nchar(gsub(paste0("[^", one, "]"), "", line)), 0L))]
  cells <- count.fields(con <- file(file, encoding = encoding), separator, "\"", comment.char = "")
  close(con)
  cells <- cells[!is.na(cells)]
  export <- read.table(file, sep = separator, quote = "\"", comment.char = "", header = FALSE, colClasses = "character",
                       na.strings = character(), fileEncoding = encoding, fill = TRUE, skipNul = TRUE)
  names(export) <- sub("^\ufeff", "", unlist(export[1, ]))
  # Else columns would move by one, or a record be taken for the name of its column.
  if (any(cells > cells[1]) || any(grepl("^'?candor1t?[.][A-Za-z0-9_-]+$", names(export)))) {
    stop(file, ": the first row must hold the names of the columns, one for each cell of a row", call. = FALSE)
  }
  export <- export[-1, , drop = FALSE]
  # Qualtrics has three rows of names, of which the third holds JSON.
  if (nrow(export) > 1 && any(startsWith(unlist(export[2, ]), "{\"ImportId\""))) export <- export[-(1:2), , drop = FALSE]
  rownames(export) <- NULL
  export[] <- lapply(export, function(column) ifelse(column == "", NA, column))
  export
}

# A list of objects, or an object a line; what is nested gets names such as data.age.
frame_of_json <- function(file) {
  lines <- readLines(file, warn = FALSE)
  text <- paste(lines, collapse = "\n")
  rows <- if (validate(text)) text else paste0("[", paste(lines[nzchar(lines)], collapse = ","), "]")
  as.data.frame(fromJSON(rows, flatten = TRUE))
}

columns_beside <- function(export, beside, places) {
  unknown <- setdiff(beside, names(export))
  if (length(unknown)) stop("the export has no column ", dQuote(unknown[1]), call. = FALSE)
  others <- setdiff(which(!duplicated(names(export))), places)
  columns <- export[if (is.null(beside)) others else match(beside, names(export))]
  columns[] <- lapply(columns, function(column) {
    numbers <- if (is.character(column)) suppressWarnings(as.numeric(column)) else column
    if (is.character(column) && any(is.na(numbers) & !is.na(column))) column else numbers
  })
  columns
}

# By text row, answers and `why` it gives no record; in the order of the rows.
handed_records <- function(texts, design, fingerprint) {
  bare <- sub("^'", "", texts$cell)
  why <- ifelse(grepl("^candor1\\.[A-Za-z0-9_-]+$", bare), "", ifelse(grepl("^candor1t\\.[A-Za-z0-9_-]+$", bare), "trial", "near miss"))
  parts <- matrix("", length(bare), 4)
  for (one in which(why == "")) {
    coded <- substring(bare[one], 9)
    read <- tryCatch(base64url_dec(coded), error = function(e) raw())
    text <- if (length(read) && !any(read == 0) && identical(gsub("[\n=]", "", base64url_enc(read)), coded)) rawToChar(read) else ""
    if (grepl(WRITTEN, text, useBytes = TRUE)) {
      parts[one, ] <- regmatches(text, regexec(WRITTEN, text))[[1]][-1]
    } else why[one] <- "malformed"
  }
  why[why == "" & parts[, 2] != fingerprint] <- "another design"
  own <- which(why == "")
  why[own][!are_possible(parts[own, 3], parts[own, 4], design)] <- "malformed"
  read <- data.frame(row = texts$row, key = parts[, 1], answers = parts[, 4], why = why)
  read <- read[order(read$row), ]
  own <- which(read$why == "")
  again <- duplicated(read$key[own])
  read$why[own[again]] <- "repeated key"
  read$why[own[!again][duplicated(read$row[own[!again]])]] <- "further record of its row"
  read
}

# Whether a device could have sent these answers.
are_possible <- function(group, answers, design) {
  width <- sum(vapply(design$layout, `[[`, 0, "width"))
  possible <- group == "1" & nchar(answers) == width
  if (!any(possible)) return(possible)
  codes <- codes_of_texts(answers[possible], design)
  fits <- rep(TRUE, sum(possible))
  sections <- vapply(design$layout, `[[`, 0, "section")
  for (place in seq_along(design$layout)) {
    question <- design$layout[[place]]
    code <- codes[[place]]
    applies <- rep(TRUE, length(code))
    for (name in names(question$show_if)) {
      other <- design$layout[[name]]
      applies <- applies & codes[[name]] %in% (match(unlist(question$show_if[[name]]), other$choices) - 1)
    }
    is_asked <- code != question$codes
    fits <- fits & code <= question$codes + 1 & (!is_asked | (code == question$codes + 1) != applies)
  }
  for (section in unique(sections)) {
    there <- which(sections == section)
    asked <- Reduce(`+`, lapply(there, function(place) codes[[place]] != design$layout[[place]]$codes))
    fits <- fits & asked == design$layout[[there[1]]]$asked
  }
  possible[possible] <- fits
  possible
}

# By question the codes, counted from 0.
codes_of_texts <- function(answers, design) {
  at <- 1
  lapply(design$layout, function(question) {
    first <- at
    at <<- at + question$width
    as.integer(substring(answers, first, at - 1))
  })
}

# As `read_records` gives them: counted from 1, 0 where a rule hides the question, NA where it was not asked.
records_of_codes <- function(design, codes) {
  counted <- Filter(function(question) length(question$choices), design$questions)
  list(disguised = rep(TRUE, length(codes[[1]])),
       codes = lapply(counted, function(question) {
         hidden <- if (question$asked_if_shown) NA else HIDDEN
         c(question$code, NA, hidden)[codes[[question$name]] + 1]
       }),
       cells = lapply(scored_questions(design), function(question) {
         design$layout[[question$name]]$cells[codes[[question$name]] + 1]
       }))
}

# Columns of the frame: of a plain question its choice, of a sensitive one each answer as 1 or 0, with its law.
answer_columns <- function(design) {
  counted <- Filter(function(question) length(question$choices), design$questions)
  unlist(unname(lapply(counted, function(question) {
    if (!question$sensitive) return(list(list(name = question$name, question = question$name)))
    is_yes_no <- identical(question$choices, c("no", "yes"))
    lapply(if (is_yes_no) 2 else seq_along(question$choices), function(code) {
      name <- if (is_yes_no) question$name else paste0(question$name, "=", question$choices[code])
      law <- response_law(question$keep, (1 - question$keep) * question$noise[code], name = paste("law of", name))
      list(name = name, question = question$name, code = code, law = law)
    })
  })), recursive = FALSE)
}

# Of each question the place of its code in the text of the answers: number of codes, and of digits.
layout_of <- function(design) {
  layout <- do.call(c, lapply(seq_along(design$sections), function(place) {
    section <- design$sections[[place]]
    lapply(section$questions, function(question) {
      choices <- vapply(question$choices, name_of, "")
      cells <- if (section$kind == "subset") {
        combn(choices, section$size, paste, collapse = "+")
      } else if (section$kind == "number") {
        if (identical(question$law, "classes")) scored_law(section, question)$cells
      } else if (section$kind == "place") vapply(question$cells, `[[`, "", "name") else choices
      codes <- if (is.null(cells)) question$values else length(cells)
      list(name = question$name, section = place, codes = codes, width = nchar(codes + 1), cells = cells, choices = choices,
           show_if = question$show_if, asked = if (is.null(section$asked)) length(section$questions) else section$asked)
    })
  }))
  names(layout) <- vapply(layout, `[[`, "", "name")
  layout
}

# SHA-256 (FIPS 180-4) of a text, in hexadecimal digits; R has none of its own before 4.5. A word is 32 bits, as logicals.
sha256 <- function(text) {
  as_bits <- function(number) (number %/% 2^(31:0)) %% 2 == 1
  as_number <- function(bits) sum(2^(31:0)[bits])
  turn <- function(bits, by) bits[c((33 - by):32, 1:(32 - by))]
  shift <- function(bits, by) c(rep(FALSE, by), bits[1:(32 - by)])
  fraction <- function(roots) floor((roots %% 1) * 2^32)
  primes <- Filter(function(n) all(n %% seq_len(n)[-c(1, n)] > 0), 2:311)
  k <- fraction(primes^(1 / 3))
  hash <- fraction(sqrt(primes[1:8]))
  bytes <- as.integer(charToRaw(enc2utf8(text)))
  bytes <- c(bytes, 128, rep(0, (55 - length(bytes)) %% 64), (8 * length(bytes)) %/% 256^(7:0) %% 256)
  for (block in split(colSums(matrix(bytes, 4) * 256^(3:0)), rep(seq_len(length(bytes) / 64), each = 16))) {
    w <- block
    for (i in 17:64) {
      a <- as_bits(w[i - 15])
      b <- as_bits(w[i - 2])
      w[i] <- (w[i - 16] + w[i - 7] + as_number(xor(xor(turn(a, 7), turn(a, 18)), shift(a, 3))) +
                 as_number(xor(xor(turn(b, 17), turn(b, 19)), shift(b, 10)))) %% 2^32
    }
    v <- lapply(hash, as_bits)
    for (i in 1:64) {
      e <- v[[5]]
      first <- as_number(v[[8]]) + as_number(xor(xor(turn(e, 6), turn(e, 11)), turn(e, 25))) +
        as_number(xor(e & v[[6]], !e & v[[7]])) + k[i] + w[i]
      a <- v[[1]]
      second <- as_number(xor(xor(turn(a, 2), turn(a, 13)), turn(a, 22))) +
        as_number(xor(xor(a & v[[2]], a & v[[3]]), v[[2]] & v[[3]]))
      v <- c(list(as_bits((first + second) %% 2^32)), v[1:3], list(as_bits((as_number(v[[4]]) + first) %% 2^32)), v[5:7])
    }
    hash <- (hash + vapply(v, as_number, 0)) %% 2^32
  }
  paste(sprintf("%04x%04x", as.integer(hash %/% 65536), as.integer(hash %% 65536)), collapse = "")
}
