<?php
// The driver of PHP as WebAssembly: it executes the runs that come as lines of JSON, one after another, until there are no more.
//
// Each source is included from a stream of its own, in the global scope, so that variables, functions and classes carry over. The
// host has the two channels as files, and takes what is written to the descriptor 1 in order with what is written to them. PHP as
// CGI has no standard error: what a program writes there is a message.

final class QuireDriver
{
    public static string $path = '';
    public static mixed $value = null;
    public static ?Throwable $error = null;
    public static bool $interrupted = false;
    public static array $sources = [];   // by the names of cells
    private static array $declared = []; // the text and the cell of functions and classes, by their kinds and names
    private static array $own = [];      // the globals of PHP itself
    private static array $run = [];      // the request that executes, empty between runs
    private static bool $hasValue = false;
    private static int $asked = 0;
    private static int $shown = 0;
    private static $requests;
    private static $messages;

    public static function prepare(): void
    {
        self::$requests = fopen('/quire/requests', 'rb');
        self::$messages = fopen('/quire/messages', 'wb');
        stream_set_write_buffer(self::$messages, 0);
        stream_wrapper_register('cell', QuireSource::class);
        stream_wrapper_register('quire', QuireStream::class);
        foreach (['STDIN' => 'r', 'STDOUT' => 'w', 'STDERR' => 'w'] as $name => $mode) {
            if (!defined($name)) {
                $stream = fopen('quire://' . strtolower($name), $mode);
                stream_set_write_buffer($stream, 0);
                define($name, $stream);
            }
        }
        set_error_handler(self::warn(...));
        register_shutdown_function(self::end(...));
        foreach (array_keys($_ENV + getenv()) as $name) {
            putenv($name);
        }
        $_ENV = $_SERVER = [];
        unset($GLOBALS['argv'], $GLOBALS['argc']);
        if (is_dir('/notebook')) {
            chdir('/notebook');
        }
        self::$own = array_flip(array_keys($GLOBALS));
        self::send('ready', ['version' => PHP_VERSION]);
    }

    public static function send(string $type, array $fields): void
    {
        $flags = JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION;
        fwrite(self::$messages, json_encode(['type' => $type] + $fields, $flags) . "\n");
    }

    public static function receive(): ?array
    {
        $line = fgets(self::$requests);
        return $line === false ? null : json_decode($line, true);
    }

    // next handles requests up to a run, and returns whether there is one.
    public static function next(): bool
    {
        while (($request = self::receive()) !== null) {
            if ($request['type'] === 'call') {
                self::answer($request);
            } elseif ($request['type'] === 'run') {
                self::begin($request);
                return true;
            }
        }
        return false;
    }

    private static function begin(array $request): void
    {
        $name = $request['name'] ?? 'cell';
        self::$run = $request + ['name' => 'cell'];
        self::$value = self::$error = null;
        self::$interrupted = false;
        fseek(STDIN, 0);
        self::$path = "cell://$name";
        try {
            self::$sources[$name] = self::prepared($request['source'], $name);
        } catch (Throwable $error) {
            self::$sources[$name] = '<?php throw QuireDriver::$error;';
            self::$error = $error;
        }
    }

    public static function done(): void
    {
        $done = ['run' => self::$run['run']];
        self::$error ??= self::$interrupted ? new QuireInterrupt() : null;
        if (self::$error !== null) {
            $done['error'] = self::describe(self::$error);
        } elseif (self::$hasValue && self::$value !== null) {
            self::send('result', ['data' => self::represent(self::$value)]);
        }
        self::$run = [];
        self::send('done', $done);
    }

    // end reports a run that ended the program: by exit, or by an error that PHP does not go on after.
    public static function end(): void
    {
        while (ob_get_level() > 0) {
            ob_end_flush();
        }
        flush();
        if (self::$run === []) {
            return;
        }
        $done = ['run' => self::$run['run'], 'exit' => 'gone'];
        $last = error_get_last();
        if ($last !== null && ($last['type'] & (E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR))) {
            $text = self::plain($last['message']);
            [$head, $rest] = explode("\n", $text, 2) + [1 => ''];
            $done['error'] = ['name' => 'Error', 'message' => $head, 'trace' => array_merge(["Fatal error: $head in " . self::plain($last['file']) . " on line {$last['line']}"], $rest === '' ? [] : explode("\n", $rest))];
            if ($last['file'] === self::$path) {
                $done['error']['line'] = $last['line'];
            }
            if (str_contains($head, 'Allowed memory size')) {
                $done['error'] = ['name' => 'MemoryError', 'cause' => 'limit'] + $done['error'];
            }
        }
        self::send('done', $done);
    }

    // prepared returns a source as a file of PHP: its last statement gives the value of the cell if no semicolon ends it. Functions and
    // classes that were declared before, word for word, are left out, since PHP cannot declare them again.
    private static function prepared(string $source, string $name): string
    {
        self::$hasValue = false;
        $text = str_starts_with(ltrim($source), '<?') ? $source : "<?php $source";
        try {
            $tokens = PhpToken::tokenize($text, TOKEN_PARSE);
        } catch (ParseError) {
            $tokens = PhpToken::tokenize($text);
        }
        $tokens = self::withoutRepeated($tokens, $name);
        $depth = $start = 0;
        $last = null;
        foreach ($tokens as $i => $token) {
            if ($token->is([T_WHITESPACE, T_COMMENT, T_DOC_COMMENT])) {
                continue;
            }
            $last = $i;
            if ($token->is(['(', '[', '{', T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES, T_ATTRIBUTE])) {
                $depth++;
            } elseif ($token->is([')', ']', '}'])) {
                $depth--;
            }
            if ($depth === 0 && ($token->is([';', T_OPEN_TAG]) || $token->text === '}' && !self::goesOn($tokens, $i))) {
                $start = $i + 1;
            }
        }
        if ($last !== null && $start <= $last && !$tokens[$last]->is([T_INLINE_HTML, T_CLOSE_TAG, T_OPEN_TAG])) {
            self::$hasValue = true;
            while ($tokens[$start]->is([T_WHITESPACE, T_COMMENT, T_DOC_COMMENT])) {
                $start++;
            }
            if (!$tokens[$start]->is([T_ECHO, T_RETURN, T_THROW, T_USE, T_NAMESPACE, T_CONST, T_UNSET, T_GLOBAL])) {
                $tokens[$start]->text = 'return ' . $tokens[$start]->text;
            }
            $tokens[$last]->text .= ';';
        }
        return implode('', array_map(fn ($token) => $token->text, $tokens));
    }

    // goesOn says whether an expression goes on behind a brace, as in match ($x) {} + 1 or function () {}.
    private static function goesOn(array $tokens, int $at): bool
    {
        for ($i = $at, $depth = 0; $i >= 0; $i--) {
            $depth += $tokens[$i]->is(['}']) ? 1 : ($tokens[$i]->is(['{', T_CURLY_OPEN]) ? -1 : 0);
            if ($depth === 0 && $tokens[$i]->is([';', '}', T_OPEN_TAG]) && $i < $at) {
                break;
            }
        }
        for ($i++; $i < $at && $tokens[$i]->is([T_WHITESPACE, T_COMMENT, T_DOC_COMMENT]); $i++);
        $next = $i + 1;
        while ($next < $at && $tokens[$next]->is([T_WHITESPACE, '&'])) {
            $next++;
        }
        if ($tokens[$i]->is([T_FUNCTION, T_FN, T_STATIC])) {
            return !$tokens[$next]->is(T_STRING);
        }
        return !$tokens[$i]->is([
            T_CLASS, T_ABSTRACT, T_FINAL, T_INTERFACE, T_TRAIT, T_ENUM, T_READONLY, T_IF, T_ELSE, T_ELSEIF, T_FOR, T_FOREACH, T_WHILE, T_DO, T_SWITCH,
            T_TRY, T_CATCH, T_FINALLY, T_NAMESPACE, T_DECLARE, T_USE, '{',
        ]);
    }

    private static function withoutRepeated(array $tokens, string $name): array
    {
        $depth = 0;
        for ($i = 0; $i < count($tokens); $i++) {
            $depth += $tokens[$i]->is(['{', T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES, '(', '[']) ? 1 : ($tokens[$i]->is(['}', ')', ']']) ? -1 : 0);
            if ($depth > 0 || !$tokens[$i]->is([T_FUNCTION, T_CLASS, T_INTERFACE, T_TRAIT, T_ENUM])) {
                continue;
            }
            for ($at = $i + 1; $at < count($tokens) && $tokens[$at]->is([T_WHITESPACE, '&']); $at++);
            if ($at >= count($tokens) || !$tokens[$at]->is(T_STRING) || $i > 0 && $tokens[$i - 1]->is([T_DOUBLE_COLON, T_NEW])) {
                continue;
            }
            $declared = $tokens[$at]->text;
            for ($end = $at, $braces = 0; $end < count($tokens); $end++) {
                $braces += $tokens[$end]->is(['{', T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES]) ? 1 : ($tokens[$end]->text === '}' ? -1 : 0);
                if ($braces === 0 && $tokens[$end]->text === '}') {
                    break;
                }
            }
            $kind = $tokens[$i]->is(T_FUNCTION) ? 'function' : 'class';
            $exists = $kind === 'function' ? function_exists($declared) : class_exists($declared, false) || interface_exists($declared, false) || trait_exists($declared, false);
            $text = implode('', array_map(fn ($token) => $token->text, array_slice($tokens, $i, $end - $i + 1)));
            $key = $kind . ' ' . strtolower($declared);
            [$before, $cell] = self::$declared[$key] ?? [null, null];
            if ($exists && $before !== null && $before !== $text) {
                $what = $kind === 'function' ? "$declared()" : $declared;
                throw new Error("Cannot redeclare $what, which $cell has declared in another form: restart the runtime to change it");
            }
            if (!$exists) {
                self::$declared[$key] = [$text, $name];
            } elseif ($before !== null) {
                for ($j = $i; $j <= $end; $j++) {
                    $tokens[$j]->text = preg_replace('/[^\n]/', '', $tokens[$j]->text);
                }
                while ($i > 0 && $tokens[$i - 1]->is([T_WHITESPACE, T_ABSTRACT, T_FINAL, T_READONLY])) {
                    $tokens[--$i]->text = preg_replace('/[^\n]/', '', $tokens[$i]->text) ?: ' ';
                }
            }
            $i = max($i, $end);
        }
        return $tokens;
    }

    // Errors.

    private static function plain(string $text): string
    {
        return str_replace('cell://', '', $text);
    }

    private static function describe(Throwable $error): array
    {
        $line = $error->getFile() === self::$path ? $error->getLine() : 0;
        foreach ($line === 0 ? $error->getTrace() : [] as $frame) {
            if (($frame['file'] ?? '') === self::$path) {
                $line = $frame['line'];
                break;
            }
        }
        $text = self::plain($error->getFile() === __FILE__ ? $error::class . ': ' . $error->getMessage() : (string) $error);
        $trace = array_values(array_filter(explode("\n", $text), fn ($row) => !preg_match('~^#\d+ (/quire/driver|\{main\}|\[internal function\]: QuireDriver)~', $row)));
        if (end($trace) === 'Stack trace:') {
            array_pop($trace);
        }
        $fields = ['name' => $error::class, 'message' => $error->getMessage(), 'trace' => $trace];
        if ($line > 0 && $error->getFile() !== __FILE__) {
            $fields['line'] = $line;
        }
        if ($error instanceof QuireInterrupt) {
            $fields = ['name' => 'KeyboardInterrupt', 'cause' => 'interrupted'] + $fields;
        }
        return $fields;
    }

    private static function warn(int $number, string $message, string $file, int $line): bool
    {
        if (!(error_reporting() & $number)) {
            return true;
        }
        $kind = match ($number) {
            E_WARNING, E_USER_WARNING, E_CORE_WARNING, E_COMPILE_WARNING => 'Warning',
            E_NOTICE, E_USER_NOTICE => 'Notice',
            E_DEPRECATED, E_USER_DEPRECATED => 'Deprecated',
            default => 'Error',
        };
        if ($number === E_USER_ERROR) {
            throw new ErrorException($message, 0, $number, $file, $line);
        }
        self::print('stderr', "$kind: $message in " . self::plain($file) . " on line $line\n");
        return true;
    }

    // What programs show and ask.

    public static function print(string $stream, string $text): void
    {
        if ($text === '') {
            return;
        }
        self::send('text', ['stream' => $stream] + (mb_check_encoding($text, 'UTF-8') ? ['text' => $text] : ['base64' => base64_encode($text)]));
    }

    public static function represent(mixed $value): array
    {
        $data = [];
        if (is_object($value)) {
            foreach (['toHtml' => 'text/html', 'toMarkdown' => 'text/markdown', 'toSvg' => 'image/svg+xml'] as $method => $type) {
                if (is_callable([$value, $method])) {
                    $data[$type] = (string) $value->$method();
                }
            }
        }
        return $data + ['text/plain' => self::shown($value)];
    }

    private static function shown(mixed $value): string
    {
        return match (true) {
            is_array($value), is_object($value) && !$value instanceof UnitEnum => rtrim(print_r($value, true)),
            default => var_export($value, true),
        };
    }

    public static function display(mixed $value, string|bool|null $id, bool $update): ?string
    {
        if ($id === true) {
            $id = 'display-' . ++self::$shown;
        }
        $bundle = is_array($value) && $value !== [] && array_filter(array_keys($value), fn ($key) => !str_contains((string) $key, '/')) === [];
        $data = $bundle ? $value : self::represent($value);
        foreach ($data as $type => &$part) {
            if (is_string($part) && str_starts_with($type, 'image/') && $type !== 'image/svg+xml') {
                $part = base64_encode($part);
            }
        }
        self::send($update ? 'update' : 'display', ['data' => $data] + (is_string($id) ? ['id' => $id] : []));
        return is_string($id) ? $id : null;
    }

    public static function ask(string $prompt, bool $secret = false): string|false
    {
        self::send('ask', ['id' => ++self::$asked, 'prompt' => $prompt, 'secret' => $secret]);
        $answer = self::receive();
        if ($answer === null) {
            self::$run = [];
            exit;
        }
        if ($answer['type'] === 'interrupt') {
            throw new QuireInterrupt();
        }
        return ($answer['end'] ?? false) ? false : ($answer['text'] ?? '');
    }

    public static function sleep(float $seconds, string $argument): void
    {
        if ($seconds < 0) {
            throw new ValueError("$argument must be greater than or equal to 0");
        }
        self::send('sleep', ['seconds' => $seconds]);
        if ((self::receive()['type'] ?? '') === 'interrupt') {
            throw new QuireInterrupt();
        }
    }

    // Questions of the host about the program.

    private static function answer(array $request): void
    {
        try {
            $value = match ($request['method']) {
                'complete' => self::complete($request['source'] ?? '', $request['cursor'] ?? 0),
                'inspect' => self::lookUp($request['source'] ?? '', $request['cursor'] ?? 0),
                'variables' => self::variables(),
                'reset' => self::reset(),
                'get' => array_key_exists(ltrim($request['name'], '$'), $GLOBALS) ? $GLOBALS[ltrim($request['name'], '$')] : throw new Error("Undefined variable {$request['name']}"),
                'set' => self::set($request),
                default => throw new Error("there is no method {$request['method']}"),
            };
            self::send('reply', ['id' => $request['id'], 'value' => $value]);
        } catch (Throwable $error) {
            self::send('reply', ['id' => $request['id'], 'error' => ['name' => $error::class, 'message' => $error->getMessage()]]);
        }
    }

    private static function set(array $request): void
    {
        $GLOBALS[ltrim($request['name'], '$')] = $request['value'] ?? null;
    }

    private static function globals(): array
    {
        return array_diff_key($GLOBALS, self::$own);
    }

    private static function reset(): void
    {
        foreach (array_keys(self::globals()) as $name) {
            unset($GLOBALS[$name]);
        }
    }

    private static function variables(): array
    {
        $list = [];
        $globals = self::globals();
        ksort($globals);
        foreach ($globals as $name => $value) {
            $preview = preg_replace('/\s+/', ' ', self::shown($value));
            $preview = mb_strlen($preview) > 200 ? mb_substr($preview, 0, 199) . '…' : $preview;
            $entry = ['name' => "\$$name", 'type' => get_debug_type($value), 'preview' => $preview];
            if (is_array($value)) {
                $entry['shape'] = (string) count($value);
            }
            $list[] = $entry;
        }
        return $list;
    }

    private static function splitAt(string $source, int $cursor): array
    {
        $units = mb_convert_encoding($source, 'UTF-16LE', 'UTF-8');
        return array_map(fn ($part) => mb_convert_encoding($part, 'UTF-8', 'UTF-16LE'), [substr($units, 0, 2 * $cursor), substr($units, 2 * $cursor)]);
    }

    private static function units(string $text): int
    {
        return intdiv(strlen(mb_convert_encoding($text, 'UTF-16LE', 'UTF-8')), 2);
    }

    private static function complete(string $source, int $cursor): array
    {
        [$before] = self::splitAt($source, $cursor);
        preg_match('/(?:\$(\w+)->)?(\$?\w*)$/', $before, $found);
        [, $owner, $start] = $found;
        $kinds = [];
        if ($owner !== '') {
            $object = $GLOBALS[$owner] ?? null;
            foreach (is_object($object) ? get_class_methods($object) : [] as $method) {
                $kinds[$method] = 'function';
            }
            foreach (is_object($object) ? array_keys(get_object_vars($object)) : [] as $property) {
                $kinds[$property] = 'variable';
            }
        } elseif (str_starts_with($start, '$')) {
            foreach (array_keys(self::globals()) as $name) {
                $kinds["\$$name"] = 'variable';
            }
        } else {
            foreach (get_defined_functions() as $functions) {
                $kinds += array_fill_keys($functions, 'function');
            }
            $kinds += array_fill_keys(get_declared_classes(), 'class');
        }
        $items = [];
        ksort($kinds);
        foreach ($kinds as $name => $kind) {
            if (str_starts_with($name, $start) && !str_starts_with($name, 'Quire') && count($items) < 1000) {
                $items[] = ['text' => (string) $name, 'kind' => $kind];
            }
        }
        $end = self::units($before);
        return ['start' => $end - self::units($start), 'end' => $end, 'items' => $items];
    }

    private static function lookUp(string $source, int $cursor): array
    {
        [$before, $after] = self::splitAt($source, $cursor);
        preg_match('/\$?\w*$/', $before, $left);
        preg_match('/^\w*/', $after, $right);
        $word = $left[0] . $right[0];
        if ($word === '' && preg_match('/(\w+)\s*\([^()]*$/', $before, $call)) {
            $word = $call[1];
        }
        if (str_starts_with($word, '$') && array_key_exists(substr($word, 1), $GLOBALS)) {
            return ['found' => true, 'data' => ['text/plain' => "$word = " . self::shown($GLOBALS[substr($word, 1)])]];
        }
        if ($word !== '' && function_exists($word)) {
            $function = new ReflectionFunction($word);
            $parameters = array_map(fn ($parameter) => preg_replace('/^Parameter #\d+ \[ <\w+> | \]$/', '', (string) $parameter), $function->getParameters());
            $signature = $function->getName() . '(' . implode(', ', $parameters) . ')' . ($function->hasReturnType() ? ': ' . $function->getReturnType() : '');
            $comment = preg_replace('~^\s*/?\*+ ?|\s*\*/$~m', '', (string) $function->getDocComment());
            return ['found' => true, 'signature' => $signature, 'data' => ['text/plain' => trim("$signature\n\n" . trim($comment))]];
        }
        return ['found' => false];
    }
}

// QuireInterrupt ends a program that waited when its run was interrupted.
final class QuireInterrupt extends Exception
{
}

// QuireSource is the stream of the source of a cell.
final class QuireSource
{
    public $context;
    private string $text = '';
    private int $at = 0;

    public function stream_open(string $path): bool
    {
        $this->text = QuireDriver::$sources[substr($path, strlen('cell://'))] ?? '';
        return true;
    }

    public function stream_read(int $count): string
    {
        $part = substr($this->text, $this->at, $count);
        $this->at += strlen($part);
        return $part;
    }

    public function stream_eof(): bool
    {
        return $this->at >= strlen($this->text);
    }

    public function stream_stat(): array
    {
        return ['size' => strlen($this->text)];
    }

    public function stream_set_option(): bool
    {
        return false;
    }
}

// QuireStream is a standard stream of a program.
final class QuireStream
{
    public $context;
    private string $name = '';
    private bool $over = false;

    public function stream_open(string $path): bool
    {
        $this->name = substr($path, strlen('quire://'));
        return true;
    }

    public function stream_read(int $count): string
    {
        try {
            $line = $this->name === 'stdin' && !$this->over ? QuireDriver::ask('') : false;
        } catch (QuireInterrupt) { // which would be lost here
            QuireDriver::$interrupted = true;
            $line = false;
        }
        $this->over = $line === false;
        return $line === false ? '' : "$line\n";
    }

    public function stream_eof(): bool
    {
        return $this->over;
    }

    public function stream_write(string $text): int
    {
        if ($this->name === 'stdout') {
            echo $text;
        } else {
            QuireDriver::print('stderr', $text);
        }
        return strlen($text);
    }

    // stream_seek begins the input again behind an end of answers: the next run can ask.
    public function stream_seek(): bool
    {
        $this->over = false;
        return true;
    }

    public function stream_tell(): int
    {
        return 0;
    }

    public function stream_set_option(): bool
    {
        return false;
    }

    public function stream_stat(): array
    {
        return [];
    }
}

// display shows a value below the cell: an array of media types, or any other value. With an id, or true for a new one, which it
// returns, it can be updated.
function display(mixed $value, string|bool|null $id = null, bool $update = false): ?string
{
    return QuireDriver::display($value, $id, $update);
}

// clear_output removes the outputs of the run, at once or before the next one.
function clear_output(bool $wait = false): void
{
    QuireDriver::send('clear', ['wait' => $wait]);
}

// What waits, waits in the host, which can end it. Those of PHP are disabled: see the settings with which it starts.
function sleep(int $seconds): int
{
    QuireDriver::sleep($seconds, 'sleep(): Argument #1 ($seconds)');
    return 0;
}

function usleep(int $microseconds): void
{
    QuireDriver::sleep($microseconds / 1e6, 'usleep(): Argument #1 ($microseconds)');
}

function time_nanosleep(int $seconds, int $nanoseconds): bool
{
    QuireDriver::sleep($seconds + $nanoseconds / 1e9, 'time_nanosleep(): Argument #1 ($seconds)');
    return true;
}

function time_sleep_until(float $timestamp): bool
{
    QuireDriver::sleep(max(0, $timestamp - microtime(true)), '');
    return true;
}

if (!function_exists('readline')) {
    // readline asks the users of the notebook for a line.
    function readline(?string $prompt = null): string|false
    {
        return QuireDriver::ask((string) $prompt);
    }
}

QuireDriver::prepare();
while (QuireDriver::next()) {
    try {
        QuireDriver::$value = include QuireDriver::$path;
    } catch (Throwable $quireError) {
        QuireDriver::$error = $quireError;
        unset($quireError);
    }
    QuireDriver::done();
}
