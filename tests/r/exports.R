# Reads each export of a folder with the package; `exports.json` is the answer.
library(candor)
asked <- jsonlite::fromJSON("asked.json", simplifyVector = FALSE)
read <- lapply(asked, function(one) {
  export <- read_export(one$export, read_design(one$design))
  list(left_out = export$left_out, laws = lapply(export$laws, function(law) c(law$keep, law$chance)),
       frame = lapply(export$frame, function(column) if (is.numeric(column)) as.numeric(column) else as.character(column)),
       codes = lapply(export$records$codes, as.numeric), cells = export$records$cells,
       shares = as.data.frame(candor::shares(theft ~ arm, export$frame, export$laws)))
})
writeLines(jsonlite::toJSON(read, auto_unbox = TRUE, digits = NA, na = "null", null = "null"), "exports.json")
invisible(gc())  # warns of a connection that was left open
