# The driver of Ruby 3.0 and newer: it speaks the engine protocol on descriptors 3 and 4.
#
# Sources are evaluated in a binding of the top level, so that local variables stay from one to the next. What Ruby writes
# to its standard streams goes to the descriptors at once, as that of native code and of child processes does. Threads
# belong to the run that starts them: what they print in a later one goes as messages.
require 'json'

# Notebook shows values and asks the user.
module Notebook
  @displays = 0

  # A display that can be changed.
  Handle = Struct.new(:id, :mime) do
    def update(value)
      QuireDriver.emit(type: 'update', id: id, data: Notebook.data_of(value, mime))
      nil
    end
  end

  class << self
    # display shows a value, or with a type of MIME its text or bytes.
    def display(value, mime = nil, id: nil)
      id ||= "ruby-#{Process.pid}-#{@displays += 1}"
      QuireDriver.emit(type: 'display', id: id, data: data_of(value, mime))
      Handle.new(id, mime)
    end

    { text: 'text/plain', html: 'text/html', markdown: 'text/markdown', latex: 'text/latex', svg: 'image/svg+xml', png: 'image/png',
      jpeg: 'image/jpeg', json: 'application/json' }.each do |name, mime|
      define_method(name) { |value, id: nil| display(value, mime, id: id) }
    end

    def clear(wait: false)
      QuireDriver.emit(type: 'clear', wait: wait)
      nil
    end

    # ask returns a line of the user. It raises EOFError when no answer comes.
    def ask(prompt = '', secret: false)
      QuireDriver.ask(prompt.to_s, secret)
    end

    # data_of returns a value in all representations that there are.
    def data_of(value, mime = nil)
      return { mime => encode(mime, value) } if mime
      return { 'text/plain' => '#<BasicObject>' } unless Object === value # it has no methods
      return encode_all(bundle_of(value)) if value.respond_to?(:to_iruby_mimebundle)

      data = { 'text/plain' => QuireDriver.utf8(value.inspect) }
      html = value.respond_to?(:to_html) && value.method(:to_html).arity <= 0 ? value.to_html : table(value)
      data['text/html'] = QuireDriver.utf8(html) if html.is_a?(String)
      data['image/svg+xml'] = QuireDriver.utf8(value.to_svg) if value.respond_to?(:to_svg) && value.method(:to_svg).arity <= 0
      data
    end

    private

    def bundle_of(value)
      data, = value.to_iruby_mimebundle
      data.key?('text/plain') ? data : { 'text/plain' => value.inspect }.merge(data)
    end

    def encode_all(data)
      data.to_h { |mime, value| [mime.to_s, encode(mime.to_s, value)] }
    end

    def encode(mime, value)
      return JSON.parse(JSON.generate(value)) if mime == 'application/json' || mime.end_with?('+json')
      return QuireDriver.utf8(value.to_s) if mime.start_with?('text/') || mime.end_with?('+xml', 'javascript')

      [value.to_s].pack('m0')
    end

    # table returns an array of flat hashes as a table.
    def table(rows, most = 200)
      return unless rows.is_a?(Array) && !rows.empty? && rows.all?(Hash)

      shown = rows.first(most)
      columns = shown.flat_map(&:keys).uniq
      return if columns.empty? || columns.size > 100 || shown.any? { |row| row.each_value.any? { |v| v.is_a?(Enumerable) } }

      head = columns.map { |c| "<th>#{escape(c)}</th>" }.join
      body = shown.each_with_index.map do |row, i|
        cells = columns.map { |c| "<td#{' style="text-align:right"' if row[c].is_a?(Numeric)}>#{escape(row[c])}</td>" }
        "<tr><th>#{i}</th>#{cells.join}</tr>"
      end
      more = rows.size > most ? "<p>the first #{most} of #{rows.size} rows</p>" : ''
      "<table><thead><tr><th></th>#{head}</tr></thead><tbody>#{body.join}</tbody></table>#{more}"
    end

    def escape(value)
      QuireDriver.utf8(value.to_s).gsub(/[&<>"]/, '&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;')
    end
  end
end

# QuireDriver is the driver. Programs have no business with it.
module QuireDriver
  KEY = :quire_run
  GEMS = File.join(Dir.pwd, '.gems')

  # Standard input asks the user for lines.
  class Input
    include Enumerable

    def initialize
      @rest = +''
      @ended = false
    end

    # begin_run asks again after an end.
    def begin_run
      @rest = +''
      @ended = false
    end

    def gets(*args, chomp: false)
      separator = args.find { |a| a.is_a?(String) || a.nil? && args.first.nil? } || $/
      return read_all if args.first.nil? && !args.empty?

      fill
      return if @rest.empty?

      line = @rest.slice!(0, (@rest.index(separator) || @rest.size) + separator.size)
      $_ = chomp ? line.chomp(separator) : line
    end

    def readline(*args, **options)
      gets(*args, **options) || raise(EOFError, @ended || 'end of file reached')
    end

    def each_line(*args, **options)
      return enum_for(:each_line, *args, **options) unless block_given?

      while (line = gets(*args, **options))
        yield line
      end
      self
    end
    alias each each_line

    def readlines(*args, **options) = each_line(*args, **options).to_a

    def read(length = nil, *)
      return read_all unless length

      fill
      @rest.empty? && length.positive? ? nil : @rest.slice!(0, length)
    end

    def getc
      fill
      @rest.empty? ? nil : @rest.slice!(0, 1)
    end

    def getpass(prompt = '') = QuireDriver.ask(prompt.to_s, true)
    def noecho = yield(self)

    def eof?
      fill
      @rest.empty?
    end

    def tty? = false
    alias isatty tty?
    def fileno = 0
    def sync = true
    def close = nil
    def closed? = false
    def binmode = self
    def external_encoding = Encoding::UTF_8
    def to_io = STDIN
    def inspect = '#<IO:<STDIN>>'

    private

    def fill
      return if @ended || !@rest.empty?

      @rest << QuireDriver.ask('', false) << "\n"
    rescue EOFError => e
      @ended = e.message
      $stderr.write("no input: #{@ended}\n")
    end

    def read_all
      all = +''
      until @ended
        fill
        all << @rest.slice!(0..)
      end
      all
    end
  end

  # What Ruby writes to a standard stream is printed in its order with all other output.
  module Output
    def write(*texts)
      text = texts.size == 1 ? texts[0].to_s : QuireDriver.joined(texts.map(&:to_s)) # puts gives a line and its end
      QuireDriver.text(@quire_stream, text)
      text.bytesize
    end

    def flush = self
    def fsync = 0
  end

  # A thread belongs to the run that starts it.
  module Threads
    %i[new start fork].each do |name|
      define_method(name) do |*args, **options, &block|
        run = QuireDriver.run_here
        wrapped = block && proc do |*given, **named|
          Thread.current.thread_variable_set(KEY, run)
          block.call(*given, **named)
        end
        super(*args, **options, &wrapped)
      end
    end
  end

  # Text from before a child process comes before its output, and later text behind it.
  module Children
    %i[system ` spawn fork popen wait wait2 waitpid waitpid2 waitall].each do |name|
      define_method(name) do |*args, **options, &block|
        QuireDriver.give_way
        begin
          super(*args, **options, &block)
        ensure
          QuireDriver.give_way
        end
      end
    end
  end

  # What is done at the end belongs to the run that asks for it.
  module AtExit
    def at_exit(&block)
      run = QuireDriver.run_here
      super() do
        Thread.current.thread_variable_set(KEY, run)
        block.call
      end
    end
    private :at_exit
  end

  class << self
    def start
      @main = Thread.current
      @requests = IO.for_fd(3, 'r:UTF-8', autoclose: false)
      @messages = IO.for_fd(4, 'wb', autoclose: false)
      @pipes = [STDOUT.dup, STDERR.dup].each(&:binmode)
      [@requests, @messages].each { |io| io.close_on_exec = true }
      [@messages, *@pipes].each { |io| io.sync = true }
      @lock = Mutex.new
      @owner = Process.pid
      @marks = 0
      @asks = 0
      @sources = {}
      @known = known
      @input = $stdin = Input.new
      $stderr = STDERR.dup # Ruby writes its warnings past the methods of STDERR itself
      { STDOUT => 0, STDERR => 1, $stderr => 1 }.each { |io, stream| io.extend(Output).instance_variable_set(:@quire_stream, stream) }
      $stderr.sync = true
      Thread.singleton_class.prepend(Threads)
      hook_children
      Object.prepend(AtExit)
      RubyVM.keep_script_lines = true if defined?(RubyVM) && RubyVM.respond_to?(:keep_script_lines=) # for columns of errors
      add_gems if File.directory?(GEMS)
      catch_interrupts
      renew
      send(type: 'hello', protocol: 1, language: 'ruby', version: RUBY_VERSION, interrupt: 'signal', begins: true, marks: true,
           can: %w[complete inspect variables get set reset install drain], extension: '.rb', mime: 'text/x-ruby')
      serve
    end

    # Messages

    # send writes one message whole.
    def send(message) = whole { put(message) }

    # whole has the main thread's interrupt wait until the block has written its output.
    def whole
      main = Thread.current == @main
      @sending = true if main
      @lock.synchronize { yield }
    rescue Errno::EPIPE
      exit!(1)
    ensure
      if main
        @sending = false
        if @pending && @interruptible
          @pending = false
          raise_interrupt
        end
      end
    end

    # emit sends output of the run that this thread belongs to.
    def emit(message)
      run = run_here
      whole do
        message[:run] = run if run && run != @run
        put(message)
      end
    end

    def run_here = Thread.current.thread_variable_get(KEY)

    # text prints on stdout, which is stream 0, or stderr.
    def text(stream, text)
      return if text.empty?

      run = run_here
      whole do
        if run && run != @run
          put(late(stream, text, run))
        else
          mark('t') unless @last == stream
          @last = stream
          @pipes[stream].write(text)
        end
      end
    end

    def late(stream, text, run)
      plain = text.dup.force_encoding(Encoding::UTF_8)
      { type: 'text', stream: %w[stdout stderr][stream], run: run }.merge(plain.valid_encoding? ? { text: plain } : { base64: [text].pack('m0') })
    end

    # give_way puts a mark, since others are about to write to the streams or have done so.
    def give_way
      whole { mark('t') }
      @last = nil
    end

    # put writes a message, behind its mark, with the lock.
    def put(message)
      return if copied?

      message[:at] = @marks + 1 if marks?
      line = "#{JSON.generate(message)}\n"
      mark(message[:type] == 'done' ? 'e' : 'm')
      @last = nil
      @messages.write(line)
    end

    # mark puts the next mark into both streams, with the lock.
    def mark(kind)
      return unless marks?

      mark = format('%s%s%016x', @mark, kind, @marks += 1)
      @pipes.each { |io| io.write(mark) }
    end

    # marks? reports whether there are marks: a copy of the process puts none.
    def marks? = @mark && !copied?

    # copied? reports whether this is a copy of the engine that a program has forked: it prints, and says nothing for the engine.
    def copied? = Process.pid != @owner

    # hook_children has what starts and awaits processes give way.
    def hook_children
      [[Object, %i[system ` spawn fork]], [Kernel.singleton_class, %i[system ` spawn fork]], [IO.singleton_class, %i[popen]],
       [Process.singleton_class, %i[spawn fork wait wait2 waitpid waitpid2 waitall]]].each do |owner, names|
        hooks = Children.clone
        (Children.instance_methods - names).each { |name| hooks.__send__(:remove_method, name) }
        hooks.__send__(:private, *names) if owner == Object
        owner.prepend(hooks)
      end
    end

    # joined returns texts as one, in bytes if their encodings do not go together.
    def joined(texts)
      texts.join
    rescue Encoding::CompatibilityError
      texts.map(&:b).join
    end

    # utf8 returns a text that JSON can have.
    def utf8(text)
      return text.dup.force_encoding(Encoding::UTF_8).scrub if [Encoding::BINARY, Encoding::UTF_8, Encoding::US_ASCII].include?(text.encoding)

      text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace)
    end

    def next_request
      line = @requests.gets
      line && JSON.parse(line)
    rescue IOError
      nil
    end

    def ask(prompt, secret)
      raise EOFError, 'only the main thread can ask the user' unless Thread.current == @main

      id = @asks += 1
      send(type: 'ask', id: id, prompt: utf8(prompt), secret: secret)
      while (answer = next_request)
        next unless answer['type'] == 'answer' && answer['id'] == id
        raise_interrupt if answer['interrupted']
        raise EOFError, answer['why'] || 'no answer came' if answer['end']

        return answer['text']
      end
      exit!(1) # the host is gone
    end

    # Interrupts

    # A signal interrupts a run or a call, and does nothing between them.
    def catch_interrupts
      @trap = proc do
        if @sending
          @pending = true
        elsif @interruptible
          raise_interrupt
        end
      end
      Signal.trap('INT', @trap)
    end

    def raise_interrupt
      @interrupted = true
      raise Interrupt, ''
    end

    # interruptible yields, and returns the error that ends the block.
    def interruptible
      @interrupted = @pending = false
      begin
        begin
          @interruptible = true
          yield
        ensure
          @interruptible = false
        end
        nil
      rescue Exception => e # all errors are those of the program
        @interruptible = false
        e
      end
    end

    # Runs

    def serve
      while (request = next_request)
        @lock.synchronize { @mark = request['mark'] || @mark }
        case request['type']
        when 'run' then execute(request)
        when 'call' then call(request)
        end
      end
      @run = nil
    end

    def execute(request)
      @lock.synchronize { @run = request['run'] }
      Thread.current.thread_variable_set(KEY, @run)
      Signal.trap('INT', @trap) # a program may have set its own
      @input.begin_run
      name = "In[#{@run}]"
      note(name, request['source'])
      error = interruptible do
        send(type: 'begin', run: @run)
        value = @binding.eval(request['source'], name, 1)
        send(type: 'result', data: Notebook.data_of(value)) unless nil.equal?(value)
      end
      finish(error, name)
    end

    # finish sends the end of a run. A copy ends there, as a program does.
    def finish(error, name)
      if copied?
        text(1, error.full_message(highlight: false)) unless error.nil? || error.is_a?(SystemExit)
        exit!(error.is_a?(SystemExit) ? error.status : error ? 1 : 0)
      end
      done = { type: 'done', run: @run }
      if error.is_a?(SystemExit) && !@interrupted && error.success?
        done[:exit] = 'kept'
      elsif error
        done[:error] = failure(error, name)
      end
      @lock.synchronize do
        put(done)
        @run = nil
      end
    rescue Errno::EPIPE
      exit!(1)
    end

    # note keeps the latest sources, to find comments in.
    def note(name, source)
      @sources[name] = source
      @sources.shift if @sources.size > 500
    end

    # Errors

    def failure(error, name)
      return { name: 'Interrupt', message: '', cause: 'interrupted', trace: [] } if @interrupted && error.is_a?(Interrupt)
      if error.is_a?(SystemExit)
        return { name: 'SystemExit', message: error.message == 'exit' ? "exit #{error.status}" : utf8(error.message), trace: [] }
      end

      line, column = error.is_a?(SyntaxError) ? place_of_syntax(error, name) : place(error, name)
      message = message_of(error)
      { name: error.class.name || error.class.to_s, message: message, line: line, column: column, trace: trace(error, message), lack: lack(error) }.compact
    rescue Exception => e # an error that cannot even be described
      { name: error.class.to_s, message: "its message failed: #{e.class}", trace: [] }
    end

    def lack(error)
      case error
      when NoMemoryError then 'memory'
      when Errno::EMFILE then 'files'
      when Errno::EFBIG then 'file-size'
      when Errno::ENOSPC then 'disk'
      when Errno::ENETUNREACH then 'network'
      when LoadError, Errno::ENOENT, Errno::EACCES then 'access'
      end
    end

    # message_of returns the message with the suggestions that Ruby has, and without the snippet that it shows.
    def message_of(error)
      text = (error.respond_to?(:original_message) ? error.original_message : error.message).to_s
      if error.respond_to?(:corrections) && defined?(DidYouMean) && (found = error.corrections).any?
        text = "#{text.chomp}\n#{DidYouMean.formatter.message_for(found).strip}"
      end
      if error.is_a?(LoadError) && error.path && !error.path.start_with?('/', '.')
        text = "#{text}\ninstall the gem #{error.path.split('/').first} to use it"
      end
      spot = snippet(error)
      text = text.sub(/\A[^\n]*?:\d+: /, '').sub(/\n(?:>?\s*\d* \| )?[^\n]*\n[\s|]*\^[^\n]*\n?\z/, '') if error.is_a?(SyntaxError)
      utf8(spot ? text.sub(spot, '') : text)
    end

    # snippet returns the source and the marker that error_highlight of Ruby 3.1 adds to messages.
    def snippet(error)
      found = error.is_a?(NameError) && spot(error)
      found && ErrorHighlight.formatter.message_for(found).then { |text| text.empty? ? nil : text }
    rescue StandardError
      nil
    end

    # spot returns what error_highlight marks: the name in a NameError, and with Ruby 3.2 arguments too.
    def spot(error)
      at = error.backtrace_locations&.first
      return unless at && defined?(ErrorHighlight)
      return ErrorHighlight.spot(error) if RUBY_VERSION >= '3.2'

      node = RubyVM::AbstractSyntaxTree.of(at, keep_script_lines: true)
      node && ErrorHighlight.spot(node, point_type: :name, name: (error.name if error.is_a?(NameError)))
    rescue StandardError, NotImplementedError
      nil
    end

    # place returns the line and the column of an error in a run.
    def place(error, name)
      at = error.backtrace_locations&.find { |location| location.path == name }
      line = at&.lineno || error.backtrace&.filter_map { |frame| frame[/\A#{Regexp.escape(name)}:(\d+)/, 1] }&.first&.to_i
      found = spot(error) if at && at == error.backtrace_locations.first
      column = units(found[:snippet], found[:first_column]) + 1 if found && found[:first_lineno] == line
      [line, column]
    end

    # units returns the length of the first bytes of a line in UTF-16 units.
    def units(line, bytes)
      line.byteslice(0, bytes).scrub.encode(Encoding::UTF_16LE).bytesize / 2
    end

    def place_of_syntax(error, name)
      line = error.message[/^#{Regexp.escape(name)}:(\d+):/, 1]&.to_i
      source = line && @sources[name].to_s.lines[line - 1]&.chomp
      before = nil
      column = nil
      error.message.each_line(chomp: true) do |text|
        # Ruby 3.4 has a gutter with the number of the line before both.
        shown = text.sub(/\A>?\s*\d*\s*\| /, '')
        if before && before == source && (at = shown =~ /\^/) && shown[0...at].strip.empty?
          column = units(source, source[0...at].bytesize) + 1
          break
        end
        before = shown
      end
      [line, column]
    end

    MOST_FRAMES = 60

    def trace(error, message)
      frames = (error.backtrace || []).reject { |frame| frame.start_with?('-e:', '<internal:') }
      frames = frames.first(MOST_FRAMES / 2) + ["… #{frames.size - MOST_FRAMES} more"] + frames.last(MOST_FRAMES / 2) if frames.size > MOST_FRAMES + 1
      lines = ["#{error.class}: #{message}", *frames.map { |frame| "    from #{utf8(frame)}" }]
      lines += ['caused by:', *trace(error.cause, message_of(error.cause))] if error.cause && error.cause != error
      lines.flat_map { |text| text.split("\n") }
    end

    # Calls

    METHODS = { 'complete' => :complete, 'inspect' => :describe, 'variables' => :variables, 'get' => :get, 'set' => :set,
                'reset' => :reset, 'install' => :install, 'drain' => :drain }.freeze

    def call(request)
      value = nil
      error = interruptible { value = public_send(METHODS.fetch(request['method']), request) }
      reply = { type: 'reply', id: request['id'] }
      send(error ? reply.merge(error: failure(error, '')) : reply.merge(value: value))
    end

    # renew makes a binding without local variables.
    def renew
      @binding = TOPLEVEL_BINDING.dup
    end

    def names
      @binding.local_variables.reject { |name| name.start_with?('_') }
    end

    NAME = '[[:alpha:]_][[:alnum:]_]*[?!]?'

    def complete(request)
      before = take(request)
      last = before[/(?:@@?|\$)?(?:#{NAME})?\z/o]
      owner = before[0...before.size - last.size]
      kinds = if (path = owner[/((?:@|\$)?#{NAME}(?:::#{NAME})*)(?:\.|&\.)\z/o, 1])
                known, value = peek(path)
                known ? value.public_methods.map { |m| [m, 'function'] } : []
              elsif (path = owner[/((?:::)?#{NAME}(?:::#{NAME})*)::\z/o, 1])
                known, value = peek(path)
                known && value.is_a?(Module) ? value.constants.map { |c| [c, 'class'] } + value.public_methods(false).map { |m| [m, 'function'] } : []
              elsif owner.end_with?('.')
                []
              else
                everything
              end
      items = kinds.filter { |name, _| name.start_with?(last) && name.match?(/[[:alnum:]_?!]\z/) }
      items = items.sort_by.with_index { |(name, kind), i| [kind == 'variable' ? 0 : 1, name.to_s, i] }.uniq(&:first).first(500)
      start = units(before, before.bytesize - last.bytesize)
      { start: start, end: units(before, before.bytesize), items: items.map { |name, kind| { text: name.to_s, kind: kind } } }
    end

    KEYWORDS = %w[alias and begin break case class def defined? do else elsif end ensure false for if in module next nil not or redo rescue
                  retry return self super then true undef unless until when while yield].freeze

    def everything
      main = @binding.receiver
      names.map { |n| [n, 'variable'] } + main.instance_variables.map { |n| [n, 'variable'] } +
        (main.private_methods + main.public_methods).map { |m| [m, 'function'] } + Object.constants.map { |c| [c, 'class'] } +
        global_variables.map { |g| [g, 'variable'] } + KEYWORDS.map { |k| [k, 'keyword'] }
    end

    # take returns the source before the cursor, which counts UTF-16 units.
    def take(request)
      half = request['source'].encode(Encoding::UTF_16LE)
      half.byteslice(0, 2 * request['cursor'].clamp(0, half.bytesize / 2)).scrub.encode(Encoding::UTF_8, invalid: :replace, undef: :replace)
    end

    # peek returns whether a name has a value, and that, without calling methods.
    def peek(path)
      case path
      when /\A@/ then @binding.receiver.instance_variable_defined?(path) ? [true, @binding.receiver.instance_variable_get(path)] : [false]
      when /\A\$/ then global_variables.include?(path.to_sym) ? [true, @binding.eval(path)] : [false]
      when /\A(?:::)?[[:upper:]]/ then Object.autoload?(path) || !Object.const_defined?(path) ? [false] : [true, Object.const_get(path)]
      else @binding.local_variable_defined?(path) ? [true, @binding.local_variable_get(path)] : [false]
      end
    rescue NameError
      [false]
    end

    def describe(request)
      return { found: false } if request['cursor'].negative?

      before = take(request)
      return { found: false } if before.encode(Encoding::UTF_16LE).bytesize / 2 < request['cursor']

      after = request['source'][before.size..] || ''
      name = before[/(?:@|\$)?(?:#{NAME}(?:::#{NAME})*)?\z/o] + after[/\A[[:alnum:]_]*[?!]?/]
      name = called(before) if name.empty?
      found = name && !name.empty? && !KEYWORDS.include?(name) && describe_name(name)
      return { found: false } unless found

      signature, doc, value = found
      { found: true, signature: signature, data: { 'text/plain' => utf8([signature, doc, value].compact.reject(&:empty?).join("\n\n")) } }
    end

    # called returns the method whose arguments a source ends in.
    def called(before)
      depth = 0
      (before.size - 1).downto([before.size - 2000, 0].max) do |i|
        case before[i]
        when ')', ']', '}' then depth += 1
        when '(' then return before[0...i][/#{NAME}\z/o] if depth.zero? || (depth -= 1).negative?
        when '[', '{' then depth.zero? ? (return) : depth -= 1
        end
      end
      nil
    end

    def describe_name(name)
      known, value = peek(name)
      return [value.is_a?(Module) ? "#{value.class.name.downcase} #{name}" : "#{name}: #{value.class}", comment(name), preview(value, 500)] if known
      return unless name.match?(/\A#{NAME}\z/o) && @binding.receiver.respond_to?(name, true)

      method = @binding.receiver.method(name)
      [signature(method), comment(name), "#{method.owner}##{name}"]
    end

    def signature(method)
      parts = method.parameters.map do |kind, name|
        name ||= '_'
        { req: name, opt: "#{name} = …", rest: "*#{name.to_s.delete('*')}", keyreq: "#{name}:", key: "#{name}: …", keyrest: "**#{name.to_s.delete('*')}", block: "&#{name.to_s.delete('&')}" }[kind] || name
      end
      "#{method.name}(#{parts.join(', ')})"
    end

    # comment returns the comment above the latest definition of a name.
    def comment(name)
      @sources.values.reverse_each do |source|
        found = source.match(/((?:^[ \t]*#[^\n]*\n)+)[ \t]*(?:(?:private|public)\s+)?(?:def|class|module)\s+(?:self\.)?#{Regexp.escape(name)}(?![[:alnum:]_])/)
        return found[1].lines.map { |line| line.sub(/\A\s*# ?/, '').chomp }.join("\n") if found
      end
      ''
    end

    def preview(value, most = 120)
      text = utf8(value.inspect).gsub(/\s+/, ' ')
      text.size > most ? "#{text[0, most - 1]}…" : text
    rescue StandardError => e
      "(its inspect failed: #{e.class})"
    end

    def variables(_request)
      main = @binding.receiver
      all = names.map { |name| [name, @binding.local_variable_get(name)] } + main.instance_variables.map { |name| [name, main.instance_variable_get(name)] }
      all.map do |name, value|
        shape = value.respond_to?(:size) && (value.is_a?(Array) || value.is_a?(Hash) || value.is_a?(Struct)) ? "#{value.size} item#{'s' unless value.size == 1}" : ''
        { name: name, type: value.class.to_s, shape: shape, preview: preview(value) }
      end
    end

    def get(request)
      known, value = peek(request['name'])
      raise NameError, "#{request['name']} is not defined" unless known

      JSON.parse(JSON.generate(value))
    end

    def set(request)
      name = request['name']
      raise NameError, "#{name} is no name of a variable" unless name.match?(/\A@?[[:lower:]_][[:alnum:]_]*\z/) && !KEYWORDS.include?(name)

      if name.start_with?('@')
        @binding.receiver.instance_variable_set(name, request['value'])
      else
        @binding.local_variable_set(name, request['value'])
      end
      nil
    end

    def known
      main = TOPLEVEL_BINDING.receiver
      { constants: Object.constants, methods: Object.private_instance_methods(false) + Object.instance_methods(false), ivars: main.instance_variables }
    end

    # reset forgets variables, and the methods and constants of the top level.
    def reset(_request)
      now = known
      (now[:constants] - @known[:constants]).each { |name| Object.__send__(:remove_const, name) unless loaded?(name) }
      (now[:methods] - @known[:methods]).each { |name| Object.__send__(:remove_method, name) }
      (now[:ivars] - @known[:ivars]).each { |name| TOPLEVEL_BINDING.receiver.remove_instance_variable(name) }
      @sources.clear
      renew
      nil
    end

    # loaded? reports whether a constant is of a library, which stays loaded.
    def loaded?(name)
      path, = Object.const_source_location(name)
      path.nil? || path.empty? || !path.start_with?('In[')
    end

    def add_gems
      Gem.paths = { 'GEM_HOME' => Gem.dir, 'GEM_PATH' => [GEMS, *Gem.path].uniq.join(File::PATH_SEPARATOR) }
    end

    def install(request)
      require 'open3'
      tail = +''
      status = Open3.popen2e(Gem.ruby, '-S', 'gem', 'install', '--no-document', '--install-dir', GEMS, *request['packages']) do |input, output, process|
        input.close
        until output.eof?
          chunk = output.readpartial(4096)
          text(0, chunk)
          tail = (tail << chunk).byteslice([tail.bytesize - 2000, 0].max..)
        end
        process.value
      rescue Interrupt
        Process.kill('INT', process.pid)
        raise
      end
      unless status.success?
        raise "gem install #{request['packages'].join(' ')} ended with status #{status.exitstatus}: #{utf8(tail).strip.lines.last(10).join}"
      end

      add_gems
      Gem::Specification.reset
      nil
    end

    # drain waits for the threads of programs.
    def drain(_request)
      (Thread.list - [@main]).each(&:join)
      nil
    end
  end
end
QuireDriver.start
