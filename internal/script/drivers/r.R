# The driver of R 3.6 and later: the engine's side of spec/engine-protocol.md, with base packages alone.
#
# R has no connection whose writer is R code. So what a program prints goes to a file, and the file is emptied into
# messages where the driver has control: before and after each call of cat, print, writeLines and message in a cell, at
# warnings, questions and plots, and after each expression.

local({
  quiet <- function(expr) suppressWarnings(suppressMessages(expr))
  requests <- quiet(file("/dev/fd/3", "rb", blocking = TRUE))
  messages <- quiet(file("/dev/fd/4", "wb", blocking = TRUE))
  raws <- quiet(list(file("/dev/fd/1", "wb"), file("/dev/fd/2", "wb")))
  folder <- tempfile("quire-")
  dir.create(folder)
  if (!isTRUE(l10n_info()[["UTF-8"]])) for (locale in c("C.UTF-8", "en_US.UTF-8", "UTF-8")) if (nzchar(quiet(Sys.setlocale("LC_CTYPE", locale)))) break

  # JSON. Texts are written as bytes in UTF-8, marked as such.

  quote_json <- function(text) {
    text <- enc2utf8(as.character(text))
    bad <- !validUTF8(text)
    if (any(bad)) text[bad] <- iconv(text[bad], "latin1", "UTF-8")
    text <- gsub("\\", "\\\\", text, fixed = TRUE)
    text <- gsub("\"", "\\\"", text, fixed = TRUE)
    if (any(grepl("[\x01-\x1f\x7f]", text, useBytes = TRUE))) {
      text <- gsub("\n", "\\n", text, fixed = TRUE)
      text <- gsub("\r", "\\r", text, fixed = TRUE)
      text <- gsub("\t", "\\t", text, fixed = TRUE)
      for (code in c(1:8, 11, 12, 14:31, 127)) text <- gsub(rawToChar(as.raw(code)), sprintf("\\u%04x", code), text, fixed = TRUE)
    }
    paste0("\"", text, "\"")
  }

  digits <- charToRaw("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  base64 <- function(bytes) {
    n <- length(bytes)
    if (n == 0L) return("")
    three <- matrix(as.integer(c(bytes, raw((3L - n %% 3L) %% 3L))), nrow = 3L)
    code <- rbind(three[1L, ] %/% 4L, three[1L, ] %% 4L * 16L + three[2L, ] %/% 16L, three[2L, ] %% 16L * 4L + three[3L, ] %/% 64L, three[3L, ] %% 64L)
    out <- digits[as.vector(code) + 1L]
    if (n %% 3L) out[length(out) - seq_len(3L - n %% 3L) + 1L] <- charToRaw("=")
    rawToChar(out)
  }

  object <- function(...) {
    fields <- list(...)
    fields <- fields[!vapply(fields, is.null, NA)]
    structure(fields, class = "json_object")
  }

  encode <- function(x) {
    if (is.null(x)) return("null")
    if (is.data.frame(x)) return(encode(lapply(seq_len(nrow(x)), function(i) lapply(as.list(x), function(column) if (is.factor(column)) as.character(column)[i] else column[[i]]))))
    if (is.factor(x)) x <- as.character(x)
    if (inherits(x, "json_object") || is.list(x) && !is.null(names(x)) && length(x))
      return(paste0("{", paste0(quote_json(names(x)), ":", vapply(unclass(x), encode, ""), collapse = ","), "}"))
    if (inherits(x, "json_object")) return("{}")
    if (is.list(x)) return(paste0("[", paste(vapply(x, encode, ""), collapse = ","), "]"))
    if (is.function(x) || is.environment(x) || is.language(x)) stop("a ", class(x)[1L], " has no JSON")
    as_is <- inherits(x, "AsIs")
    if (as_is) class(x) <- setdiff(class(x), "AsIs")
    if (is.object(x)) x <- if (is.numeric(x)) unclass(x) else as.character(x)
    items <- if (is.character(x)) ifelse(is.na(x), "null", quote_json(x))
    else if (is.logical(x)) ifelse(is.na(x), "null", ifelse(x, "true", "false"))
    else if (is.numeric(x)) ifelse(is.finite(x), trimws(formatC(x, digits = 15L, format = "fg", width = 1L)), "null")
    else quote_json(as.character(x))
    if (is.numeric(x) && any(wide <- is.finite(x) & (abs(x) >= 1e15 | abs(x) < 1e-5 & x != 0))) items[wide] <- sprintf("%.15g", x[wide])
    if (is.numeric(x)) { # 17 digits where 15 would be read back as another number
      other <- is.finite(x) & suppressWarnings(as.numeric(items)) != x
      items[other] <- sprintf("%.17g", x[other])
    }
    if (length(items) == 1L && is.null(dim(x)) && !as_is) return(items)
    paste0("[", paste(items, collapse = ","), "]")
  }

  decode <- function(json) {
    at <- 1L
    total <- nchar(json, "bytes")
    bytes <- charToRaw(json)
    space <- function() while (at <= total && bytes[at] %in% as.raw(c(32, 9, 10, 13))) at <<- at + 1L
    text <- function() { # behind the quote
      parts <- character()
      repeat {
        from <- at
        while (bytes[at] != as.raw(34) && bytes[at] != as.raw(92)) {
          at <<- at + 1L
          if (at > total) stop("a JSON string has no end")
        }
        if (at > from) parts <- c(parts, rawToChar(bytes[from:(at - 1L)]))
        if (bytes[at] == as.raw(34)) break
        c <- rawToChar(bytes[at + 1L])
        at <<- at + 2L
        if (c == "u") {
          code <- strtoi(rawToChar(bytes[at:(at + 3L)]), 16L)
          at <<- at + 4L
          if (code >= 0xD800 && code < 0xDC00 && at + 5L <= total && rawToChar(bytes[at:(at + 1L)]) == "\\u") {
            low <- strtoi(rawToChar(bytes[(at + 2L):(at + 5L)]), 16L)
            if (low >= 0xDC00 && low < 0xE000) {
              code <- 0x10000 + (code - 0xD800) * 1024 + low - 0xDC00
              at <<- at + 6L
            }
          }
          if (code >= 0xD800 && code < 0xE000) code <- 0xFFFD
          parts <- c(parts, if (code > 0) intToUtf8(code)) # R's texts have no NUL
        } else parts <- c(parts, switch(c, b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", c))
      }
      at <<- at + 1L
      value <- paste(parts, collapse = "")
      Encoding(value) <- "UTF-8"
      value
    }
    item <- function() {
      space()
      c <- rawToChar(bytes[at])
      if (c == "\"") {
        at <<- at + 1L
        return(text())
      }
      if (c == "{" || c == "[") {
        at <<- at + 1L
        values <- list()
        repeat {
          space()
          if (bytes[at] == as.raw(44)) {
            at <<- at + 1L
            space()
          }
          if (rawToChar(bytes[at]) %in% c("}", "]")) break
          if (c == "{") {
            at <<- at + 1L
            key <- text()
            space()
            at <<- at + 1L
            values[key] <- list(item())
          } else values[length(values) + 1L] <- list(item())
        }
        at <<- at + 1L
        return(values)
      }
      from <- at
      while (at <= total && !(rawToChar(bytes[at]) %in% c(",", "}", "]", " ", "\n", "\r"))) at <<- at + 1L
      word <- rawToChar(bytes[from:(at - 1L)])
      switch(word, true = TRUE, false = FALSE, null = NULL, as.numeric(word))
    }
    item()
  }

  # simple makes vectors of lists of texts, numbers or logical values.
  simple <- function(x) {
    if (!is.list(x)) return(x)
    if (is.null(names(x)) && length(x) && all(vapply(x, function(v) length(v) == 1L && is.atomic(v), NA)) && length(unique(vapply(x, typeof, ""))) == 1L) return(unlist(x))
    lapply(x, simple)
  }

  # Messages.

  # Text goes to the program's stdout and stderr, and marks there tell the host its order.

  token <- NULL # the beginning of marks; none before the first request
  marks <- 0L
  last <- 0L # the stream that was printed to since the last mark
  mark <- function(kind) {
    last <<- 0L
    if (is.null(token)) return()
    marks <<- marks + 1L
    bytes <- charToRaw(sprintf("%s%s%016x", token, kind, marks))
    for (con in raws) {
      writeBin(bytes, con)
      flush(con)
    }
  }

  # write_line sends a message behind its mark, which is m or at the end of a run e.
  write_line <- function(line, kind = "m") {
    suspendInterrupts({
      if (!is.null(token)) {
        mark(kind)
        line <- paste0("{\"at\":", marks, ",", substring(line, 2L))
      }
      writeBin(c(charToRaw(line), as.raw(10)), messages)
      flush(messages)
    })
  }
  send <- function(...) write_line(encode(object(...)))

  # put_bytes prints on stdout, which is 1, or stderr.
  put_bytes <- function(stream, bytes) {
    suspendInterrupts({
      if (last != stream) mark("t")
      last <<- stream
      writeBin(bytes, raws[[stream]])
      flush(raws[[stream]])
    })
  }
  # give_way puts a mark before others write to the streams. Text behind it has one too.
  give_way <- function() {
    flush_output()
    suspendInterrupts(if (last) mark("t"))
  }
  put <- function(stream, text) put_bytes(stream, charToRaw(enc2utf8(paste(text, collapse = "\n"))))

  # The files that R prints to.

  out <- file(file.path(folder, "stdout"), "w+b")
  err <- file(file.path(folder, "stderr"), "w+b")
  is_ours <- TRUE # a sink of the program does not hide the output that we wait for
  drain <- function(con, stream, keep = FALSE) {
    parts <- list()
    most <- 4096L
    repeat {
      bytes <- readBin(con, "raw", most)
      if (!length(bytes)) break
      most <- 262144L
      if (keep) parts[[length(parts) + 1L]] <- bytes else put_bytes(stream, bytes)
    }
    if (keep) unlist(parts)
  }
  size <- 0
  flush_output <- function() {
    suspendInterrupts({
      drain(out, 1L)
      drain(err, 2L)
      plots()
    })
    invisible()
  }
  # flush_soon empties the files at once, but in a flood every 50 ms alone: each time costs a fraction of a millisecond.
  budget <- 0
  window <- flushed <- -1
  flush_soon <- function() {
    now <- proc.time()[[3L]]
    if (now - window > 1) {
      window <<- now
      budget <<- 200
    }
    budget <<- budget - 1
    if (budget > 0 || now - flushed > 0.05) {
      flushed <<- now
      flush_output()
    }
  }
  empty <- function() for (con in list(out, err)) { # their files do not grow from run to run
    seek(con, 0, rw = "write")
    truncate(con)
    seek(con, 0, rw = "read")
  }
  sink(out)
  sink(err, type = "message")

  asked <- 0
  ended <- NULL
  ask <- function(prompt = "", secret = FALSE) {
    flush_output()
    if (!is.null(ended)) return(NULL)
    asked <<- asked + 1
    send(type = "ask", id = asked, prompt = prompt, secret = secret)
    repeat {
      line <- next_line()
      if (is.null(line)) base::quit("no", 0, FALSE)
      m <- decode(line)
      if (!identical(m$type, "answer") || m$id != asked) next
      if (!isTRUE(m$end)) return(m$text)
      if (isTRUE(m$interrupted)) stop(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
      ended <<- if (is.null(m$why)) "no answer came" else m$why
      return(NULL)
    }
  }
  must_ask <- function(prompt, secret) {
    answer <- ask(prompt, secret)
    if (is.null(answer)) stop(structure(class = c("EOFError", "error", "condition"), list(message = ended, call = NULL)))
    answer
  }

  next_line <- function() {
    line <- readLines(requests, 1L, warn = FALSE, encoding = "UTF-8")
    if (length(line)) line
  }

  # What programs see, before the packages of R.

  visible <- new.env()
  visible$cat <- function(..., file = "", sep = " ", fill = FALSE, labels = NULL, append = FALSE) {
    if (identical(file, "")) {
      base::cat(..., sep = sep, fill = fill, labels = labels)
      return(flush_soon())
    }
    flush_output()
    base::cat(..., file = file, sep = sep, fill = fill, labels = labels, append = append)
    flush_output()
  }
  visible$print <- function(x, ...) {
    on.exit(flush_soon())
    base::print(x, ...)
  }
  visible$writeLines <- function(text, con = stdout(), sep = "\n", useBytes = FALSE) {
    if (inherits(con, "connection") && unclass(con)[1L] != 1L) flush_output()
    base::writeLines(text, con, sep, useBytes)
    if (inherits(con, "connection") && unclass(con)[1L] != 1L) flush_output() else flush_soon()
  }
  visible$Sys.sleep <- function(time) {
    flush_output()
    base::Sys.sleep(time)
  }
  visible$system <- function(...) {
    give_way()
    base::system(...)
  }
  visible$system2 <- function(...) {
    give_way()
    base::system2(...)
  }
  lines_of_user <- function(n) {
    lines <- character()
    while (n < 0L || length(lines) < n) {
      line <- ask()
      if (is.null(line)) break
      lines <- c(lines, line)
    }
    lines
  }
  is_stdin <- function(con) identical(con, "stdin") || inherits(con, "connection") && (unclass(con)[1L] == 0L || identical(tryCatch(summary(con)$description, error = function(e) ""), "stdin"))
  visible$readline <- function(prompt = "") must_ask(prompt, FALSE)
  visible$readLines <- function(con = stdin(), n = -1L, ...) if (is_stdin(con)) lines_of_user(n) else base::readLines(con, n, ...)
  visible$scan <- function(file = "", what = double(), nmax = -1L, n = -1L, ...) {
    if (!identical(file, "") && !is_stdin(file) || !is.null(list(...)$text)) return(base::scan(file = file, what = what, nmax = nmax, n = n, ...))
    lines <- character()
    while (!is.null(line <- ask()) && nzchar(line)) {
      lines <- c(lines, line)
      if (n > 0L && length(unlist(strsplit(trimws(lines), "[[:space:]]+"))) >= n) break
    }
    if (n > 0L) base::scan(text = lines, what = what, n = n, ...) else base::scan(text = lines, what = what, nmax = nmax, ...)
  }
  visible$quit <- visible$q <- function(save = "default", status = 0, runLast = TRUE) stop(structure(class = c("quire_exit", "condition"), list(message = "", call = NULL, status = status)))
  shown <- 0
  bundle <- function(data) do.call(object, as.list(if (is.null(names(data))) c(`text/plain` = paste(data, collapse = "\n")) else data))
  visible$notebook_display <- function(data, id = NULL) {
    flush_output()
    shown <<- shown + 1
    if (is.null(id)) id <- paste0("r-", shown)
    send(type = "display", data = bundle(data), id = id)
    invisible(id)
  }
  visible$notebook_html <- function(text, id = NULL) visible$notebook_display(c(`text/html` = text), id)
  visible$notebook_update <- function(id, data) {
    flush_output()
    send(type = "update", data = bundle(data), id = id)
  }
  visible$notebook_clear <- function(wait = FALSE) {
    flush_output()
    send(type = "clear", wait = wait)
  }
  visible$notebook_secret <- function(prompt = "") must_ask(prompt, TRUE)
  attach(visible, name = "quire", warn.conflicts = FALSE)

  # Plots: pages of a device that is opened at the first plot of a run, each sent when it is complete.

  device <- NULL
  page <- 0L
  page_file <- function(i) file.path(folder, sprintf("plot%05d.png", i))
  open_device <- function(...) {
    width <- getOption("repr.plot.width", 7)
    height <- getOption("repr.plot.height", 5)
    resolution <- getOption("repr.plot.res", 110)
    page <<- 0L
    if (capabilities("png")) grDevices::png(file.path(folder, "plot%05d.png"), width, height, units = "in", res = resolution)
    else if (capabilities("cairo")) grDevices::svg(file.path(folder, "plot%05d.svg"), width, height, onefile = FALSE)
    else return(grDevices::pdf(NULL))
    device <<- grDevices::dev.cur()
  }
  options(device = open_device)
  send_page <- function() {
    for (kind in c("png", "svg")) {
      path <- sub("png$", kind, page_file(page + 1L))
      if (!file.exists(path)) next
      page <<- page + 1L
      bytes <- readBin(path, "raw", file.info(path)$size)
      unlink(path)
      if (!length(bytes)) next
      if (kind == "png") send(type = "display", data = object(`image/png` = base64(bytes)))
      else send(type = "display", data = object(`image/svg+xml` = rawToChar(bytes)))
    }
  }
  plots <- function() if (!is.null(device)) while (file.exists(page_file(page + 2L))) send_page()
  end_plots <- function() {
    if (is.null(device)) return()
    if (device %in% grDevices::dev.list()) grDevices::dev.off(device)
    flush_output()
    while (file.exists(page_file(page + 1L)) || file.exists(sub("png$", "svg", page_file(page + 1L)))) send_page()
    device <<- NULL
  }

  # Values.

  escape_html <- function(text) gsub(">", "&gt;", gsub("<", "&lt;", gsub("&", "&amp;", text, fixed = TRUE), fixed = TRUE), fixed = TRUE)
  table_html <- function(x) {
    most <- getOption("repr.matrix.max.rows", 60L)
    all <- nrow(x)
    if (all > most) x <- x[seq_len(most), , drop = FALSE]
    if (ncol(x) > 50L) x <- x[, seq_len(50L), drop = FALSE]
    cells <- vapply(seq_along(x), function(i) {
      column <- x[[i]]
      paste0("<td>", escape_html(if (is.list(column)) vapply(column, function(v) paste(format(v), collapse = ", "), "") else format(column)), "</td>")
    }, character(nrow(x)))
    cells <- matrix(cells, nrow = nrow(x))
    head <- paste0("<th></th>", paste0("<th>", escape_html(names(x)), "</th>", collapse = ""))
    rows <- if (nrow(x)) paste0("<tr><th>", escape_html(row.names(as.data.frame(x))), "</th>", apply(cells, 1L, paste, collapse = ""), "</tr>", collapse = "\n")
    more <- if (all > most) paste0("<caption>the first ", most, " of ", all, " rows</caption>")
    paste0("<table>", more, "<thead><tr>", head, "</tr></thead><tbody>\n", rows, "\n</tbody></table>")
  }

  show_value <- function(value) if (isS4(value)) methods::show(value) else base::print(value)

  # show_last sends the value of the last expression. Its text is what R prints.
  show_last <- function(value) {
    flush_output()
    on.exit({
      text <- drain(out, 1L, TRUE)
      if (length(text)) put_bytes(1L, text)
      flush_output()
    })
    show_value(value)
    bytes <- drain(out, 1L, TRUE)
    if (!length(bytes)) return()
    text <- rawToChar(bytes[bytes != as.raw(0)])
    Encoding(text) <- "UTF-8"
    html <- if (is.data.frame(value) && ncol(value)) tryCatch(table_html(value), error = function(e) NULL)
    send(type = "result", data = object(`text/plain` = sub("\n$", "", text), `text/html` = html))
  }

  # Runs.

  running <- NULL

  # place finds the line and the column of a call in the cell.
  place <- function(ref) {
    if (is.null(ref)) return(NULL)
    source <- attr(ref, "srcfile")
    if (is.null(source) || !identical(source$filename, running$name)) return(NULL)
    line <- ref[1L]
    before <- substr(running$lines[line], 1L, ref[5L] - 1L)
    list(line = line, column = 1L + sum(1L + (utf8ToInt(enc2utf8(before)) > 0xFFFF)))
  }

  head_of <- function(call) if (is.call(call)) deparse(call[[1L]], nlines = 1L)[1L] else ""
  call_text <- function(call) deparse(call, width.cutoff = 60L, nlines = 1L)[1L]

  failure <- function(e, calls, ref) {
    name <- class(e)[1L]
    message <- conditionMessage(e)
    if (name == "simpleError") name <- "Error"
    where <- NULL
    trace <- character()
    own <- conditionCall(e)
    if (!is.null(own) && !any(vapply(calls, identical, NA, own)) && !head_of(own) %in% c("eval", "withVisible", "doTryCatch")) trace <- call_text(own)
    for (call in rev(calls)) {
      here <- place(attr(call, "srcref"))
      if (is.null(where)) where <- here
      text <- call_text(call)
      if (head_of(call) == "stop" && !is.null(here)) trace <- c(trace, sprintf("at %s:%d", running$name, here$line))
      if (text == "eval(parsed[[i]], globalenv())" || head_of(call) %in% c("stop", ".signalSimpleWarning", "withRestarts", "withOneRestart", "doWithOneRestart", "must_ask")) next
      ref_of <- attr(call, "srcref")
      file <- if (!is.null(ref_of)) attr(ref_of, "srcfile")$filename
      trace <- c(trace, if (is.null(file) || !nzchar(file)) text else sprintf("%s at %s:%d", text, file, ref_of[1L]))
    }
    if (is.null(where)) where <- place(ref)
    here <- place(ref)
    if (!is.null(here) && !any(endsWith(trace, sprintf("%s:%d", running$name, here$line)))) trace <- c(trace, sprintf("at %s:%d", running$name, here$line))
    if (grepl("stack|nested too deeply|infinite recursion", message) && name != "Error") name <- "StackOverflow"
    if (length(trace)) trace <- c(paste0(name, ": ", message), paste0("    ", trace))
    object(name = name, message = message, line = where$line, column = where$column, trace = I(trace),
      lack = if (grepl("cannot allocate", message)) "memory")
  }

  syntax_failure <- function(e) {
    message <- conditionMessage(e)
    found <- regmatches(message, regexec("^[^\n]*?:([0-9]+):([0-9]+): ([^\n]*)", message))[[1L]]
    if (!length(found)) return(object(name = "SyntaxError", message = message, trace = I(character())))
    line <- as.integer(found[2L])
    column <- as.integer(found[3L])
    if (line > length(running$lines)) { # the end of the input
      line <- max(1L, length(running$lines))
      column <- nchar(running$lines[line]) + 1L
    }
    before <- substr(running$lines[line], 1L, column - 1L)
    object(name = "SyntaxError", message = found[4L], line = line, column = 1L + sum(1L + (utf8ToInt(enc2utf8(before)) > 0xFFFF)), trace = I(character()))
  }

  # ours counts the frames of the driver below those of a program.
  run <- function(m) {
    ended <<- NULL
    name <- if (is.null(m$name)) "cell" else m$name
    lines <- strsplit(m$source, "\r?\n")[[1L]]
    running <<- list(run = m$run, name = name, lines = lines)
    done <- list(type = "done", run = m$run)
    parsed <- tryCatch(parse(text = lines, srcfile = srcfilecopy(name, lines), keep.source = TRUE, encoding = "UTF-8"), error = function(e) e)
    if (inherits(parsed, "error")) done$error <- syntax_failure(parsed)
    else {
      refs <- attr(parsed, "srcref")
      state <- list(calls = list(), i = 0L)
      depth <- 0L
      sinks <- sink.number()
      evaluate <- function() {
        send(type = "begin", run = m$run)
        for (i in seq_along(parsed)) {
          state$i <<- i
          depth <<- sys.nframe()
          result <- withVisible(eval(parsed[[i]], globalenv()))
          flush_output()
          if (result$visible) {
            if (i == length(parsed)) show_last(result$value)
            else {
              if (is.data.frame(result$value) && ncol(result$value)) {
                drain(out, 1L)
                show_value(result$value)
                text <- rawToChar(drain(out, 1L, TRUE))
                Encoding(text) <- "UTF-8"
                send(type = "display", data = object(`text/plain` = sub("\n$", "", text), `text/html` = tryCatch(table_html(result$value), error = function(e) NULL)))
              } else show_value(result$value)
              flush_output()
            }
          }
        }
      }
      on_error <- function(e) {
        calls <- sys.calls()
        calls <- calls[seq_along(calls) > depth + 2L]
        last <- length(calls)
        while (last > 0L && (is.function(calls[[last]][[1L]]) || head_of(calls[[last]]) %in% c("h", "on_error", ".handleSimpleError", "(function (e)"))) last <- last - 1L
        state$calls <<- calls[seq_len(last)]
      }
      on_warning <- function(w) {
        level <- getOption("warn")
        if (level >= 2) return()
        if (level >= 0) {
          flush_output()
          call <- conditionCall(w)
          text <- if (is.null(call) || grepl("^closing unused connection", conditionMessage(w))) "" else call_text(call)
          put(2L, paste0(if (nzchar(text) && !grepl("^(eval|withVisible)\\(", text)) paste0("Warning in ", text, ": ") else "Warning: ", conditionMessage(w), "\n"))
        }
        invokeRestart("muffleWarning")
      }
      on_message <- function(c) {
        flush_output()
        put(2L, conditionMessage(c))
        invokeRestart("muffleMessage")
      }
      done$error <- tryCatch({
        withCallingHandlers(allowInterrupts(evaluate()), error = on_error, warning = on_warning, message = on_message)
        NULL
      }, interrupt = function(e) object(name = "Interrupted", message = "the run was interrupted", cause = "interrupted", trace = I(character())),
      quire_exit = function(e) e, error = function(e) failure(e, state$calls, if (state$i) refs[[state$i]]))
      while (sink.number() > sinks) sink()
      if (inherits(done$error, "quire_exit")) {
        status <- done$error$status
        done$error <- if (status != 0) object(name = "Exit", message = paste("the program ended itself with status", status), trace = I(character()))
        if (status == 0) done$exit <- "kept"
      }
    }
    suspendInterrupts({
      flush_output()
      tryCatch(end_plots(), error = function(e) put(2L, paste0("end the plots: ", conditionMessage(e), "\n")))
      empty()
      running <<- NULL
      write_line(encode(do.call(object, done)), "e")
    })
  }

  # Calls.

  one_line <- function(value) {
    if (is.character(value) && length(value) == 1L && !is.na(value)) text <- value
    else if (is.atomic(value) && is.null(dim(value)) && length(value) <= 20L) text <- paste(format(value, trim = TRUE), collapse = " ")
    else text <- paste(trimws(utils::capture.output(utils::str(value, give.attr = FALSE, vec.len = 3, max.level = 1))), collapse = " ")
    text <- gsub("[[:space:]]+", " ", text)
    if (nchar(text) > 100L) text <- paste0(substr(text, 1L, 99L), "\u2026")
    text
  }

  name_of <- function(m) if (is.character(m$name) && nzchar(m$name) && identical(make.names(m$name), m$name)) m$name else stop("no name of a variable: ", m$name)

  methods_of_calls <- list(
    variables = function(m) {
      names <- ls(globalenv())
      items <- lapply(names, function(n) {
        value <- get(n, globalenv())
        if (is.function(value)) return(NULL)
        shape <- if (!is.null(dim(value))) paste0("(", paste(dim(value), collapse = ", "), ")") else if (length(value) != 1L) paste(length(value), "items")
        object(name = n, type = class(value)[1L], shape = shape, size = as.numeric(utils::object.size(value)), preview = one_line(value))
      })
      items[!vapply(items, is.null, NA)]
    },
    complete = function(m) {
      codes <- utf8ToInt(m$source)
      units <- cumsum(1L + (codes > 0xFFFF))
      before <- intToUtf8(codes[units <= m$cursor])
      line <- sub("^.*\n", "", before)
      # R's own completer of its console
      u <- asNamespace("utils")
      u$.assignLinebuffer(line)
      u$.assignEnd(nchar(line))
      token <- u$.guessTokenFromLine()
      u$.completeToken()
      found <- u$.retrieveCompletions()
      items <- lapply(utils::head(found, 500L), function(text) object(text = sub("=$", " = ", text), kind = if (grepl("\\($", text) || exists(text, mode = "function")) "function" else "variable"))
      start <- m$cursor - sum(1L + (utf8ToInt(paste0(token, "")) > 0xFFFF))
      object(start = start, end = m$cursor, items = items)
    },
    inspect = function(m) {
      codes <- utf8ToInt(m$source)
      units <- cumsum(1L + (codes > 0xFFFF))
      before <- if (length(codes)) intToUtf8(codes[units <= m$cursor]) else ""
      after <- if (length(codes)) intToUtf8(codes[units > m$cursor]) else ""
      name <- paste0(regmatches(before, regexpr("[A-Za-z0-9._]*$", before)), regmatches(after, regexpr("^[A-Za-z0-9._]*", after)))
      if (!nzchar(name) || !exists(name, globalenv())) return(object(found = FALSE))
      value <- get(name, globalenv())
      if (!is.function(value)) return(object(found = TRUE, signature = name, data = object(`text/plain` = paste(utils::capture.output(utils::str(value)), collapse = "\n"))))
      signature <- paste0(name, sub("^function *", "", paste(trimws(utils::head(deparse(args(value)), -1L)), collapse = " ")))
      path <- tryCatch(as.character(utils::help((name))), error = function(e) character())
      text <- if (length(path)) tryCatch({
        page <- utils::capture.output(tools::Rd2txt(utils:::.getHelpFile(path[1L]), options = list(underline_titles = FALSE), fragment = FALSE))
        paste(gsub("_\b", "", page), collapse = "\n")
      }, error = function(e) NULL)
      if (is.null(text)) text <- paste(utils::head(utils::capture.output(base::print(value)), 30L), collapse = "\n")
      object(found = TRUE, signature = signature, data = object(`text/plain` = text))
    },
    get = function(m) {
      if (!exists(name_of(m), globalenv(), inherits = FALSE)) stop("no variable is named ", m$name)
      get(m$name, globalenv())
    },
    set = function(m) {
      name_of(m)
      assign(m$name, simple(m$value), globalenv())
      NULL
    },
    reset = function(m) {
      rm(list = ls(globalenv(), all.names = TRUE), envir = globalenv())
      NULL
    },
    install = function(m) {
      library <- .libPaths()[1L]
      if (file.access(library, 2L) != 0L) {
        library <- path.expand(Sys.getenv("R_LIBS_USER", "~/R/library"))
        dir.create(library, FALSE, TRUE)
        .libPaths(c(library, .libPaths()))
      }
      repositories <- getOption("repos")
      if (identical(unname(repositories["CRAN"]), "@CRAN@")) repositories["CRAN"] <- "https://cloud.r-project.org"
      for (package in unlist(m$packages)) {
        local <- file.exists(package)
        code <- sprintf("install.packages(%s, lib = %s, repos = %s%s)", deparse(package), deparse(library), if (local) "NULL" else paste(deparse(repositories), collapse = ""), if (local) ", type = \"source\"" else "")
        pipe <- pipe(paste(shQuote(file.path(R.home("bin"), "Rscript")), "-e", shQuote(code), "2>&1"), "rb")
        repeat {
          bytes <- readBin(pipe, "raw", 8192L)
          if (!length(bytes)) break
          put_bytes(1L, bytes)
        }
        close(pipe)
        name <- sub("_.*$", "", basename(package))
        if (!nzchar(system.file(package = name, lib.loc = c(library, .libPaths())))) return(structure(list(name = "InstallError", message = paste0("install.packages could not install ", package, ": see its output")), class = "failed"))
      }
      NULL
    }
  )

  answer <- function(m) {
    method <- methods_of_calls[[m$method]]
    value <- if (is.null(method)) structure(list(name = "Unsupported", message = paste("no method", m$method)), class = "failed")
    else tryCatch(quiet(method(m)), error = function(e) structure(list(name = "Error", message = conditionMessage(e)), class = "failed"))
    if (inherits(value, "failed")) return(send(type = "reply", id = m$id, error = do.call(object, unclass(value))))
    encoded <- tryCatch(encode(value), error = function(e) NULL)
    if (is.null(encoded)) return(send(type = "reply", id = m$id, error = object(name = "TypeError", message = "the value has no JSON")))
    write_line(paste0("{\"type\":\"reply\",\"id\":", encode(m$id), ",\"value\":", encoded, "}"))
  }

  # The loop.

  options(keep.source = TRUE, warn = 1, menu.graphics = FALSE, pager = function(files, ...) for (f in files) base::cat(base::readLines(f, warn = FALSE), sep = "\n"), editor = function(...) stop("there is no editor"))
  send(type = "hello", protocol = 1, language = "r", version = paste0(R.version$major, ".", R.version$minor), interrupt = "signal", begins = TRUE, marks = TRUE, extension = ".r",
    mime = "text/x-r-source", can = I(c("complete", "inspect", "variables", "install", "reset", "get", "set")))
  suspendInterrupts(repeat {
    tryCatch({
      line <- next_line()
      if (is.null(line)) break
      m <- decode(line)
      if (!is.null(m$mark)) token <- m$mark
      if (identical(m$type, "run")) {
        tryCatch(allowInterrupts(Sys.sleep(0)), interrupt = function(e) NULL) # one that came too late
        run(m)
      } else if (identical(m$type, "call")) answer(m)
    }, interrupt = function(e) NULL)
  })
  base::quit("no", 0, FALSE)
})
