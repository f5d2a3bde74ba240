# The driver of Ruby as WebAssembly: it executes the runs that come as lines of JSON, one after another, until there are no more.
#
# The host has the two channels as files, and takes what is written to the descriptors 1 and 2 in order with what is written to them.

require "json"

module Quire
  REQUESTS = File.open("/quire/requests", "rb")
  MESSAGES = File.open("/quire/messages", "wb")
  MESSAGES.sync = true
  CELLS = {} # the sources by their names
  HIDDEN = %w[eval: notebook: <internal:].freeze # frames of the driver

  # Answers is the standard input: each line is the answer to a question.
  class Answers
    include Enumerable

    def gets(*) = (text = Quire.ask("")) && "#{text}\n"
    def readline(*) = gets || raise(EOFError, "end of file reached")
    def each_line = block_given? ? (while (line = gets) do yield line end) : enum_for(:each_line)
    alias each each_line
    def readlines(*) = each_line.to_a
    def read(*) = readlines.join
    def getc = gets&.[](0)
    def eof? = false
    def tty? = false
    alias isatty tty?
    def fileno = 0
    def sync = true
    def close = nil

    # The secret questions of io/console.
    def getpass(prompt = "") = Quire.ask(prompt, secret: true)
    def noecho = yield(Secret.new)
  end

  # Secret is the standard input of a program that asks for a secret.
  class Secret < Answers
    def gets(*) = (text = Quire.ask("", secret: true)) && "#{text}\n"
  end

  module_function

  def send_message(type, fields)
    $stdout.flush
    $stderr.flush
    MESSAGES.write(JSON.generate({ type: type }.merge(fields)) << "\n")
  end

  def receive
    line = REQUESTS.gets
    line && JSON.parse(line.force_encoding("UTF-8"))
  end

  # text returns a string as JSON can have it.
  def text(value)
    value = value.to_s
    value = value.dup.force_encoding("UTF-8") if value.encoding == Encoding::BINARY
    value.encode("UTF-8", invalid: :replace, undef: :replace).scrub
  end

  # wait returns the host's next message, or interrupts the program.
  def wait
    message = receive || exit!(0)
    raise Interrupt, "" if message["type"] == "interrupt"

    message
  end

  @asked = 0
  def ask(prompt, secret: false)
    @asked += 1
    send_message("ask", id: @asked, prompt: text(prompt), secret: secret)
    answer = wait
    answer["end"] ? nil : answer["text"].to_s
  end

  @shown = 0
  def display(value, update: false, id: nil, raw: false)
    if id == true
      @shown += 1
      id = "display-#{@shown}"
    end
    data = raw ? value.to_h { |mime, part| [mime.to_s, encode(mime, part)] } : represent(value)
    fields = { data: data }
    fields[:id] = id.to_s if id
    send_message(update ? "update" : "display", fields)
    id unless update
  end

  def clear(wait: false)
    send_message("clear", wait: wait)
    nil
  end

  METHODS = {
    to_html: "text/html", to_markdown: "text/markdown", to_svg: "image/svg+xml", to_png: "image/png", to_jpeg: "image/jpeg", to_latex: "text/latex"
  }.freeze

  def represent(value)
    data = {}
    METHODS.each do |method, mime|
      data[mime] = encode(mime, value.public_send(method)) if value.respond_to?(method) && value.method(method).arity.between?(-1, 0)
    rescue StandardError
      next
    end
    data["text/plain"] = text(value.inspect)
    data
  end

  def encode(mime, part)
    return part unless part.is_a?(String)
    return [part].pack("m0") if mime.to_s.start_with?("image/") && !mime.to_s.include?("svg")

    text(part)
  end

  # Errors.

  def describe(error, name, source)
    return out_of_memory(error) if error.is_a?(NoMemoryError)
    return { name: "Interrupt", cause: "interrupted", trace: trace_of(error) } if error.is_a?(Interrupt)

    trace = trace_of(error)
    line, column = locate(error, name, source, trace)
    error.set_backtrace(trace) if error.backtrace
    lines = text(error.full_message(highlight: false, order: :top)).chomp.split("\n").grep_v(/\A\s+from (?:eval:|notebook:|<internal:)/)
    lines[0] = lines[0].sub(/\A(?:eval|notebook):\d+:in '[^']*': /, "") if lines[0]
    lines.pop while lines.last == ""
    fields = { name: error.class.name || error.class.inspect, message: text(message_of(error)), trace: lines }
    fields[:line] = line if line
    fields[:column] = column if column
    fields
  end

  def trace_of(error) = (error.backtrace || []).reject { |frame| frame.start_with?(*HIDDEN) }

  # out_of_memory describes an error with little memory.
  def out_of_memory(error)
    GC.start
    { name: "NoMemoryError", message: "failed to allocate memory", cause: "limit", trace: [error.backtrace&.first.to_s] }
  end

  def message_of(error)
    return error.message unless error.is_a?(SyntaxError)

    error.message[/^\s*\|[ \t]*\^+\s*(.+)$/, 1] || error.message.lines.last.to_s.strip.then { |last| last.empty? ? error.message : last }
  end

  def locate(error, name, source, trace)
    if error.is_a?(SyntaxError)
      line = error.message[/#{Regexp.escape(name)}:(\d+)/, 1]&.to_i
      marked = error.message.lines.each_cons(2).find { |a, b| a =~ /\A\s*>\s*\d+ \|/ && b =~ /\A\s*\|/ }
      column = marked && units(marked[0].sub(/\A\s*>\s*\d+ \| ?/, ""), marked[1].sub(/\A\s*\| ?/, "").index("^") || 0)
      line = marked[0][/\d+/].to_i if marked
      return line, column
    end
    frame = trace.find { |one| one.start_with?("#{name}:") } or return
    line = frame[/\A#{Regexp.escape(name)}:(\d+)/, 1].to_i
    [line, column_of(error, name, source, line)]
  end

  # column_of returns the column of the call that failed: that of the node which the compiler had for it.
  def column_of(error, name, source, line)
    location = error.backtrace_locations&.find { |one| one.path == name } or return
    return if location.lineno != line

    require "prism"
    id = RubyVM::AbstractSyntaxTree.node_id_for_backtrace_location(location)
    node = Prism.parse(source, scopes: [TOPLEVEL_BINDING.local_variables]).value.breadth_first_search { |one| one.node_id == id } or return
    place = node.respond_to?(:message_loc) && node.message_loc || node.location
    units(source.lines[line - 1].to_s, place.start_character_column) if place.start_line == line
  rescue StandardError, LoadError
    nil
  end

  # units returns the column, from 1 in UTF-16 units, behind so many characters.
  def units(line, characters) = line[0, characters].to_s.encode("UTF-16LE", invalid: :replace, undef: :replace).bytesize / 2 + 1

  # Runs.

  def run(request)
    source, name = request["source"], request["name"] || "cell"
    CELLS[name] = source
    done = { run: request["run"] }
    begin
      value = TOPLEVEL_BINDING.eval(source, name, 1)
      unless value.nil? || source.rstrip.end_with?(";")
        TOPLEVEL_BINDING.local_variable_set(:_, value)
        send_message("result", data: represent(value))
      end
    rescue SystemExit => error
      error.success? ? done[:exit] = "kept" : done[:error] = describe(error, name, source)
    rescue Exception => error # rubocop:disable Lint/RescueException
      done[:error] = describe(error, name, source)
    end
    send_message("done", done)
  rescue Exception => error # rubocop:disable Lint/RescueException
    send_message("done", run: request["run"], error: { name: error.class.name, message: text(error.message) })
  end

  # Questions of the host about the program.

  def answer(request)
    value = case request["method"]
            when "complete" then complete(request["source"].to_s, request["cursor"].to_i)
            when "inspect" then look_up(request["source"].to_s, request["cursor"].to_i)
            when "variables" then variables
            when "reset" then reset
            when "get" then get(request["name"])
            when "set" then (TOPLEVEL_BINDING.local_variable_set(request["name"].to_sym, request["value"])) && nil
            else raise NotImplementedError, "there is no method #{request["method"]}"
            end
    send_message("reply", id: request["id"], value: value)
  rescue Exception => error # rubocop:disable Lint/RescueException
    send_message("reply", id: request["id"], error: { name: error.class.name, message: text(error.message) })
  end

  def get(name)
    return TOPLEVEL_BINDING.local_variable_get(name.to_sym) if TOPLEVEL_BINDING.local_variable_defined?(name.to_sym)
    return TOPLEVEL_BINDING.eval(name) if name.start_with?("$") && global_variables.include?(name.to_sym)

    raise NameError, "undefined local variable '#{name}'"
  end

  def own_variables = TOPLEVEL_BINDING.local_variables - [:_]

  KEYWORDS = %w[
    alias and begin BEGIN break case class def defined? do else elsif end END ensure false for if in module next nil not or redo rescue retry return
    self super then true undef unless until when while yield
  ].freeze

  def before_cursor(source, cursor) = source.encode("UTF-16LE").byteslice(0, 2 * cursor).force_encoding("UTF-16LE").encode("UTF-8", invalid: :replace)

  def complete(source, cursor)
    before = before_cursor(source, cursor)
    receiver, start = before.match(/(?:([A-Za-z_$@][\w.:]*)\.)?([A-Za-z_$@]?\w*[?!]?)\z/).captures
    items = receiver ? methods_of(receiver) : names
    items = items.select { |one| one[:text].start_with?(start) }.uniq { |one| one[:text] }.sort_by { |one| one[:text] }.first(1000)
    finish = before.encode("UTF-16LE").bytesize / 2
    { start: finish - start.encode("UTF-16LE").bytesize / 2, end: finish, items: items }
  end

  def value_of(path)
    return unless path.match?(/\A(?:[A-Z]\w*(?:::[A-Z]\w*)*|[$@]?[a-z_]\w*)\z/)
    return TOPLEVEL_BINDING.local_variable_get(path.to_sym) if path.match?(/\A[a-z_]/) && TOPLEVEL_BINDING.local_variable_defined?(path.to_sym)

    path.match?(/\A[A-Z]/) ? Object.const_get(path) : nil
  rescue NameError
    nil
  end

  def methods_of(receiver)
    value = value_of(receiver)
    value.nil? ? [] : value.public_methods.map { |name| { text: name.to_s, kind: "function" } }
  end

  def names
    KEYWORDS.map { |word| { text: word, kind: "keyword" } } +
      own_variables.map { |name| { text: name.to_s, kind: "variable" } } +
      global_variables.map { |name| { text: name.to_s, kind: "variable" } } +
      Object.constants.map { |name| { text: name.to_s, kind: Object.autoload?(name) || !Object.const_get(name).is_a?(Module) ? "variable" : "class" } } +
      (TOPLEVEL_BINDING.receiver.private_methods + TOPLEVEL_BINDING.receiver.methods).map { |name| { text: name.to_s, kind: "function" } }
  end

  def look_up(source, cursor)
    units = source.encode("UTF-16LE")
    before = before_cursor(source, cursor)
    after = units.byteslice(2 * cursor, units.bytesize).to_s.force_encoding("UTF-16LE").encode("UTF-8", invalid: :replace)
    word = before[/\w*[?!]?\z/] + after[/\A\w*[?!]?/]
    word = before[/(\w+[?!]?)\s*\([^()]*\z/, 1].to_s if word.empty?
    return { found: false } if word.empty?

    receiver = TOPLEVEL_BINDING.receiver
    if TOPLEVEL_BINDING.local_variable_defined?(word.to_sym)
      value = TOPLEVEL_BINDING.local_variable_get(word.to_sym)
      return { found: true, data: { "text/plain" => "#{word}: #{value.class} = #{preview(value)}" } }
    elsif receiver.respond_to?(word, true)
      signature = "#{word}(#{parameters(receiver.method(word))})"
      place = receiver.method(word).source_location
      return { found: true, signature: signature, data: { "text/plain" => [signature, comment(place)].compact.join("\n\n") } }
    end
    value = value_of(word)
    value.nil? ? { found: false } : { found: true, data: { "text/plain" => "#{value.class.name.downcase} #{value}" } }
  rescue NameError
    { found: false }
  end

  # comment returns the comment above a method of a cell.
  def comment(place)
    lines = CELLS[place&.first]&.lines or return
    above = lines[0...(place.last - 1)].reverse.take_while { |line| line.match?(/\A\s*#/) }
    above.empty? ? nil : above.reverse.map { |line| line.sub(/\A\s*# ?/, "").chomp }.join("\n")
  end

  def parameters(method)
    method.parameters.map do |kind, name|
      { req: "#{name}", opt: "#{name} = …", rest: "*#{name}", keyreq: "#{name}:", key: "#{name}: …", keyrest: "**#{name}", block: "&#{name}" }[kind] || "…"
    end.join(", ")
  end

  def preview(value)
    shown = text(value.inspect).gsub(/\s+/, " ")
    shown.length > 200 ? "#{shown[0, 199]}…" : shown
  end

  def variables
    own_variables.sort.filter_map do |name|
      value = TOPLEVEL_BINDING.local_variable_get(name)
      next if value.nil?

      entry = { name: name.to_s, type: value.class.to_s, preview: preview(value) }
      entry[:shape] = value.size.to_s if value.is_a?(Array) || value.is_a?(Hash) || value.is_a?(String)
      entry
    end
  end

  def reset
    TOPLEVEL_BINDING.local_variables.each { |name| TOPLEVEL_BINDING.local_variable_set(name, nil) }
    nil
  end

  # The functions of Kernel that ask or wait.
  module Functions
    def gets(*) = $stdin.gets
    def readline(*) = $stdin.readline
    def readlines(*) = $stdin.readlines

    # There are no processes. What this build has in their place says that they succeed.
    def system(*, exception: false, **) = exception ? raise(NotImplementedError, "there are no processes in the sandbox") : nil
    def `(_) = raise(NotImplementedError, "there are no processes in the sandbox")
    def spawn(*) = raise(NotImplementedError, "there are no processes in the sandbox")
    def exec(*) = raise(NotImplementedError, "there are no processes in the sandbox")

    def sleep(seconds = nil)
      raise TypeError, "can't convert #{seconds.class} into time interval" unless seconds.nil? || seconds.is_a?(Numeric)
      raise ArgumentError, "time interval must not be negative" if seconds&.negative?

      began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      Quire.send_message("sleep", seconds: (seconds || 1e9).to_f)
      Quire.wait
      (Process.clock_gettime(Process::CLOCK_MONOTONIC) - began).round
    end
  end

  def prepare
    $stdout.sync = true
    $stderr.sync = true
    $stdin = Answers.new
    Object.send(:remove_const, :ARGV) && Object.const_set(:ARGV, []) if Object.const_defined?(:ARGV)
    Kernel.prepend(Functions)
    Object.prepend(Functions)
    ENV.clear
    Dir.chdir("/notebook") if File.directory?("/notebook")
    $PROGRAM_NAME = "notebook"
    without_javascript
  end

  # without_javascript has the library for JavaScript count as loaded: what it asks of its host would crash this build.
  def without_javascript
    %w[js js.so].each do |name|
      _, path = $LOAD_PATH.resolve_feature_path(name)
      $LOADED_FEATURES << (path || name)
    rescue LoadError
      next
    end
  end

  def main
    prepare
    send_message("ready", version: RUBY_VERSION)
    while (request = receive)
      case request["type"]
      when "run" then run(request)
      when "call" then answer(request)
      end
    end
  end
end

Quire.main
