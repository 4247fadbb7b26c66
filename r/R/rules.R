# Itemsets and association rules between answers that are counted (docs/mathematics.md, Score test and Lift interval).

ERRORS <- 3
ROUNDING <- 1e-9
LEAST_LACKING <- 10
LARGEST_LIFT <- 1000

# The itemsets of this support or more, larger ones made of those that reach it within three standard errors. No is no item
# of a question of yes and no.
itemsets <- function(design, records, min_support, max_size = 3) {
  check_threshold(min_support)
  answers <- design$answers
  yes_no <- answers$question %in% answers$question[endsWith(answers$item, "=yes")]
  absent <- !answers$listed | endsWith(answers$item, "=prefer-not-to-say") | yes_no & endsWith(answers$item, "=no")
  candidates <- as.list(which(!absent))
  reported <- list()
  for (size in seq_len(max_size)) {
    if (!length(candidates)) break
    found <- supports(design, records, lapply(candidates, function(rows) answers$item[rows]))
    survives <- !is.na(found$support) & found$observed > 0 & found$support + ERRORS * found$se >= min_support - ROUNDING
    reaches <- survives & found$support >= min_support - ROUNDING
    reported <- c(reported, list(cbind(found[reaches, ], items = I(lapply(candidates[reaches], function(rows) answers$item[rows])))))
    candidates <- Filter(function(rows) !settled(design, answers[rows, ]), next_candidates(candidates[survives], answers))
  }
  table <- do.call(rbind, reported)
  if (is.null(table)) return(NULL)
  table <- table[order(-table$support, lengths(table$items)), ]
  row.names(table) <- NULL
  table
}

check_threshold <- function(share) {
  if (!isTRUE(share > 0 && share <= 1)) stop(substitute(share), " must be above 0 and at most 1", call. = FALSE)
}

# Itemsets with one answer more, all of whose parts are there.
next_candidates <- function(known, answers) {
  if (!length(known)) return(list())
  keys <- vapply(known, paste, "", collapse = " ")
  size <- length(known[[1]])
  unlist(lapply(seq_along(known), function(i) {
    partners <- Filter(function(j) identical(known[[i]][-size], known[[j]][-size]), seq_along(known)[seq_along(known) > i])
    joined <- lapply(partners, function(j) c(known[[i]], known[[j]][size]))
    Filter(function(rows) {
      !anyDuplicated(answers$question[rows]) &&
        all(vapply(seq_along(rows), function(k) paste(rows[-k], collapse = " ") %in% keys, NA))
    }, joined)
  }), recursive = FALSE)
}

# Whether the rules that hide questions make an itemset impossible, or one of its answers certain.
settled <- function(design, answers) {
  allowed <- list()
  waiting <- answers$question
  seen <- character()
  while (length(waiting)) {
    rules <- design$questions[[waiting[1]]]$show_if
    seen <- c(seen, waiting[1])
    for (name in names(rules)) {
      before <- allowed[[name]]
      allowed[[name]] <- if (is.null(before)) unlist(rules[[name]]) else intersect(before, unlist(rules[[name]]))
    }
    waiting <- setdiff(c(waiting[-1], names(rules)), seen)
  }
  any(vapply(seq_len(nrow(answers)), function(row) {
    question <- design$questions[[answers$question[row]]]
    left <- allowed[[question$name]]
    !is.null(left) && (!question$choices[answers$code[row]] %in% left || length(left) == 1 && length(question$choices) > 1)
  }, NA))
}

# Rules of these itemsets, both directions of each split, in two lists, pairs and larger itemsets, each by p; the estimates are
# among the records to which all of it applies.
rules <- function(design, records, min_support, min_confidence, max_size = 3) {
  check_threshold(min_confidence)
  found <- itemsets(design, records, min_support, max_size)
  splits <- unlist(lapply(which(lengths(found$items) > 1), function(row) {
    items <- found$items[[row]]
    masks <- Filter(function(mask) mask %% 2 == 1, seq_len(2^length(items) - 2))
    lapply(masks, function(mask) list(items = items, first = bitwAnd(mask, 2^(seq_along(items) - 1)) > 0, support = found$support[row]))
  }), recursive = FALSE)
  table <- do.call(rbind, lapply(splits, function(split) rules_of(design, records, split, min_confidence)))
  if (is.null(table)) return(NULL)
  table <- table[order(table$list == "larger", table$p, -table$support), ]
  row.names(table) <- NULL
  table
}

rules_of <- function(design, records, split, min_confidence) {
  table <- split_table(design, records, split$items, split$first)
  if (is.null(table)) return(NULL)
  base <- table$supports[1:2]
  confidence <- ifelse(abs(base) < 1e-9, NA, table$supports[3] / base)
  reaches <- which(!is.na(confidence) & confidence >= min_confidence - ROUNDING)
  if (!length(reaches)) return(NULL)
  lift <- if (base[2] == 0 || is.na(confidence[1])) NA else confidence[1] / base[2]
  of_lift <- z_of_split(table, "lift")
  ends <- lift_ends(of_lift, table$lacking)
  sides <- c(paste(split$items[split$first], collapse = " "), paste(split$items[!split$first], collapse = " "))
  do.call(rbind, lapply(reaches, function(side) {
    z <- z_of_split(table, c("first", "second")[side])
    interval <- score_interval(function(rows, t) vapply(t, z, 0), 0, 1)
    data.frame(antecedent = sides[side], consequent = sides[3 - side],
               list = if (length(split$items) > 2) "larger" else "pairs", eligible = sum(table$n), support = split$support,
               antecedent_support = base[side], consequent_support = base[3 - side], confidence = confidence[side],
               confidence_low = interval[1], confidence_high = interval[2], lift = lift, lift_low = ends[1], lift_high = ends[2],
               p = 2 * pnorm(-abs(of_lift(1))))
  }))
}

# By group (open, disguised) and cell the records of E(S); the cells are the subsets of the parts of S: the answers of one side
# in one section, which share its draw. `law` is that of the disguise between cells, `scores` has z of both sides and of all.
split_table <- function(design, records, items, first) {
  answers <- answers_named(design, items)
  counted <- counted_records(design, records, answers)
  codes <- counted$codes[counted$applies, , drop = FALSE]
  open <- counted$open[counted$applies]
  has <- sweep(codes, 2, answers$code, "==")
  section <- ifelse(answers$sensitive, answers$section, 0)
  part <- match(paste(section, first), unique(paste(section, first)[order(section, !first)]))
  parts <- lapply(seq_len(max(part)), function(bit) which(part == bit))
  section_of <- vapply(parts, function(rows) section[rows[1]], 0)
  of_first <- vapply(parts, function(rows) first[rows[1]], NA)
  noise <- vapply(parts, function(rows) if (answers$sensitive[rows[1]]) prod(answers$noise[rows]) else 1, 0)
  surely <- rowSums(!has[, answers$noise == 0, drop = FALSE]) == 0
  n <- c(sum(open), sum(!open))
  telling <- if (any(answers$noise == 0)) c(sum(open & surely), sum(!open & surely)) else n
  if (!enough(matrix(n, 2), matrix(telling, 2))) return(NULL)
  bits <- length(parts)
  inside <- outer(0:(2^bits - 1), 2^(seq_len(bits) - 1), bitwAnd) > 0
  cell <- vapply(parts, function(rows) rowSums(!has[, rows, drop = FALSE]) == 0, logical(nrow(has)))
  cell <- 1 + as.vector(matrix(cell, nrow(has)) %*% 2^(seq_len(bits) - 1))
  counts <- rbind(tabulate(cell[open], 2^bits), tabulate(cell[!open], 2^bits))
  law <- matrix(1, 1, 1)
  keeps <- numeric()
  sides <- list(of_first, !of_first, rep(TRUE, bits))
  scores <- array(1, c(3, 2, 2^bits))
  for (name in unique(section_of)) {
    own <- which(section_of == name)
    keep <- if (name == 0) 1 else answers$keep[parts[[own[1]]][1]]
    if (name != 0) keeps <- c(keeps, keep)
    small <- inside[seq_len(2^length(own)), seq_along(own), drop = FALSE]
    chance <- apply(small, 1, function(cell) prod(ifelse(cell, noise[own], 1 - noise[own])))
    law <- kronecker(keep * diag(2^length(own)) + (1 - keep) * matrix(chance, 2^length(own), 2^length(own), byrow = TRUE), law)
    for (side in 1:3) {
      mine <- own[sides[[side]][own]]
      if (!length(mine)) next
      there <- rowSums(!inside[, mine, drop = FALSE]) == 0
      by_chance <- if (name == 0) 0 else (1 - keep) * prod(noise[mine])
      scores[side, 1, ] <- scores[side, 1, ] * there
      scores[side, 2, ] <- scores[side, 2, ] * (there - by_chance) / keep
    }
  }
  having <- function(side) rowSums(!inside[, side, drop = FALSE]) == 0
  moments <- split_moments(counts, n, scores)
  c(list(n = n, counts = counts, law = law, scores = scores, slope = c(1, prod(keeps)),
         sign = (-1)^rowSums(!inside), class = 1 + 2 * (!having(of_first)) + (!having(!of_first)),
         lacking = min(sum(n) - sum(counts[, having(of_first)]), sum(n) - sum(counts[, having(!of_first)])),
         alone = 1 + c(2^bits - 1, sum(2^(which(of_first) - 1)), sum(2^(which(!of_first) - 1)), 0)), moments)
}

# P_A, P_C and P_S, the variances of the first two and their covariance.
split_moments <- function(counts, n, scores) {
  mean_of <- function(first, second = NULL) {
    z <- scores[first, , ] * if (is.null(second)) 1 else scores[second, , ]
    sum(counts * z) / sum(n)
  }
  supports <- vapply(1:3, mean_of, 0)
  variance <- vapply(1:2, function(side) mean_of(side, side) - supports[side]^2, 0) / sum(n)
  list(supports = supports, variance = variance, covariance = (mean_of(1, 2) - supports[1] * supports[2]) / sum(n))
}

# z at t of the confidence of the first side's rule, of the second's, or of the lift. psi is z(S) - t z(B).
z_of_split <- function(table, test) {
  n <- table$n
  w <- n / sum(n)
  received <- table$counts / pmax(n, 1)
  true <- pmax(rbind(received[1, ], received[2, ] %*% solve(table$law)), 0)
  true <- true / ifelse(rowSums(true) > 0, rowSums(true), 1)
  # The classes before the disguise: all of S, the first side alone, the second alone, the rest.
  total <- vapply(1:4, function(of) rowSums(true[, table$class == of, drop = FALSE]), c(0, 0))
  chances <- lapply(1:4, function(of) {
    inside <- sweep(true, 2, table$class == of, "*") / ifelse(total[, of] > 0, total[, of], 1)
    inside[total[, of] <= 0, table$alone[of]] <- 1
    rbind(inside[1, ], inside[2, ] %*% table$law)
  })
  ahead <- if (test == "second") c(3, 2) else c(2, 3)
  a <- total[, 1] + total[, ahead[1]]
  c <- total[, 1] + total[, ahead[2]]
  p <- table$supports
  lift <- test == "lift"
  factor <- switch(test, first = c(1, 0), second = c(0, 1), lift = p[2:1])
  low <- if (lift) pmax(0, a + c - 1) else c(0, 0)
  high <- if (lift) pmin(a, c) else a
  unit <- if (lift) a * c else a
  whole <- if (lift) sum(w * a) * sum(w * c) else sum(w * a)
  goal <- if (lift) p[1] * p[2] else if (test == "second") p[2] else p[1]
  below <- if (lift) goal - table$covariance else goal
  most <- if (lift) max(p[3], min(p[1:2])) else Inf
  spread <- if (lift) abs(prod(table$variance)) + table$covariance^2 else 0
  of_s <- matrix(table$scores[3, , ], 2)
  of_b <- factor[1] * matrix(table$scores[1, , ], 2) + factor[2] * matrix(table$scores[2, , ], 2)
  within <- function(share) pmin(pmax(share, low), high)
  cells_at <- function(share) {
    only <- pmin(pmax(c - share, 0), 1 - a)
    share * chances[[1]] + (a - share) * chances[[ahead[1]]] + only * chances[[ahead[2]]] + (1 - a - only) * chances[[4]]
  }
  all_of_s <- sum(table$counts[, table$class == 1])
  lacking <- sum(table$counts[, table$class == ahead[1]])
  function(t) {
    psi <- of_s - t * of_b
    step <- c(1, 1)
    if (any(w <= 0)) step <- c(w[1] > 0, w[2] > 0) + 0 else {
      cells <- cells_at(within(t * unit))
      variance <- rowSums(cells * psi^2) - rowSums(cells * psi)^2
      if (sum(w * variance) != 0) step <- variance / sum(w * variance)
    }
    wanted <- min(max(t * whole, sum(w * low)), sum(w * high))
    raw <- total[, 1] - (sum(w * total[, 1]) - wanted) * step
    moved <- within(raw)
    if (any(moved != raw) || any(w <= 0)) {
      for (group in 2:1) {
        if (w[group] > 0) moved[group] <- within(rep((wanted - w[3 - group] * moved[3 - group]) / w[group], 2))[group]
      }
    }
    cells <- w * cells_at(moved)
    e <- vapply(1:3, function(k) sum(cells * psi^k), 0)
    lowered <- w * received - (p[3] - min(t * goal, most)) * w * step * table$slope * matrix(table$sign, 2, length(table$sign), byrow = TRUE)
    square <- max(e[2] - e[1]^2, sum(lowered * psi^2) - sum(lowered * psi)^2) / sum(n) + t^2 * spread
    z <- standardised(p[3] - t * below, square, (e[3] - 3 * e[1] * e[2] + 2 * e[1]^3) / sum(n)^2)
    # With at most three records of a cell the Poisson probability bounds z.
    if (all_of_s <= 3 && z > 0) z <- min(z, z_of_fewer(all_of_s, sum(n) * sum(cells[, table$class == 1])))
    if (!lift && lacking <= 3 && z < 0) z <- -min(-z, z_of_fewer(lacking, sum(n) * sum(cells[, table$class == ahead[1]])))
    z
  }
}

# Both ends NA: no interval; the upper one NA: there is none.
lift_ends <- function(z, lacking, critical_z = NORMAL_95) {
  if (lacking < LEAST_LACKING) return(c(NA_real_, NA_real_))
  at <- function(target, a, b) find_root(function(t) vapply(t, z, 0) - target, a, b, z(a) - target, z(b) - target)
  above_one <- function(target) {
    start <- 1
    while (start < LARGEST_LIFT) {
      end <- min(2 * start, LARGEST_LIFT)
      after <- z(end)
      if (if (target > 0) after <= target else after < target) return(at(target, start, end))
      start <- end
    }
    NA_real_
  }
  at_0 <- z(0)
  at_1 <- z(1)
  if (at_0 < -critical_z) return(c(NA_real_, NA_real_))
  low <- if (at_1 > critical_z) above_one(critical_z) else if (at_0 > critical_z) at(critical_z, 0, 1) else 0
  high <- if (at_1 < -critical_z) at(-critical_z, 0, 1) else if (is.na(low)) NA_real_ else above_one(-critical_z)
  c(low, high)
}
