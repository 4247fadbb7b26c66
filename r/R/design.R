# What the file of a design says of its questions (docs/formats.md, Design).

read_design <- function(file) {
  text <- if (grepl("^\\s*\\{", file)) file else paste(readLines(file, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  design <- fromJSON(text, simplifyVector = FALSE)
  if (!identical(design$format, "candor-design/1")) {
    stop("not a design: its format must be candor-design/1", call. = FALSE)
  }
  questions <- do.call(c, lapply(seq_along(design$sections), function(place) {
    section <- c(design$sections[[place]], place = place)
    lapply(section$questions, question_of, section = section, language = c(design$languages, "en")[[1]])
  }))
  names(questions) <- vapply(questions, `[[`, "", "name")
  direct <- if (is.null(design$direct)) 0 else as.numeric(design$direct)
  structure(list(questions = questions, answers = do.call(rbind, lapply(unname(questions), answers_of)),
                 arms = direct > 0, direct = direct, open_answers = isTRUE(design$open_answers), text = text),
            class = "candor_design")
}

print.candor_design <- function(x, ...) {
  print(x$answers[c("item", "kind", "keep", "noise")], ...)
  invisible(x)
}

# One question: `choices` are its answers, `cells` what a record file can hold, `code` the answer of each cell.
question_of <- function(question, section, language) {
  choices <- vapply(question$choices, name_of, "")
  form <- question$form
  if (is.null(form)) form <- if (identical(choices, c("no", "yes"))) "yes-no" else "one"
  about <- list(name = question$name, kind = section$kind, section = section$place, sensitive = section$kind != "plain",
                hidden = length(question$show_if) > 0, show_if = question$show_if, asked_if_shown = FALSE, cells = choices,
                code = seq_along(choices), choices = choices,
                listed = seq_along(choices) > form %in% c("yes-no", "many"),
                same = list(choices, text_in(question$text, language)))
  if (!is.null(question$of)) {
    about$same <- c(about$same, lapply(question$choices, function(choice) text_in(choice$label, language)))
  }
  law <- switch(section$kind,
    plain = list(keep = 1, noise = rep(0, length(choices))),
    "unrelated-question" = list(keep = as.numeric(section$keep), noise = noise_of(question, length(choices))),
    crosswise = list(keep = abs(10000 - 2 * round(10000 * as.numeric(question$share))) / 10000, noise = c(0.5, 0.5)),
    place = place_of(question),
    # Numbers and sets of choices have no answers that are counted, but scores of codes.
    list(keep = NA, noise = numeric(), choices = character(), listed = logical(), scored = scored_law(section, question)))
  about[names(law)] <- law
  about
}

name_of <- function(choice) if (is.list(choice)) choice$name else choice

text_in <- function(text, language) {
  if (is.null(text)) "" else if (!is.list(text)) text else if (is.null(text[[language]])) "" else text[[language]]
}

# The probability of each choice among random answers; by default even, the first ones get the spare ten-thousandths.
noise_of <- function(question, choices) {
  if (!is.null(question$noise)) return(as.numeric(unlist(question$noise)))
  (10000 %/% choices + (seq_len(choices) <= 10000 %% choices)) / 10000
}

# A region is the choice of an unrelated question (docs/mathematics.md, Places in surveys).
place_of <- function(question) {
  cells <- vapply(question$cells, `[[`, "", "name")
  regions <- lapply(question$regions, function(region) unlist(region$cells))
  inside <- length(unlist(regions))
  code <- match(cells, unlist(regions))
  code <- ifelse(is.na(code), length(regions) + 1, rep(seq_along(regions), lengths(regions))[code])
  elsewhere <- inside < length(cells)
  choices <- c(vapply(question$regions, `[[`, "", "name"), if (elsewhere) "elsewhere")
  excess <- question$near * (as.numeric(question$odds) - 1)
  list(keep = excess / (excess + inside), noise = c(lengths(regions) / inside, if (elsewhere) 0), cells = cells,
       code = code, choices = choices, listed = rep(TRUE, length(choices)), asked_if_shown = TRUE)
}

answers_of <- function(question) {
  if (!length(question$choices)) return(NULL)
  data.frame(item = paste0(question$name, "=", question$choices), question = question$name,
             code = seq_along(question$choices), kind = question$kind, section = question$section, sensitive = question$sensitive,
             hidden = question$hidden, listed = question$listed, keep = question$keep, noise = question$noise,
             chance = (1 - question$keep) * question$noise, row.names = NULL)
}
