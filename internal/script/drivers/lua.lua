local protocol = 1 -- of spec/engine-protocol.md. The text is an argument, and one that begins with "-" would be an option.

-- The driver of Lua 5.1 to 5.4 and LuaJIT: the engine's side of spec/engine-protocol.md, for the standalone interpreter.
--
-- The interpreter turns SIGINT into an error of the main thread once for each chunk of its command line. So the command
-- line is `lua -e DRIVER -e "quire_step()" -e "quire_step()" …`: a step serves requests until a run was interrupted, and
-- the next goes on. All but the programs of cells runs in a coroutine, where the error does not arise.
--
-- A cell is a chunk. Its outermost locals become globals, since those of a chunk end with it.

local requests = assert(io.open("/dev/fd/3", "rb"))
local messages = assert(io.open("/dev/fd/4", "wb"))
local rawOut = assert(io.open("/dev/fd/1", "wb"))
local rawErr = assert(io.open("/dev/fd/2", "wb"))
messages:setvbuf("full", 1048576)
for _, file in ipairs { rawOut, rawErr } do file:setvbuf("no") end

local load51, unpack = loadstring or load, table.unpack or unpack
local floor, concat, format = math.floor, table.concat, string.format
local sub, byte, char, find, match, gsub = string.sub, string.byte, string.char, string.find, string.match, string.gsub
local type, tostring, pairs, ipairs, pcall, xpcall, error = type, tostring, pairs, ipairs, pcall, xpcall, error
local getmetatable, rawget, select, sort, insert = getmetatable, rawget, select, table.sort, table.insert
local create, resume, yield, running = coroutine.create, coroutine.resume, coroutine.yield, coroutine.running
local traceback, getinfo = debug.traceback, debug.getinfo
local exit = os.exit
local write = getmetatable(messages).__index.write
local flush = getmetatable(messages).__index.flush
local readFile = getmetatable(requests).__index.read

-- JSON.

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }
local function escape(c) return escapes[c] or format("\\u%04x", byte(c)) end
local function quote(text) return '"' .. gsub(text, '[%c"\\]', escape) .. '"' end

-- isUTF8 reports whether a text is valid UTF-8.
local function isUTF8(text)
  if not find(text, "[\128-\255]") then return true end
  local i, n = 1, #text
  while true do
    i = find(text, "[\128-\255]", i)
    if not i then return true end
    local a, b = byte(text, i, i + 1)
    b = b or 0
    local more
    if a >= 0xC2 and a <= 0xDF then more = 1
    elseif a >= 0xE0 and a <= 0xEF then
      if a == 0xE0 and b < 0xA0 or a == 0xED and b > 0x9F then return false end
      more = 2
    elseif a >= 0xF0 and a <= 0xF4 then
      if a == 0xF0 and b < 0x90 or a == 0xF4 and b > 0x8F then return false end
      more = 3
    else
      return false
    end
    if i + more > n then return false end
    if #match(text, "^[\128-\191]*", i + 1) < more or (select(2, find(text, "^[\128-\191]+", i + 1))) ~= i + more then return false end
    i = i + more + 1
  end
end

-- words returns a text as a JSON string; bytes that are not UTF-8 are taken as Latin-1.
local function words(text)
  text = tostring(text)
  if isUTF8(text) then return quote(text) end
  return quote((gsub(text, "[\128-\255]", function(c)
    local b = byte(c)
    return char(0xC0 + floor(b / 64), 0x80 + b % 64)
  end)))
end

local null = {} -- JSON's null, in a table
local array = { __jsontype = "array" } -- the metatable of arrays that set has made: an empty one is no object

local encode
local function encodeTable(value, seen)
  if seen[value] then error("a table that contains itself has no JSON", 0) end
  seen[value] = true
  local out, n = {}, #value
  local count = 0
  for _ in pairs(value) do count = count + 1 end
  local meta = getmetatable(value)
  if count == n and (n > 0 or meta == "list" or type(meta) == "table" and rawget(meta, "__jsontype") == "array") then
    for i = 1, n do out[i] = encode(value[i], seen) end
    seen[value] = nil
    return "[" .. concat(out, ",") .. "]"
  end
  local keys = {}
  for k in pairs(value) do keys[#keys + 1] = tostring(k) end
  sort(keys)
  local byName = {}
  for k, v in pairs(value) do byName[tostring(k)] = v end
  for i, k in ipairs(keys) do out[i] = words(k) .. ":" .. encode(byName[k], seen) end
  seen[value] = nil
  return "{" .. concat(out, ",") .. "}"
end

function encode(value, seen)
  local kind = type(value)
  if value == null or value == nil then return "null" end
  if kind == "string" then return words(value) end
  if kind == "boolean" then return tostring(value) end
  if kind == "number" then
    if value ~= value or value == 1 / 0 or value == -1 / 0 then return "null" end
    if math.type and math.type(value) == "integer" or value == floor(value) and value > -1e15 and value < 1e15 then return format("%d", value) end
    return (gsub(format("%.17g", value), ",", "."))
  end
  if kind == "table" then return encodeTable(value, seen or {}) end
  error("a " .. kind .. " has no JSON", 0)
end

local function utf8Of(code)
  if code < 0x80 then return char(code) end
  if code < 0x800 then return char(0xC0 + floor(code / 64), 0x80 + code % 64) end
  if code < 0x10000 then return char(0xE0 + floor(code / 4096), 0x80 + floor(code / 64) % 64, 0x80 + code % 64) end
  return char(0xF0 + floor(code / 262144), 0x80 + floor(code / 4096) % 64, 0x80 + floor(code / 64) % 64, 0x80 + code % 64)
end

local plainEscapes = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

local function decodeString(json, at)
  local out = {}
  while true do
    local stop = find(json, '["\\]', at)
    if not stop then error("a JSON string has no end", 0) end
    out[#out + 1] = sub(json, at, stop - 1)
    if sub(json, stop, stop) == '"' then return concat(out), stop + 1 end
    local c = sub(json, stop + 1, stop + 1)
    at = stop + 2
    if c == "u" then
      local code = tonumber(match(json, "^%x%x%x%x", at) or error("a JSON escape is no number", 0), 16)
      at = at + 4
      if code >= 0xD800 and code < 0xDC00 then
        local low = match(json, "^\\u([dD][c-fC-F]%x%x)", at)
        if low then
          code, at = 0x10000 + (code - 0xD800) * 1024 + tonumber(low, 16) - 0xDC00, at + 6
        else
          code = 0xFFFD
        end
      elseif code >= 0xDC00 and code < 0xE000 then
        code = 0xFFFD
      end
      out[#out + 1] = utf8Of(code)
    else
      out[#out + 1] = plainEscapes[c] or c
    end
  end
end

local literals = { { "true", true }, { "false", false }, { "null", null } }

local function decodeNext(json, at)
  at = find(json, "%S", at) or error("the JSON has no end", 0)
  local c = sub(json, at, at)
  if c == '"' then return decodeString(json, at + 1) end
  if c == "{" or c == "[" then
    local value, close = {}, c == "{" and "}" or "]"
    at = find(json, "%S", at + 1)
    while at and sub(json, at, at) ~= close do
      if sub(json, at, at) == "," then at = at + 1 end
      local item, key
      item, at = decodeNext(json, at)
      if c == "{" then
        key, at = item, find(json, ":", at, true)
        if not at then error("a JSON key has no value", 0) end
        item, at = decodeNext(json, at + 1)
        value[key] = item
      else
        value[#value + 1] = item
      end
      at = find(json, "%S", at)
    end
    if not at then error("the JSON has no end", 0) end
    return c == "[" and setmetatable(value, array) or value, at + 1
  end
  for _, literal in ipairs(literals) do
    if sub(json, at, at + #literal[1] - 1) == literal[1] then return literal[2], at + #literal[1] end
  end
  local number = match(json, "^-?[%d.eE+-]+", at) or error("no JSON at " .. at, 0)
  return tonumber(number), at + #number
end

-- Messages.

local token -- the beginning of marks; nil before the first request
local marks = 0
local last -- the stream that was printed to since the last mark

-- whole is the length of text that is written as a whole or not at all.
local whole = 4096

-- writeAll writes text to a stream. A write that a signal ended has written nothing, and is repeated.
local function writeAll(file, text)
  for at = 1, #text, whole do
    local part = #text > whole and sub(text, at, at + whole - 1) or text
    repeat
      local done, _, number = write(file, part)
    until done or number ~= 4
  end
end

-- mark puts the next mark into both streams.
local function mark(kind)
  last = nil
  if not token then return end
  marks = marks + 1
  local text = token .. kind .. format("%016x", marks)
  writeAll(rawOut, text)
  writeAll(rawErr, text)
end

-- giveWay puts a mark before others write to the streams. Text behind it has one too.
local function giveWay()
  if last then mark("t") end
end

-- send sends a line behind its mark, which is m or at the end of a run e. A write that a signal ended has written nothing, if the
-- line is short, and is repeated.
local function send(line, kind)
  if token then
    mark(kind or "m")
    line = '{"at":' .. format("%d", marks) .. "," .. sub(line, 2)
  end
  repeat
    local done, _, number = write(messages, line, "\n")
    if done then done, _, number = flush(messages) end
  until done or number ~= 4
end

-- put prints on rawOut or rawErr.
local function put(file, text)
  if last ~= file then
    mark("t")
    last = file
  end
  writeAll(file, text)
end

-- nextLine reads a request. A signal ends the read in some versions.
local function nextLine()
  while true do
    local line, _, number = readFile(requests, "*l")
    if line or number ~= 4 then return line end
  end
end

local asked, ended = 0, nil
local interruption = {} -- the error of a run that was interrupted as it asked

-- ask returns the answer to a question; at the end of input nil and the reason.
local function ask(prompt, secret)
  if ended then return nil, ended end
  asked = asked + 1
  send('{"type":"ask","id":' .. asked .. ',"prompt":' .. words(prompt) .. ',"secret":' .. tostring(secret or false) .. "}")
  while true do
    local line = nextLine()
    if not line then exit(0) end
    local m = decodeNext(line, 1)
    if m.type == "answer" and m.id == asked then
      if not m["end"] then return m.text end
      if m.interrupted then error(interruption, 0) end
      return nil, m.why or "no answer came"
    end
  end
end

-- What programs see.

local stdout, stderr, stdin = io.stdout, io.stderr, io.stdin
local file = getmetatable(io.stdout).__index
local streams = { [stdout] = rawOut, [stderr] = rawErr }

local function printable(v, i)
  if type(v) ~= "string" and type(v) ~= "number" then
    error("bad argument #" .. i .. " to 'write' (string expected, got " .. (v == nil and "no value" or type(v)) .. ")", 3)
  end
  return tostring(v)
end

function file.write(f, ...)
  local stream = streams[f]
  if not stream then return write(f, ...) end
  local parts = { ... }
  for i = 1, select("#", ...) do parts[i] = printable(parts[i], i) end
  put(stream, concat(parts))
  return f
end

function io.write(...) return io.output():write(...) end

function print(...)
  local parts = { ... }
  for i = 1, select("#", ...) do parts[i] = tostring(parts[i]) end
  put(rawOut, concat(parts, "\t") .. "\n")
end

local rest = "" -- of the last line that was asked for

local function fill()
  if rest ~= "" then return true end
  local text, why = ask("", false)
  if text then
    rest = text .. "\n"
    return true
  end
  if not ended then put(rawErr, "no input: " .. why .. "\n") end
  ended = why
  return false
end

local function readOne(what)
  if type(what) == "number" then
    if not fill() then return nil end
    local text = sub(rest, 1, what)
    rest = sub(rest, what + 1)
    return text
  end
  local kind = sub(gsub(what, "^%*", ""), 1, 1)
  if kind == "a" then
    local all = {}
    while fill() do all[#all + 1], rest = rest, "" end
    return concat(all)
  end
  if not fill() then return nil end
  local line
  line, rest = match(rest, "^([^\n]*\n?)(.*)$")
  if kind == "n" then return tonumber((gsub(line, "\n", ""))) end
  return kind == "L" and line or (gsub(line, "\n$", ""))
end

function file.read(f, ...)
  if f ~= stdin then return readFile(f, ...) end
  local n = select("#", ...)
  if n == 0 then return readOne("l") end
  local wants, got = { ... }, {}
  for i = 1, n do
    got[i] = readOne(wants[i])
    if got[i] == nil then return unpack(got, 1, i) end
  end
  return unpack(got, 1, n)
end

local linesOfFile = file.lines
function file.lines(f, ...)
  if f ~= stdin then return linesOfFile(f, ...) end
  local wants = { ... }
  return function() return file.read(f, unpack(wants)) end
end
function io.read(...) return io.input():read(...) end
function io.lines(name, ...)
  if not name then return io.input():lines(...) end
  local f, problem = io.open(name, "r")
  if not f then error(problem, 2) end
  local wants = { ... }
  return function()
    local line = readFile(f, unpack(wants))
    if line == nil then f:close() end
    return line
  end
end

local execute, popen, close = os.execute, io.popen, file.close
function os.execute(...)
  giveWay()
  return execute(...)
end
function io.popen(...)
  giveWay()
  return popen(...)
end
function file.close(...)
  giveWay() -- it may wait for a process
  return close(...)
end
function io.close(f) return (f or io.output()):close() end

local exitMark = {}
function os.exit(status) error(setmetatable({ status = (status == nil or status == true) and 0 or status == false and 1 or status }, exitMark), 0) end

notebook = {}
local shown = 0
local function bundle(data) return encode(type(data) == "table" and data or { ["text/plain"] = tostring(data) }) end

-- display shows a table of MIME types and texts, or a text; it returns the id, by which update replaces it.
function notebook.display(data, id)
  shown = shown + 1
  id = id or "lua-" .. shown
  send('{"type":"display","data":' .. bundle(data) .. ',"id":' .. words(id) .. "}")
  return id
end
function notebook.html(text, id) return notebook.display({ ["text/html"] = text }, id) end
function notebook.update(id, data) send('{"type":"update","data":' .. bundle(data) .. ',"id":' .. words(id) .. "}") end
function notebook.clear(wait) send('{"type":"clear","wait":' .. tostring(wait or false) .. "}") end

-- ask asks the user for a line; secret for one that is not shown.
function notebook.ask(prompt, secret)
  local text, why = ask(prompt or "", secret)
  if not text then error(setmetatable({ name = "EOFError", message = why }, { __tostring = function(e) return e.name .. ": " .. e.message end }), 2) end
  return text
end
function notebook.secret(prompt) return notebook.ask(prompt, true) end

-- Sources.

local opens = { ["do"] = 1, ["then"] = 1, ["function"] = 1, ["repeat"] = 1, ["{"] = 1, ["("] = 1, ["["] = 1 }
local closes = { ["end"] = 1, ["until"] = 1, ["elseif"] = 1, ["}"] = 1, [")"] = 1, ["]"] = 1 }

-- globals makes the outermost locals of a source globals. Each line keeps its number.
local function globals(source)
  local out, at, depth = {}, 1, 0
  local function keep(last)
    out[#out + 1] = sub(source, at, last)
    at = last + 1
  end
  while at <= #source do
    local c = sub(source, at, at)
    local comment = match(source, "^%-%-()", at)
    local level = match(source, "^%[(=*)%[", comment or at)
    if level and (comment or c == "[") then
      keep((select(2, find(source, "]" .. level .. "]", at, true))) or #source)
    elseif comment then
      keep((find(source, "\n", at, true) or #source + 1) - 1)
    elseif c == '"' or c == "'" then
      local i = at + 1
      while i <= #source and sub(source, i, i) ~= c do i = i + (sub(source, i, i) == "\\" and 2 or 1) end
      keep(i)
    elseif match(c, "[%a_]") then
      local word = match(source, "^[%w_]+", at)
      local list, after = match(source, "^local%s+([%a_][%w_%s,<>]-)%s*()[=;\n%-]", at)
      list = list or match(source, "^local%s+([%a_][%w_%s,<>]-)%s*$", at)
      if word == "local" and depth == 0 and match(source, "^local%s+function%f[%W]", at) then
        out[#out + 1] = "     "
        at = at + 5
      elseif word == "local" and depth == 0 and list and not find(list, "close", 1, true) and not find(list, "_ENV", 1, true) and not find(list, ">%s*[%a]") then
        local names, lines = gsub(list, "<[^>]*>", ""), gsub(list, "[^\n]", "")
        -- without a value it may be followed by anything on the next line
        local values = sub(source, after or #source + 1, after or #source + 1) == "=" and sub(source, (after or 0) + 1, (after or 0) + 1) ~= "="
        local plain = gsub(names, "%s+", " ")
        if not values and find(plain, "[%w_] [%w_]") then
          keep(at + #word - 1)
        else
          out[#out + 1] = " " .. plain .. lines .. (values and " " or " = nil ")
          at = after or #source + 1
        end
      else
        if opens[word] then depth = depth + 1 elseif closes[word] then depth = depth - 1 end
        keep(at + #word - 1)
      end
    else
      if opens[c] then depth = depth + 1 elseif closes[c] then depth = depth - 1 end
      keep(at)
    end
  end
  return concat(out)
end

-- compile returns the function of a source, or nil and what is wrong.
local function compile(source, name)
  if sub(source, 1, 2) == "#!" then source = "--" .. source end
  local program = load51("return " .. source, "=" .. name)
  if program and not match(source, "^%s*$") and not match(gsub(source, "%-%-[^\n]*", ""), "^%s*$") then return program end
  program = load51(globals(source), "=" .. name)
  if program then return program end
  return load51(source, "=" .. name)
end

-- Values.

local keyword = {}
for word in ("and break do else elseif end false for function goto if in local nil not or repeat return then true until while"):gmatch("%a+") do keyword[word] = true end

-- describe returns a value as Lua writes it, tables to a depth and a size that a reader can take.
local function describe(value, indent, seen, depth)
  local kind = type(value)
  if kind == "string" then return isUTF8(value) and quote(value):gsub("\\u(%x%x%x%x)", function(h) return format("\\%d", tonumber(h, 16)) end) or (gsub(format("%q", value), "[\128-\255]", function(c) return format("\\%d", byte(c)) end)) end
  if kind ~= "table" then return tostring(value) end
  local meta = getmetatable(value)
  if type(meta) == "table" and rawget(meta, "__tostring") then return tostring(value) end
  if seen[value] then return "<" .. tostring(value) .. ">" end
  if depth > 8 then return "{…}" end
  seen[value] = true
  local parts, n = {}, 0
  for i, v in ipairs(value) do
    if i > 1000 then
      parts[#parts + 1] = "…"
      break
    end
    parts[#parts + 1], n = describe(v, indent .. "  ", seen, depth + 1), i
  end
  local keys = {}
  for k in pairs(value) do
    if not (type(k) == "number" and k >= 1 and k <= #value and k == floor(k)) then keys[#keys + 1] = k end
  end
  sort(keys, function(a, b)
    if type(a) == type(b) and (type(a) == "number" or type(a) == "string") then return a < b end
    return type(a) .. tostring(a) < type(b) .. tostring(b)
  end)
  for i, k in ipairs(keys) do
    if i > 1000 then
      parts[#parts + 1] = "…"
      break
    end
    local name = type(k) == "string" and match(k, "^[%a_][%w_]*$") and not keyword[k] and k or "[" .. describe(k, "", seen, depth + 1) .. "]"
    parts[#parts + 1] = name .. " = " .. describe(value[k], indent .. "  ", seen, depth + 1)
  end
  seen[value] = nil
  local line = "{" .. concat(parts, ", ") .. "}"
  if #line + #indent <= 100 and not find(line, "\n") then return line end
  return "{\n" .. indent .. "  " .. concat(parts, ",\n" .. indent .. "  ") .. "\n" .. indent .. "}"
end

local function show(values)
  if values.n == 1 and streams[values[1] or 0] then return end -- of io.write
  if values.n == 0 or values.n == 1 and values[1] == nil then return end
  local parts = {}
  for i = 1, values.n do
    local v = values[i]
    parts[i] = values.n == 1 and type(v) == "string" and v or describe(v, "", {}, 0)
  end
  send('{"type":"result","data":{"text/plain":' .. words(concat(parts, "\t")) .. "}}")
end

-- Runs.

local current -- the run that executes
local outcome -- of the program of the current run

local main = running() -- the main thread; nil in Lua 5.1
local gethook, sethook = debug.gethook, debug.sethook

-- pending reports whether an interrupt waits for the main thread, and takes it.
local function pending()
  if type(main) ~= "thread" or gethook(main) == nil then return false end
  sethook(main)
  return true
end

local function isInterrupt(problem)
  return problem == interruption or type(problem) == "string" and find(problem, "interrupted!$") ~= nil
end

-- settled has the results of a protected call; an interrupt is not caught.
local function settled(ok, ...)
  if not ok and isInterrupt((...)) then error((...), 0) end
  return ok, ...
end

-- protect has programs catch no interrupts, and checks for them in coroutines too.
local function protect()
  local real = { pcall = pcall, xpcall = xpcall, create = create, wrap = coroutine.wrap }
  function _G.pcall(...) return settled(real.pcall(...)) end
  function _G.xpcall(f, handler, ...)
    local caught
    return (function(...)
      if caught then error(caught, 0) end
      return ...
    end)(real.xpcall(f, function(problem)
      if isInterrupt(problem) then caught = problem end
      return handler(problem)
    end, ...))
  end
  if type(main) ~= "thread" or rawget(_G, "jit") then return end
  local function check()
    if pending() then error("interrupted!", 0) end
  end
  function coroutine.create(f)
    local co = real.create(f)
    sethook(co, check, "", 100000)
    return co
  end
  function coroutine.wrap(f)
    local co = coroutine.create(f)
    local function results(ok, ...)
      if not ok then error((...), 0) end
      return ...
    end
    return function(...) return results(resume(co, ...)) end
  end
end

-- failed is the handler of errors: it keeps the traceback. It runs on the stack of the error.
local function failed(problem)
  local where
  for level = 2, 200 do
    local info = getinfo(level, "Sl")
    if not info then break end
    if not where and info.source == "=" .. current.name and info.currentline > 0 then where = info.currentline end
  end
  return { problem = problem, where = where, trace = type(problem) == "string" and problem:find("stack overflow", 1, true) and "" or traceback("", 2) }
end

local function traceOf(text)
  local trace = {}
  for line in text:gmatch("[^\n]+") do
    line = gsub(line, "^%s+", "")
    if find(line, "xpcall", 1, true) or find(line, "quire_step", 1, true) then break end
    if line ~= "stack traceback:" and not find(line, "^%[C%]: in %?") and not find(line, "(command line)", 1, true) then trace[#trace + 1] = line end
  end
  if find(trace[#trace] or "", "^%[C%]: in ") and not find(trace[#trace], "'[^']+'") then trace[#trace] = nil end
  return trace
end

-- failure returns an error as the protocol has it.
local function failure(caught)
  local problem = caught.problem
  if isInterrupt(problem) then
    return '{"name":"Interrupted","message":"the run was interrupted","cause":"interrupted","trace":[]}'
  end
  local e = { name = "Error", trace = setmetatable(traceOf(caught.trace), { __metatable = "list" }), line = caught.where or current.single and 1 or 0 }
  local meta = getmetatable(problem)
  if meta == exitMark then
    return encode { name = "Exit", message = "the program ended itself with status " .. tostring(problem.status) }
  elseif type(problem) == "table" then
    e.message = type(meta) == "table" and rawget(meta, "__tostring") and tostring(problem) or problem.message and tostring(problem.message) or describe(problem, "", {}, 0)
    e.name = type(problem.name) == "string" and problem.name or type(meta) == "table" and type(rawget(meta, "__name")) == "string" and meta.__name or "Error"
    if e.name ~= "Error" then e.message = gsub(e.message, "^" .. gsub(e.name, "%p", "%%%0") .. ": ", "") end
  else
    e.message = type(problem) == "string" and problem or describe(problem, "", {}, 0)
    local line, text = match(e.message, "^" .. gsub(current.name, "%p", "%%%0") .. ":(%d+): (.*)$")
    if line then e.line, e.message = tonumber(line), text end
    e.message = gsub(e.message, "^%(command line%):%d+: ", "")
    if find(e.message, "^not enough memory") then e.name = "MemoryError" end
    if find(e.message, "stack overflow", 1, true) then e.name, e.message = "StackOverflow", match(e.message, "^[^\n]*") end
    local module = match(e.message, "^module '([^']+)' not found")
    if module then e.name = "ModuleNotFoundError" end
    if caught.syntax then e.name = "SyntaxError" end
  end
  for i, line in ipairs(e.trace) do e.trace[i] = "    " .. line end
  if e.trace[1] then insert(e.trace, 1, e.name .. ": " .. e.message) end
  return encode(e)
end

local function finish()
  local done = '{"type":"done","run":' .. format("%d", current.run)
  if outcome.caught then
    local problem = outcome.caught.problem
    if getmetatable(problem) == exitMark and problem.status == 0 then
      done = done .. ',"exit":"kept"'
    else
      done = done .. ',"error":' .. failure(outcome.caught)
    end
  else
    local ok, problem = pcall(show, outcome)
    if not ok then done = done .. ',"error":' .. encode { name = "Error", message = "show the value: " .. tostring(problem) } end
  end
  send(done .. "}", "e")
  current, outcome = nil, nil
end

-- Calls.

local own = {} -- globals before the first run
local methods = {}

local function variableNames()
  local names = {}
  for name in pairs(_G) do
    if type(name) == "string" and not own[name] then names[#names + 1] = name end
  end
  sort(names)
  return names
end

local function short(value)
  local text = gsub(describe(value, "", {}, 0), "%s+", " ")
  if #text <= 100 then return text end
  return gsub(sub(text, 1, 97), "[\192-\255][\128-\191]*$", "") .. "…"
end

function methods.variables()
  local list = setmetatable({}, { __metatable = "list" })
  for _, name in ipairs(variableNames()) do
    local value = _G[name]
    if type(value) ~= "function" then
      insert(list, { name = name, type = type(value), preview = short(value), shape = type(value) == "table" and #value > 0 and #value .. " items" or nil })
    end
  end
  return encode(list)
end

function methods.complete(m)
  local i, units = 1, 0
  while i <= #m.source and units < m.cursor do -- the cursor counts UTF-16 units
    local b = byte(m.source, i)
    units = units + (b >= 0xF0 and 2 or 1)
    i = i + (b >= 0xF0 and 4 or b >= 0xE0 and 3 or b >= 0xC0 and 2 or 1)
  end
  local path, begun = match(sub(m.source, 1, i - 1), "([%w_.:]-)([%w_]*)$")
  local from = _G
  for part in path:gmatch("[%w_]+") do
    local ok, value = pcall(function() return from[part] end)
    from = ok and value or {}
    if type(from) == "string" then from = string end
  end
  if type(from) ~= "table" then
    local meta = getmetatable(from)
    from = type(meta) == "table" and type(meta.__index) == "table" and meta.__index or {}
  end
  local items, seen = setmetatable({}, { __metatable = "list" }), {}
  for _ = 1, 5 do
    for k, v in pairs(from) do
      if type(k) == "string" and sub(k, 1, #begun) == begun and not seen[k] and match(k, "^[%a_][%w_]*$") then
        seen[k] = true
        items[#items + 1] = { text = k, kind = type(v) == "function" and "function" or type(v) == "table" and own[k] and "module" or "variable" }
      end
    end
    local meta = getmetatable(from)
    from = type(meta) == "table" and type(rawget(meta, "__index")) == "table" and meta.__index
    if not from then break end
  end
  if path == "" then
    for word in pairs(keyword) do
      if sub(word, 1, #begun) == begun then items[#items + 1] = { text = word, kind = "keyword" } end
    end
  end
  sort(items, function(a, b) return a.text < b.text end)
  return encode { start = m.cursor - #begun, ["end"] = m.cursor, items = items }
end

function methods.reset()
  for _, name in ipairs(variableNames()) do _G[name] = nil end
  for name, value in pairs(own) do _G[name] = value end
  return "null"
end

local function nameOf(m)
  if not match(m.name or "", "^[%a_][%w_]*$") or keyword[m.name] then error("no name of a variable: " .. tostring(m.name), 0) end
  return m.name
end

function methods.get(m)
  local value = _G[nameOf(m)]
  if value == nil then error("no variable is named " .. m.name, 0) end
  return encode(value)
end

function methods.set(m)
  local function plain(value)
    if value == null then return nil end
    if type(value) == "table" then
      for k, v in pairs(value) do value[k] = plain(v) end
    end
    return value
  end
  _G[nameOf(m)] = plain(m.value)
  return "null"
end

local function shell(text) return "'" .. gsub(text, "'", "'\\''") .. "'" end

-- installed finds the rocks of the user.
local function installed()
  local version, tree = match(_VERSION, "%d+%.%d+"), (os.getenv("HOME") or ".") .. "/.luarocks"
  local path = tree .. "/share/lua/" .. version .. "/?.lua;" .. tree .. "/share/lua/" .. version .. "/?/init.lua;"
  if not find(package.path, path, 1, true) then
    package.path, package.cpath = path .. package.path, tree .. "/lib/lua/" .. version .. "/?.so;" .. package.cpath
  end
end

function methods.install(m)
  local version = match(_VERSION, "%d+%.%d+")
  for _, name in ipairs(m.packages) do
    local rock, wanted = match(name, "^([^ =@]+)[ =@]+(%S+)$")
    local command = "luarocks --local --lua-version " .. version .. " install " .. shell(rock or name) .. (wanted and " " .. shell(wanted) or "")
    local pipe = assert(io.popen("{ " .. command .. "; } 2>&1; echo \" $?\""))
    local last = ""
    for line in linesOfFile(pipe) do
      if last ~= "" then put(rawOut, last) end
      last = line .. "\n"
    end
    pipe:close()
    local text, status = match(last, "^(.*) (%d+)\n$")
    if text and text ~= "" then put(rawOut, text) end
    if status ~= "0" then
      return nil, encode { name = "InstallError", message = "luarocks could not install " .. name .. (status == "127" and ": luarocks is not installed" or ": see its output") }
    end
  end
  installed()
  return "null"
end

local function answer(m)
  local method = methods[m.method]
  local head = '{"type":"reply","id":' .. format("%d", m.id)
  if not method then return send(head .. ',"error":' .. encode { name = "Unsupported", message = "no method " .. tostring(m.method) } .. "}") end
  local ok, value, problem = pcall(method, m)
  if not ok then problem = encode { name = "Error", message = tostring(value) } end
  send(head .. (problem and ',"error":' .. problem or ',"value":' .. value) .. "}")
end

-- The loop.

local program, started -- of the run that begins; whether it has begun

-- begin takes a request to execute.
local function begin(m)
  current, outcome, ended, rest = { run = m.run, single = not find(m.source, "\n", 1, true), name = gsub(m.name or "cell", "[\r\n]", " ") }, nil, nil, ""
  local problem
  started = false
  program, problem = compile(m.source, current.name)
  if program then return true end
  outcome = { caught = { problem = problem, trace = "", syntax = true, where = tonumber(match(problem, ":(%d+):")) } }
  finish()
  return false
end

local function serve()
  while true do
    if outcome then finish() end
    repeat
      local line = nextLine()
      if not line then
        requests:close()
        exit(0)
      end
      local m = decodeNext(line, 1)
      token = m.mark or token
      if m.type == "call" then answer(m) end
    until m.type == "run" and begin(m)
    yield(pending())
  end
end

-- packed keeps the results of a program.
local function packed(ok, ...)
  if ok then return { n = select("#", ...), ... } end
  return { caught = (...) }
end

local server = create(serve)

-- quire_step serves requests until a run was interrupted. An interrupt arises in this thread alone: it ends the program,
-- or comes too late for it.
function quire_step()
  pcall(function()
    if current and started and not outcome then outcome = { caught = { problem = interruption, trace = "" } } end
    while true do
      if not current or outcome then
        local ok, late = resume(server)
        if not ok and isInterrupt(late) then -- LuaJIT's hooks are for all threads
          server = create(serve)
          return
        elseif not ok then
          send('{"type":"error","error":' .. encode { name = "DriverError", message = tostring(late) } .. "}")
          exit(1)
        end
        if late then return end
      end
      started = true
      send('{"type":"begin","run":' .. format("%d", current.run) .. "}")
      outcome = packed(xpcall(program, failed))
      local caught = outcome.caught
      if caught and type(caught) ~= "table" then outcome.caught = { problem = caught, trace = "" } end
      if outcome.caught and isInterrupt(outcome.caught.problem) then return end
    end
  end)
end

if rawget(_G, "jit") then jit.off() end -- compiled loops see no interrupts
installed()
protect()
for name, value in pairs(_G) do own[name] = value end
send(encode {
  type = "hello", protocol = protocol, language = "lua", version = (rawget(_G, "jit") and jit.version or match(_VERSION, "%d+%.%d+")), interrupt = "signal", begins = true,
  marks = true, extension = ".lua", mime = "text/x-lua", can = { "complete", "variables", "install", "reset", "get", "set" },
})
