<?php

// The driver of PHP 7.4 and later: the engine's side of spec/engine-protocol.md.
//
// A cell is included from a stream of its own, so that errors name it, in the global scope. Before that a copy of the
// process compiles it: what PHP cannot compile ends the copy alone. Functions are declared under a name of each version
// and called through one that stays, so that a cell can run again.

namespace Quire {

/** EOFError is the end of the answers to questions. */
class EOFError extends \Exception {}

/** Interrupted ends a run that was interrupted. It is no Exception. */
final class Interrupted extends \Error {}

/** Ended ends a run whose program called exit. */
final class Ended extends \Error {
	/** @var int */ public $status;
	public function __construct(int $status) { parent::__construct("exit($status)"); $this->status = $status; }
}

/** leave is exit, whose process goes on. */
function leave($status = 0) {
	if (\is_string($status)) {
		echo $status;
		$status = 0;
	}
	throw new Ended((int) $status);
}

/** Cells is the stream of the source that is executed. */
final class Cells {
	/** @var string[] */ public static $sources = [];
	/** @var resource|null */ public $context;
	/** @var string */ private $text = '';
	/** @var int */ private $at = 0;
	public function stream_open($path, $mode, $options, &$opened): bool { $this->text = self::$sources[$path] ?? ''; return isset(self::$sources[$path]); }
	public function stream_read($count) { $part = (string) \substr($this->text, $this->at, $count); $this->at += \strlen($part); return $part; }
	public function stream_eof(): bool { return $this->at >= \strlen($this->text); }
	public function stream_stat() { return ['size' => \strlen($this->text)]; }
	public function url_stat($path, $flags) { return ['size' => \strlen(self::$sources[$path] ?? '')]; }
	public function stream_set_option($option, $a, $b): bool { return false; }
}

/** Input is the stream of lines that are asked of the user. */
final class Input {
	/** @var resource|null */ public $context;
	/** @var bool */ private $end = false;
	public function stream_open($path, $mode, $options, &$opened): bool { return true; }
	public function stream_read($count) {
		[$text, $why] = Driver::ask('', false);
		if ($text !== null) return $text . "\n";
		if (!$this->end) Driver::put(1, "no input: $why\n");
		$this->end = true;
		return '';
	}
	public function stream_eof(): bool { return $this->end; }
	public function stream_stat() { return []; }
	public function stream_set_option($option, $a, $b): bool { return false; }
}

/** Output takes what is written to STDOUT and STDERR. */
final class Output extends \php_user_filter {
	#[\ReturnTypeWillChange]
	public function filter($in, $out, &$consumed, $closing) {
		while ($bucket = \stream_bucket_make_writeable($in)) {
			$consumed += $bucket->datalen;
			Driver::put($this->params, $bucket->data);
		}
		return \PSFS_FEED_ME;
	}
}

final class Driver {
	/** @var resource */ private static $requests;
	/** @var resource */ private static $messages;
	/** @var resource[] */ private static $streams; // stdout and stderr
	/** @var string|null */ private static $token; // the beginning of marks; null before the first request
	/** @var int */ private static $marks = 0;
	/** @var int|null */ private static $last; // the stream that was printed to since the last mark
	/** @var int */ private static $owner;
	/** @var string */ private static $unread = '';
	/** @var int */ private static $asked = 0;
	/** @var int */ private static $shown = 0;
	/** @var string|null */ private static $end;
	/** @var array|null */ public static $run;
	/** @var bool */ private static $executing = false;
	/** @var bool */ private static $inside = false; // a message is written
	/** @var bool */ private static $late = false; // an interrupt came meanwhile
	/** @var string|null */ private static $sent; // by the output handler
	/** @var string */ public static $path = '';
	/** @var array<string, string> */ private static $declared = [];
	/** @var array<string, int> */ private static $versions = [];
	/** @var array<string, int> */ public static $own = [];
	/** @var bool */ private static $shows = false;
	/** @var string[] */ private static $pending = [];
	/** @var array<string, string> */ private static $classes = []; // classes in lower case that were declared again, and their names
	/** @var int */ private static $again = 0;

	/** Functions that start processes or wait for them. */
	private const PROCESSES = ['exec', 'passthru', 'pclose', 'pcntl_fork', 'pcntl_wait', 'pcntl_waitpid', 'popen', 'proc_close', 'proc_open', 'shell_exec', 'system'];

	public static function start(): void {
		self::$requests = \fopen('php://fd/3', 'rb');
		self::$messages = \fopen('php://fd/4', 'wb');
		\stream_set_read_buffer(self::$requests, 0);
		self::$streams = [\fopen('php://fd/1', 'wb'), \fopen('php://fd/2', 'wb')];
		self::$owner = \getmypid();
		\stream_wrapper_register('cell', Cells::class);
		\stream_wrapper_register('quire-input', Input::class);
		\stream_filter_register('quire.output', Output::class);
		\define('Quire\STDIN', \fopen('quire-input://', 'rb'));
		\stream_filter_append(\STDOUT, 'quire.output', \STREAM_FILTER_WRITE, 0);
		\stream_filter_append(\STDERR, 'quire.output', \STREAM_FILTER_WRITE, 1);
		\error_reporting(\E_ALL);
		foreach (['display_errors' => '0', 'log_errors' => '0', 'html_errors' => '0', 'max_execution_time' => '0', 'memory_limit' => self::memoryLimit()] as $name => $value) \ini_set($name, $value);
		if (\function_exists('pcntl_async_signals')) {
			\pcntl_async_signals(true);
			\pcntl_signal(\SIGINT, [self::class, 'interrupted'], false);
		}
		\register_shutdown_function([self::class, 'shutdown']);
		self::begin();
		self::send(['type' => 'hello', 'protocol' => 1, 'language' => 'php', 'version' => \PHP_VERSION, 'marks' => true, 'extension' => '.php', 'mime' => 'text/x-php',
			'interrupt' => \function_exists('pcntl_async_signals') ? 'signal' : 'none', 'begins' => true, 'can' => ['complete', 'variables', 'install', 'reset', 'get', 'set']]);
	}

	/** memoryLimit is what was set, or else half of the memory of the machine, or of its process: without a limit PHP takes all. */
	private static function memoryLimit(): string {
		$set = \ini_get('memory_limit');
		if ($set !== '-1') return $set;
		if (!\preg_match('/MemTotal:\s+(\d+)/', (string) @\file_get_contents('/proc/meminfo'), $found)) return $set;
		$bytes = (int) $found[1] * 1024;
		$group = \trim((string) @\file_get_contents('/sys/fs/cgroup/memory.max'));
		if (\ctype_digit($group)) $bytes = \min($bytes, (int) $group);
		$own = \function_exists('posix_getrlimit') ? \posix_getrlimit()['soft totalmem'] ?? null : null;
		if (\is_int($own)) $bytes = \min($bytes, $own);
		return (string) \intdiv($bytes, 2);
	}

	/** interrupted ends the run, but not in the middle of a message. */
	public static function interrupted(): void {
		if (!self::$executing) return;
		self::$late = self::$inside;
		if (!self::$inside) throw new Interrupted();
	}

	private static function settle(): void {
		if (!self::$late || !self::$executing) return;
		self::$late = false;
		throw new Interrupted();
	}

	/**
	 * begin has what is printed go out at once, and errors that do not end a run to stderr. PHP drops an output handler
	 * that throws, and gives its text to the outer one.
	 */
	private static function begin(): void {
		\ob_start();
		\ob_start([self::class, 'printed'], 1);
		\ob_implicit_flush();
		\set_error_handler([self::class, 'warned']);
	}

	public static function printed(string $text): string {
		if ($text === '') return '';
		self::put(0, $text, true);
		self::settle();
		self::$sent = null;
		return '';
	}

	public static function warned(int $level, string $message, string $file = '', int $line = 0): bool {
		if (!(\error_reporting() & $level)) return true;
		$names = [\E_WARNING => 'Warning', \E_NOTICE => 'Notice', \E_DEPRECATED => 'Deprecated', \E_USER_WARNING => 'Warning', \E_USER_NOTICE => 'Notice', \E_USER_DEPRECATED => 'Deprecated',
			\E_RECOVERABLE_ERROR => 'Recoverable error', \E_USER_ERROR => 'Error'];
		if ($level === \E_USER_ERROR || $level === \E_RECOVERABLE_ERROR) throw new \ErrorException($message, 0, $level, $file, $line);
		self::put(1, ($names[$level] ?? 'Warning') . ': ' . self::plain($message) . ' in ' . self::place($file) . " on line $line\n");
		return true;
	}

	/** copied reports whether this is a copy of the engine that a program has forked: it prints, and says nothing for the engine. */
	private static function copied(): bool { return \getmypid() !== self::$owner; }

	/** send sends a message behind its mark. */
	public static function send(array $message): void {
		if (self::copied()) return;
		$outer = self::$inside;
		self::$inside = true;
		if (self::marks()) $message['at'] = self::$marks + 1;
		$line = \json_encode($message, \JSON_UNESCAPED_UNICODE | \JSON_UNESCAPED_SLASHES | \JSON_INVALID_UTF8_SUBSTITUTE | \JSON_PARTIAL_OUTPUT_ON_ERROR);
		self::mark($message['type'] === 'done' ? 'e' : 'm');
		self::write(self::$messages, "$line\n");
		self::$inside = $outer;
	}

	/** write writes all of a text, while self::$inside has an interrupt wait. */
	private static function write($to, string $text): void {
		for ($at = 0; $at < \strlen($text); $at += $n) {
			$n = @\fwrite($to, $at === 0 ? $text : \substr($text, $at));
			if ($n === false) $n = 0; // a signal
		}
	}

	/** marks reports whether there are marks: a copy of the process puts none. */
	private static function marks(): bool { return self::$token !== null && !self::copied(); }

	/** mark puts the next mark into both streams. */
	private static function mark(string $kind): void {
		self::$last = null;
		if (!self::marks()) return;
		$mark = self::$token . $kind . \sprintf('%016x', ++self::$marks);
		foreach (self::$streams as $to) self::write($to, $mark);
	}

	/** put prints on stdout, which is stream 0, or stderr. */
	public static function put(int $stream, string $text, bool $handled = false): void {
		$outer = self::$inside;
		self::$inside = true;
		if (self::$last !== $stream) {
			self::mark('t');
			self::$last = $stream;
		}
		self::write(self::$streams[$stream], $text);
		if ($handled) self::$sent = $text;
		self::$inside = $outer;
		if (!$handled && !$outer) self::settle();
	}

	/** giveWay puts a mark before others write to the streams, and returns the function that starts or awaits them. Text behind it has one too. */
	public static function giveWay(string $function): string {
		$outer = self::$inside;
		self::$inside = true;
		if (self::$last !== null) self::mark('t');
		self::$inside = $outer;
		if (!$outer) self::settle();
		return $function;
	}

	public static function display(string $type, $data, ?string $id): string {
		$id = $id ?? 'php-' . ++self::$shown;
		self::send(['type' => $type, 'data' => (object) (\is_array($data) ? $data : ['text/plain' => (string) $data]), 'id' => $id]);
		return $id;
	}

	/** @return array{0: string|null, 1: string} the answer, or null and why there is none */
	public static function ask(string $prompt, bool $secret): array {
		if (self::$end !== null) return [null, self::$end];
		self::send(['type' => 'ask', 'id' => ++self::$asked, 'prompt' => $prompt, 'secret' => $secret]);
		while (($m = self::next()) !== null) {
			if ($m['type'] !== 'answer' || $m['id'] !== self::$asked) continue;
			if (empty($m['end'])) return [$m['text'], ''];
			if (!empty($m['interrupted'])) throw new Interrupted();
			return [null, self::$end = $m['why'] ?? 'no answer came'];
		}
		exit(0);
	}

	/** next returns the next request; a signal does not lose what was read. */
	private static function next(): ?array {
		while (($at = \strpos(self::$unread, "\n")) === false) {
			$part = @\fread(self::$requests, 1 << 16);
			if ($part !== false && $part !== '') self::$unread .= $part;
			elseif (\feof(self::$requests)) return null;
		}
		$line = \substr(self::$unread, 0, $at);
		self::$unread = \substr(self::$unread, $at + 1);
		$message = \json_decode($line, true, 512, \JSON_BIGINT_AS_STRING)
			?? \json_decode((string) \preg_replace('/(?<!\\\\)((?:\\\\\\\\)*)(?:(\\\\u[dD][89abAB]\w\w\\\\u[dD][c-fC-F]\w\w)|\\\\u[dD][89a-fA-F]\w\w)/', '$1$2', $line), true, 512, \JSON_BIGINT_AS_STRING | \JSON_INVALID_UTF8_SUBSTITUTE);
		return \is_array($message) ? $message : ['type' => ''];
	}

	/** runs serves requests, and returns whether there is a run to include from Driver::$path. */
	public static function runs(): bool {
		while (($m = self::next()) !== null) {
			self::$token = $m['mark'] ?? self::$token;
			if ($m['type'] === 'call') self::answer($m);
			if ($m['type'] === 'run' && self::prepare($m)) return true;
		}
		return false;
	}

	private static function prepare(array $m): bool {
		self::$run = $m;
		self::$end = null;
		$path = 'cell://' . \strtr($m['name'] ?? 'cell', "\r\n", '  ');
		try {
			[$source, $functions] = self::rewrite($m['source']);
		} catch (\ParseError $e) {
			self::finish(['error' => ['name' => 'ParseError', 'message' => $e->getMessage(), 'line' => $e->getLine(), 'trace' => []]]);
			return false;
		}
		Cells::$sources[$path] = $source;
		self::$path = $path;
		if ($failed = self::compiles($path)) {
			self::finish(['error' => $failed]);
			return false;
		}
		foreach ($functions as $name => $function) self::declare($name, $function);
		self::$late = false;
		return true;
	}

	/** begins has interrupts reach the program that is now included. */
	public static function begins(): void {
		self::$executing = true;
		self::send(['type' => 'begin', 'run' => self::$run['run']]);
		self::settle();
	}

	/** compiles returns what ends a process that compiles the source, or null. */
	private static function compiles(string $path): ?array {
		if (!\function_exists('pcntl_fork')) return null;
		$pipe = \stream_socket_pair(\STREAM_PF_UNIX, \STREAM_SOCK_STREAM, 0);
		$child = $pipe ? \pcntl_fork() : -1;
		if ($child < 0) return null;
		if ($child === 0) {
			\register_shutdown_function(static function () use ($pipe): void {
				\fwrite($pipe[1], \serialize(\error_get_last()));
				\posix_kill(\getmypid(), \SIGKILL);
			});
			self::$run = null;
			\error_clear_last();
			Cells::$sources[$path] = \preg_replace('/^<\?php\b((?:\s*declare\s*\([^)]*\)\s*;)?(?:\s*namespace\s+[\w\\\\]+\s*;|(?!\s*(?:namespace|declare)\b)))/i', '<?php$1 return;', Cells::$sources[$path], 1, $open);
			try {
				if ($open) include $path;
			} catch (\Throwable $e) {
				\fwrite($pipe[1], \serialize(['message' => $e->getMessage(), 'line' => $e->getLine(), 'file' => $e->getFile(), 'type' => 0, 'class' => \get_class($e)]));
			}
			\posix_kill(\getmypid(), \SIGKILL);
		}
		\fclose($pipe[1]);
		$text = '';
		while (!\feof($pipe[0])) $text .= \fread($pipe[0], 8192);
		while (\pcntl_waitpid($child, $status) < 0 && \pcntl_get_last_error() === \PCNTL_EINTR);
		$error = $text === '' ? null : \unserialize($text, ['allowed_classes' => false]);
		if (!$error) return null;
		return ['name' => $error['class'] ?? 'CompileError', 'message' => self::plain($error['message']), 'line' => $error['file'] === $path ? $error['line'] : 0, 'trace' => []];
	}

	/**
	 * rewrite gives a source what PHP's own command lacks in a notebook: the value of a last expression, exit, STDIN,
	 * folders, and functions that can be declared again. Each line keeps its number.
	 *
	 * @return array{0: string, 1: array<string, array{0: string, 1: int[]}>}
	 */
	private static function rewrite(string $source): array {
		$tagged = \preg_match('/^\s*<\?(?:php|=|\s)/i', $source) || \preg_match('/<\?(?:php\b|=)/i', $source) && \preg_match('/^\s*</', $source);
		$code = $tagged ? $source : '<?php ' . $source;
		self::$shows = false;
		$ends = \preg_match('/[;}]\s*$|\?>\s*$/', $code);
		try {
			$tokens = \token_get_all($code, \TOKEN_PARSE);
			$tail = '';
		} catch (\ParseError $e) {
			try {
				$tokens = \token_get_all($code . "\n;", \TOKEN_PARSE);
				$tail = "\n;";
			} catch (\ParseError $again) {
				throw $e;
			}
		}
		$depth = 0;
		$text = [];
		$begin = null;
		$first = true;
		$functions = $renamed = [];
		$classes = self::$classes;
		$skipTo = -1;
		foreach ($tokens as $i => $token) {
			$id = \is_array($token) ? $token[0] : $token;
			$piece = \is_array($token) ? $token[1] : $token;
			$blank = $id === \T_WHITESPACE || $id === \T_COMMENT || $id === \T_DOC_COMMENT || $id === \T_OPEN_TAG;
			if ($id === \T_RETURN && $depth === 0) self::$shows = true;
			if (!$blank && $first && $depth === 0) [$begin, $first] = [$i, false];
			if ($i <= $skipTo) $piece = \preg_replace('/[^\n]/', '', $piece);
			elseif (isset($renamed[$i])) $piece = $renamed[$i];
			elseif ($id === \T_EXIT) $piece = '\Quire\leave' . (self::after($tokens, $i) === '(' ? '' : '()');
			elseif ($id === \T_DIR) $piece = \var_export(\getcwd(), true);
			elseif ($id === \T_FILE) $piece = \var_export(\getcwd() . '/' . self::name(), true);
			elseif ($id === \T_STRING && self::standsAlone($tokens, $i) && (\strtolower($piece) === 'readline' || $piece === 'STDIN')) {
				$call = self::after($tokens, $i) === '(';
				if (!$call && $piece === 'STDIN') $piece = '\Quire\STDIN';
				elseif ($call && \strtolower($piece) === 'readline') $piece = '\Notebook::ask';
			} elseif ($id === \T_STRING && \in_array(\strtolower($piece), self::PROCESSES, true) && self::after($tokens, $i) === '(' && self::standsAlone($tokens, $i)) {
				$piece = "(\\Quire\\Driver::giveWay('$piece'))";
			} elseif ($depth === 0 && \in_array($id, [\T_CLASS, \T_INTERFACE, \T_TRAIT, \T_FUNCTION], true) && ($name = self::declares($tokens, $i)) !== null) {
				$body = self::textOf($tokens, $i, $last = self::endOf($tokens, $i));
				if ($id === \T_FUNCTION) {
					if (!self::namespaced($tokens)) {
						$functions[$name[0]] = [self::versionOf($name[0], $body), self::references($tokens, $name[1])];
						$renamed[$name[1]] = $functions[$name[0]][0];
						if (isset(self::$declared[\strtolower($functions[$name[0]][0])])) [$skipTo, $piece] = [$last, ''];
					}
				} elseif ((self::$declared["class $name[0]"] ?? null) === $body && \class_exists($name[0], false) | \interface_exists($name[0], false) | \trait_exists($name[0], false)) {
					[$skipTo, $piece] = [$last, ''];
					for ($k = $i - 1; $k >= 0 && \is_array($tokens[$k]) && \in_array($tokens[$k][0], [\T_WHITESPACE, \T_ABSTRACT, \T_FINAL, \defined('T_READONLY') ? \T_READONLY : -9], true); $k--) {
						if ($tokens[$k][0] !== \T_WHITESPACE) $text[$k] = '';
					}
				} else {
					self::$pending["class $name[0]"] = $body;
					if (isset(self::$declared["class $name[0]"])) $renamed[$name[1]] = $classes[\strtolower($name[0])] = $name[0] . '__v' . ++self::$again;
				}
			} elseif (($id === \T_STRING || \defined('T_NAME_FULLY_QUALIFIED') && $id === \T_NAME_FULLY_QUALIFIED) && isset($classes[$key = \strtolower(\ltrim($piece, '\\'))])
				&& (self::after($tokens, $i) !== '(' || self::after($tokens, $i, -1) === \T_NEW)
				&& !\in_array(self::after($tokens, $i, -1), [\T_OBJECT_OPERATOR, \T_DOUBLE_COLON, \T_FUNCTION, \T_CONST], true)) $piece = $classes[$key];
			if ($piece !== '' && \is_string($token) || $id === \T_CURLY_OPEN || $id === \T_DOLLAR_OPEN_CURLY_BRACES) {
				if ($id === '{' || $id === '(' || $id === '[' || $id === \T_CURLY_OPEN || $id === \T_DOLLAR_OPEN_CURLY_BRACES) $depth++;
				elseif ($id === '}' || $id === ')' || $id === ']') $depth--;
				if ($depth === 0 && ($id === ';' && $i < \count($tokens) - 1 && self::after($tokens, $i) !== null || $id === '}' && self::isBlock($tokens, $begin))) $first = true;
			} elseif (\is_string($token) && $skipTo === $i) $first = true;
			$text[$i] = $piece;
		}
		if (!$ends && $begin !== null && !$first && \end($tokens)[0] !== \T_INLINE_HTML) {
			$with = $text;
			$with[$begin] = 'return ' . $with[$begin];
			$shown = \implode('', $with) . ($tail ?: ';');
			try {
				\token_get_all($shown, \TOKEN_PARSE);
				if (!\preg_match('/^(?:\$\w+\s*(?:=(?![=>])|[-+.*\/]=)|print\b|echo\b|return\b|(?:include|require)(?:_once)?\b)/i', \ltrim(\implode('', \array_slice($text, $begin))))) {
					self::$shows = true;
					self::$classes = $classes;
					return [$shown, $functions];
				}
			} catch (\ParseError $e) { // a statement
			}
		}
		self::$classes = $classes;
		return [\implode('', $text) . $tail, $functions];
	}

	private static function after(array $tokens, int $i, int $by = 1) {
		for ($i += $by; isset($tokens[$i]); $i += $by) {
			if (!\is_array($tokens[$i])) return $tokens[$i];
			if (!\in_array($tokens[$i][0], [\T_WHITESPACE, \T_COMMENT, \T_DOC_COMMENT], true)) return $tokens[$i][0];
		}
		return null;
	}

	private static function standsAlone(array $tokens, int $i): bool {
		return !\in_array(self::after($tokens, $i, -1), [\T_OBJECT_OPERATOR, \T_DOUBLE_COLON, \T_FUNCTION, \T_NEW, \T_CONST, \T_CLASS, \T_NS_SEPARATOR, \defined('T_NULLSAFE_OBJECT_OPERATOR') ? \T_NULLSAFE_OBJECT_OPERATOR : -9], true)
			&& !\in_array(self::after($tokens, $i), [\T_DOUBLE_COLON, \T_NS_SEPARATOR, ':'], true);
	}

	/** isBlock reports whether the statement that ends with a brace is one that needs no semicolon. */
	private static function isBlock(array $tokens, ?int $begin): bool {
		$id = $begin !== null && \is_array($tokens[$begin]) ? $tokens[$begin][0] : ($tokens[$begin ?? 0] ?? null);
		return $id === '{' || \in_array($id, [\T_IF, \T_ELSE, \T_ELSEIF, \T_FOR, \T_FOREACH, \T_WHILE, \T_SWITCH, \T_TRY, \T_CATCH, \T_FINALLY, \T_FUNCTION, \T_CLASS, \T_ABSTRACT, \T_FINAL, \T_INTERFACE, \T_TRAIT, \T_NAMESPACE, \T_DECLARE,
			\defined('T_ENUM') ? \T_ENUM : -9, \defined('T_READONLY') ? \T_READONLY : -9], true);
	}

	/** @return array{0: string, 1: int}|null the declared name and its token */
	private static function declares(array $tokens, int $i): ?array {
		if (self::after($tokens, $i, -1) === \T_NEW || self::after($tokens, $i, -1) === \T_USE) return null;
		for ($k = $i + 1; isset($tokens[$k]); $k++) {
			$token = $tokens[$k];
			if (\is_array($token) && $token[0] === \T_STRING) return [$token[1], $k];
			if (!\is_array($token) && $token !== '&') return null;
		}
		return null;
	}

	private static function namespaced(array $tokens): bool {
		foreach ($tokens as $token) if (\is_array($token) && $token[0] === \T_NAMESPACE) return true;
		return false;
	}

	private static function endOf(array $tokens, int $i): int {
		for ($depth = 0; isset($tokens[$i]); $i++) {
			$token = $tokens[$i];
			if ($token === '{' || \is_array($token) && ($token[0] === \T_CURLY_OPEN || $token[0] === \T_DOLLAR_OPEN_CURLY_BRACES)) $depth++;
			elseif ($token === '}' && --$depth === 0) return $i;
		}
		return \count($tokens) - 1;
	}

	private static function textOf(array $tokens, int $from, int $to): string {
		$text = '';
		for ($i = $from; $i <= $to; $i++) $text .= \is_array($tokens[$i]) ? $tokens[$i][1] : $tokens[$i];
		return $text;
	}

	/** versionOf returns the name under which a function with that body is declared. */
	private static function versionOf(string $name, string $body): string {
		$key = \strtolower($name) . "\0" . $body;
		if (!isset(self::$versions[$key])) self::$versions[$key] = \count(self::$versions) + 1;
		return $name . '__v' . self::$versions[$key];
	}

	/** @return int[] the places of the parameters that are references */
	private static function references(array $tokens, int $i): array {
		$places = [];
		for ($depth = $place = 0, $reference = false; isset($tokens[$i]); $i++) {
			$token = $tokens[$i];
			$text = \is_array($token) ? $token[1] : $token;
			if ($text === '(' || $text === '[') $depth++;
			elseif ($text === ')' || $text === ']') {
				if (--$depth === 0) break;
			} elseif ($depth === 1 && $text === '&') $reference = true;
			elseif ($depth === 1 && \is_array($token) && $token[0] === \T_VARIABLE) {
				if ($reference) $places[] = $place;
				$reference = false;
			} elseif ($depth === 1 && $text === ',') $place++;
		}
		return $places;
	}

	/** @var array<string, string> names of functions and of their current versions */
	public static $current = [];

	/** declare has the calls of a function go to its version. */
	private static function declare(string $name, array $function): void {
		[$version, $references] = $function;
		self::$declared[\strtolower($version)] = $name;
		$known = isset(self::$current[\strtolower($name)]);
		self::$current[\strtolower($name)] = $version;
		if ($known || \function_exists($name)) return;
		$call = '\Quire\Driver::$current[' . \var_export(\strtolower($name), true) . ']';
		if (!$references) {
			eval("function $name(...\$quire_all) { return ($call)(...\$quire_all); }");
			return;
		}
		$parameters = $passed = [];
		for ($i = 0; $i <= \max($references); $i++) {
			$is = \in_array($i, $references, true) ? '&' : '';
			$parameters[] = "$is\$quire_$i = null";
			$passed[] = "$is\$quire_$i";
		}
		eval("function $name(" . \implode(', ', $parameters) . ", ...\$quire_all) { \$quire_passed = array_slice([" . \implode(', ', $passed) . "], 0, func_num_args()); return ($call)(...\$quire_passed, ...\$quire_all); }");
	}

	/** ended takes the end of a run: its value, or what it threw. */
	public static function ended($value, ?\Throwable $thrown): void {
		self::$executing = false;
		while (\ob_get_level() > 2) \ob_end_flush();
		if ($thrown instanceof Interrupted || \ob_get_level() < 2) {
			if (\ob_get_level() > 1) \ob_end_flush();
			$rest = \ob_get_level() > 0 ? (string) \ob_get_clean() : '';
			if (self::$sent !== null && \strncmp($rest, self::$sent, \strlen(self::$sent)) === 0) $rest = \substr($rest, \strlen(self::$sent));
			if ($rest !== '') self::put(0, $rest);
			self::$sent = null;
			self::begin();
		}
		if (self::copied()) { // it ends here, as a program does
			self::$run = null;
			while (\ob_get_level() > 0) \ob_end_flush();
			if ($thrown instanceof Ended) exit($thrown->status);
			if ($thrown === null) exit(0);
			self::put(1, "PHP Fatal error:  Uncaught $thrown\n");
			exit(255);
		}
		self::$declared = \array_merge(self::$declared, self::$pending);
		self::$pending = [];
		$done = [];
		if ($thrown instanceof Ended) {
			if ($thrown->status === 0) $done['exit'] = 'kept';
			else $done['error'] = ['name' => 'Exit', 'message' => "the program ended itself with status $thrown->status", 'trace' => []];
		} elseif ($thrown !== null) $done['error'] = self::failure($thrown);
		elseif (self::$shows && $value !== null) {
			try {
				self::send(['type' => 'result', 'data' => ['text/plain' => self::describe($value)]]);
			} catch (\Throwable $e) {
				$done['error'] = self::failure($e);
			}
		}
		self::finish($done);
	}

	private static function finish(array $done): void {
		$run = self::$run['run'];
		self::$run = null;
		self::send(['type' => 'done', 'run' => $run] + $done);
	}

	/** shutdown reports what ends the process. */
	public static function shutdown(): void {
		if (self::$run === null) return;
		$error = \error_get_last();
		if ($error === null || !($error['type'] & (\E_ERROR | \E_CORE_ERROR | \E_COMPILE_ERROR | \E_PARSE))) {
			self::finish(['exit' => 'gone']);
			return;
		}
		\ini_set('memory_limit', '-1');
		$memory = \preg_match('/^(?:Allowed memory size|Out of memory)/', $error['message']);
		$message = \explode("\nStack trace:", $error['message'])[0];
		self::finish(['exit' => 'gone', 'error' => ['name' => $memory ? 'MemoryError' : 'FatalError', 'message' => self::plain($message), 'line' => $error['file'] === self::$path ? $error['line'] : 0,
			'trace' => \strncmp($error['file'], __FILE__, \strlen(__FILE__)) === 0 ? [] : [($memory ? 'MemoryError' : 'FatalError') . ': ' . self::plain($message), '    ' . self::place($error['file']) . ":$error[line]"]] + ($memory ? ['lack' => 'memory'] : [])]);
	}

	private static function failure(\Throwable $thrown): array {
		if ($thrown instanceof Interrupted) return ['name' => 'Interrupted', 'message' => 'the run was interrupted', 'cause' => 'interrupted', 'trace' => []];
		$line = $thrown->getFile() === self::$path ? $thrown->getLine() : 0;
		$trace = [];
		if ($thrown->getFile() !== __FILE__ && \strncmp($thrown->getFile(), __FILE__, \strlen(__FILE__)) !== 0) $trace[] = self::place($thrown->getFile()) . ':' . $thrown->getLine();
		foreach ($thrown->getTrace() as $frame) {
			$file = $frame['file'] ?? '';
			if ($line === 0 && $file === self::$path) $line = $frame['line'];
			if ($file === '' || \strncmp($file, __FILE__, \strlen(__FILE__)) === 0) continue;
			$trace[] = self::place($file) . ":$frame[line]: " . self::plain(($frame['class'] ?? '') . ($frame['type'] ?? '') . ($frame['function'] ?? '')) . '()';
		}
		$class = \get_class($thrown);
		$message = self::plain($thrown->getMessage());
		if (\preg_match('/^Quire.(EOFError)$/', $class, $found)) $class = $found[1];
		if ($thrown instanceof \Error && \preg_match('/^(?:Class|Interface|Trait) "?([^"\s]+)"? not found/', $message)) $class = 'ClassNotFoundError';
		$trace = \array_map(static function ($line) { return "    $line"; }, $trace);
		if ($trace) \array_unshift($trace, "$class: $message");
		for ($cause = $thrown->getPrevious(); $cause; $cause = $cause->getPrevious()) $trace[] = 'caused by ' . \get_class($cause) . ': ' . self::plain($cause->getMessage());
		return ['name' => $class, 'message' => $message, 'line' => $line, 'trace' => $trace];
	}

	private static function name(): string { return \strtr(self::$run['name'] ?? 'cell', "\r\n", '  '); }

	private static function place(string $file): string { return \strncmp($file, 'cell://', 7) === 0 ? \substr($file, 7) : $file; }

	/** plain removes what the driver has put into names. */
	private static function plain(string $text): string { return \str_replace('cell://', '', \preg_replace(['/\b(\w+)__v\d+\b/', '/, called in \S+ : eval\(\)\'d code on line \d+/'], ['$1', ''], $text)); }

	public static function describe($value): string {
		if (\is_string($value)) return $value;
		if ($value === null || \is_scalar($value)) return \var_export($value, true);
		if (\is_object($value) && \method_exists($value, '__toString')) return (string) $value;
		if ($value instanceof \Closure) return 'Closure';
		if ($value instanceof \UnitEnum) return \get_class($value) . '::' . $value->name;
		return \rtrim(\print_r($value, true));
	}

	private static function line($value): string {
		$text = \preg_replace('/\s+/', ' ', \is_array($value) ? (string) \json_encode($value, \JSON_UNESCAPED_UNICODE | \JSON_UNESCAPED_SLASHES | \JSON_PARTIAL_OUTPUT_ON_ERROR) : self::describe($value)) ?? '';
		return \preg_match('/^.{101}/u', $text) ? \preg_replace('/^(.{99}).*$/u', '$1…', $text) : $text;
	}

	private static function answer(array $m): void {
		try {
			$reply = self::call($m);
		} catch (\Throwable $e) {
			$reply = ['error' => ['name' => \get_class($e), 'message' => $e->getMessage()]];
		}
		self::send(['type' => 'reply', 'id' => $m['id']] + $reply);
	}

	private static function call(array $m): array {
		switch ($m['method']) {
			case 'variables': return ['value' => self::variables()];
			case 'complete': return ['value' => self::complete($m['source'], $m['cursor'] ?? 0)];
			case 'get':
				if (!\in_array($name = self::variable($m), self::names(), true)) throw new \OutOfBoundsException("no variable is named \$$name");
				return ['value' => $GLOBALS[$name]];
			case 'set':
				$GLOBALS[self::variable($m)] = $m['value'] ?? null;
				return ['value' => null];
			case 'reset':
				foreach (self::names() as $name) unset($GLOBALS[$name]);
				return ['value' => null];
			case 'install': return self::install($m['packages'] ?? []);
		}
		return ['error' => ['name' => 'Unsupported', 'message' => "no method $m[method]"]];
	}

	/** @return string[] */
	private static function names(): array { return \array_map('strval', \array_values(\array_filter(\array_keys($GLOBALS), static function ($name) { return !isset(self::$own[$name]); }))); }

	private static function variable(array $m): string {
		if (\preg_match('/^\$?([\pL_][\pL\pN_]*)$/Du', $m['name'] ?? '', $found)) return $found[1];
		throw new \InvalidArgumentException('no name of a variable: ' . ($m['name'] ?? ''));
	}

	private static function variables(): array {
		$list = [];
		foreach (self::names() as $name) {
			$value = $GLOBALS[$name];
			$list[] = ['name' => '$' . $name, 'type' => \is_object($value) ? \get_class($value) : \gettype($value), 'preview' => self::line($value)] + (\is_array($value) ? ['shape' => \count($value) . ' items'] : []);
		}
		\usort($list, static function ($a, $b) { return \strcmp($a['name'], $b['name']); });
		return $list;
	}

	private static function complete(string $source, int $cursor): array {
		$before = '';
		$units = 0;
		foreach (\preg_split('//u', $source, -1, \PREG_SPLIT_NO_EMPTY) ?: [] as $char) {
			if ($units >= $cursor) break;
			$units += \strlen($char) > 3 ? 2 : 1;
			$before .= $char;
		}
		\preg_match('/(?:(\$\w+)->|([\\\\\w]+)::|)(\$?[\w\\\\]*)$/', $before, $found);
		[, $object, $class, $begun] = $found + ['', '', '', ''];
		$items = [];
		$add = static function (array $names, string $kind) use (&$items, $begun): void {
			foreach ($names as $name) if (\stripos($name, $begun) === 0 && \strpos($name, '__v') === false) $items[$name] = ['text' => $name, 'kind' => $kind];
		};
		$value = $object === '' ? null : $GLOBALS[\substr($object, 1)] ?? null;
		if ($object !== '') {
			if (\is_object($value)) {
				$add(\array_keys(\get_object_vars($value)), 'property');
				$add(\get_class_methods($value), 'function');
			}
		} elseif ($class !== '') {
			if (\class_exists($class) || \interface_exists($class)) {
				$add(\get_class_methods($class), 'function');
				$add(\array_keys((new \ReflectionClass($class))->getConstants()), 'constant');
			}
		} elseif ($begun !== '' && $begun[0] === '$') $add(\array_map(static function ($n) { return '$' . $n; }, self::names()), 'variable');
		elseif ($begun !== '') {
			$functions = \get_defined_functions();
			$add(\array_merge(\array_keys(self::$current), $functions['internal']), 'function');
			$add(\array_merge(\get_declared_classes(), \get_declared_interfaces()), 'class');
			$add(['abstract', 'array', 'break', 'case', 'catch', 'class', 'const', 'continue', 'default', 'do', 'echo', 'else', 'elseif', 'empty', 'extends', 'final', 'finally', 'fn', 'for', 'foreach', 'function', 'global', 'if',
				'implements', 'include', 'instanceof', 'interface', 'isset', 'match', 'namespace', 'new', 'print', 'private', 'protected', 'public', 'require', 'return', 'static', 'switch', 'throw', 'trait', 'try', 'unset', 'use', 'while', 'yield'], 'keyword');
		}
		\ksort($items);
		return ['start' => $cursor - \strlen($begun), 'end' => $cursor, 'items' => \array_slice(\array_values($items), 0, 500)];
	}

	/** load makes the packages beside the notebook known. */
	public static function load(): void {
		if (\is_file('vendor/autoload.php')) require_once \getcwd() . '/vendor/autoload.php';
	}

	private static function install(array $packages): array {
		$command = \array_merge(['composer', 'require', '--no-interaction', '--no-ansi'], $packages);
		$process = @\proc_open(\implode(' ', \array_map('escapeshellarg', $command)) . ' 2>&1', [0 => ['file', '/dev/null', 'r'], 1 => ['pipe', 'w']], $pipes);
		if (!$process) return ['error' => ['name' => 'InstallError', 'message' => 'composer cannot be started']];
		while (!\feof($pipes[1])) {
			$text = (string) \fread($pipes[1], 8192);
			if ($text !== '') self::put(0, $text);
		}
		$status = \proc_close($process);
		if ($status !== 0) return ['error' => ['name' => 'InstallError', 'message' => 'composer could not install ' . \implode(' ', $packages) . ($status === 127 ? ': it is not installed' : ': see its output')]];
		if (\is_file('vendor/autoload.php')) {
			$loader = require \getcwd() . '/vendor/autoload.php';
			foreach (['psr4' => 'setPsr4', 'namespaces' => 'set'] as $kind => $set) {
				foreach (require \getcwd() . "/vendor/composer/autoload_$kind.php" as $prefix => $paths) $loader->$set($prefix, $paths);
			}
			$loader->addClassMap(require \getcwd() . '/vendor/composer/autoload_classmap.php');
			if (\is_file('vendor/composer/autoload_files.php')) foreach (require \getcwd() . '/vendor/composer/autoload_files.php' as $file) require_once $file;
		}
		return ['value' => null];
	}
}

}

namespace {

/** Notebook has the functions of notebooks. */
final class Notebook {
	/** display shows a map of MIME types and texts, or a text; it returns the id, by which update replaces it. */
	public static function display($data, ?string $id = null): string { return Quire\Driver::display('display', $data, $id); }
	public static function html(string $text, ?string $id = null): string { return self::display(['text/html' => $text], $id); }
	public static function update(string $id, $data): void { Quire\Driver::display('update', $data, $id); }
	public static function clear(bool $wait = false): void { Quire\Driver::send(['type' => 'clear', 'wait' => $wait]); }

	/** ask asks the user for a line; secret for one that is not shown. */
	public static function ask(string $prompt = '', bool $secret = false): string {
		[$text, $why] = Quire\Driver::ask($prompt, $secret);
		if ($text === null) throw new Quire\EOFError($why);
		return $text;
	}
	public static function secret(string $prompt = ''): string { return self::ask($prompt, true); }
}

	Quire\Driver::start();
	Quire\Driver::load();
	$quire = [];
	Quire\Driver::$own = array_flip(array_merge(array_keys($GLOBALS), ['quire', 'GLOBALS', 'argv', 'argc', '_GET', '_POST', '_COOKIE', '_FILES', '_SERVER', '_ENV', '_REQUEST']));
	while (Quire\Driver::runs()) {
		$quire = [null, null];
		try {
			Quire\Driver::begins();
			$quire[0] = include Quire\Driver::$path;
		} catch (Throwable $quire_thrown) {
			$quire[1] = $quire_thrown;
			unset($quire_thrown);
		}
		Quire\Driver::ended($quire[0], $quire[1]);
		$quire = [];
	}
}
