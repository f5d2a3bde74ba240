# The driver of Perl 5.14 and later: the engine's side of spec/engine-protocol.md. It needs modules of perl-base alone.
#
# A cell is evaluated in package main. Its outermost `my` variables become package variables, since those of an eval end
# with it; pragmas go on to the next cell. The value of a last statement without a semicolon is the result of the cell.
package Quire::Driver;
use strict;
use warnings;

our ($writing, $late) = (0, 0);    # a message is written; an interrupt came meanwhile
our ($requests, $messages, $asked, $end, $running, $ran, $entry);
our ($token, $marks, $last, @streams, $owner) = (undef, 0, undef);    # see mark
our %known;    # names of variables with their sigils that later cells see
our ($hints, $bits, %hinthash) = ($^H, ${^WARNING_BITS});
our @calls;    # callers at the last die
our $call_of = '';

open $requests, '<&=', 3 or die "open descriptor 3: $!";
open $messages, '>&=', 4 or die "open descriptor 4: $!";
binmode $_ for $requests, $messages;

# JSON.

my %escape = ("\"" => '\"', "\\" => '\\\\', "\n" => '\n', "\r" => '\r', "\t" => '\t');

# quote returns bytes in UTF-8 as a JSON string.
sub quote {
	my $text = shift;
	$text =~ s/(["\\\x00-\x1f\x7f])/$escape{$1} || sprintf '\u%04x', ord $1/ge;
	return "\"$text\"";
}

# bytes returns a text as the bytes that are printed for it.
sub bytes {
	my $text = defined $_[0] ? "$_[0]" : '';
	utf8::encode($text) if utf8::is_utf8($text);
	return $text;
}

# words returns a text as valid UTF-8 for a JSON string.
sub words {
	my $text = bytes(shift);
	my $copy = $text;
	utf8::decode($copy) or utf8::encode($text);    # not UTF-8: taken as Latin-1
	return quote($text);
}

sub encode {
	my $value = shift;
	if (ref $value eq 'ARRAY') { return '[' . join(',', map { encode($_) } @$value) . ']' }
	if (ref $value eq 'HASH') {
		return '{' . join(',', map { words($_) . ':' . encode($value->{$_}) } sort keys %$value) . '}';
	}
	if (ref($value) =~ /^(?:SCALAR|JSON::PP::Boolean|Types::Serialiser::Boolean)\z/) { return $$value ? 'true' : 'false' }
	return 'null' unless defined $value;
	return number($value) if !ref $value && is_number($value);
	return words($value);
}

# number returns a number with as many digits as it takes to read the same back; Perl itself writes 15.
sub number {
	my $value = shift;
	my $text = "$value";
	for my $digits (16, 17) {
		last if $text == $value;
		$text = sprintf("%.${digits}g", $value);
	}
	return $text;
}

# is_number reports whether a value was made as a number, and can be written as JSON's.
sub is_number {
	my $value = shift;
	no warnings 'numeric';
	return !utf8::is_utf8($value) && length('' & $value) && "$value" =~ /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?\z/i;
}

my %unescape = (b => "\b", f => "\f", n => "\n", r => "\r", t => "\t");

# decode returns the value of a JSON text in UTF-8. Strings are bytes in UTF-8 if $raw, else characters.
sub decode {
	my ($json, $raw) = @_;
	pos($json) = 0;
	my $value = decode_next(\$json, $raw);
	$json =~ /\G\s*/gc;
	pos($json) == length $json or die "text behind the JSON\n";
	return $value;
}

sub decode_next {
	my ($in, $raw) = @_;
	$$in =~ /\G\s+/gc;
	return decode_string($in, $raw) if $$in =~ /\G"/gc;
	return $1 + 0 if $$in =~ /\G(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/gc;
	return $raw ? 1 : boolean(1) if $$in =~ /\Gtrue/gc;
	return $raw ? 0 : boolean(0) if $$in =~ /\Gfalse/gc;
	return undef if $$in =~ /\Gnull/gc;
	if ($$in =~ /\G\[\s*/gc) {
		my @list;
		until ($$in =~ /\G\s*\]/gc) {
			$$in =~ /\G\s*,/gc if @list;
			push @list, decode_next($in, $raw);
		}
		return \@list;
	}
	$$in =~ /\G\{\s*/gc or die 'no JSON at ' . pos($$in) . "\n";
	my %object;
	until ($$in =~ /\G\s*\}/gc) {
		$$in =~ /\G\s*,/gc if %object;
		$$in =~ /\G\s*"/gc or die 'no key at ' . pos($$in) . "\n";
		my $key = decode_string($in, $raw);
		$$in =~ /\G\s*:/gc or die 'no colon at ' . pos($$in) . "\n";
		$object{$key} = decode_next($in, $raw);
	}
	return \%object;
}

# boolean returns JSON's true or false as Perl's own modules of JSON have them: false where it is tested. A Perl without
# these modules has 1 and the empty string.
sub boolean {
	my $value = shift;
	return $value ? 1 : '' unless eval { require JSON::PP::Boolean; 1 };
	return bless \$value, 'JSON::PP::Boolean';
}

sub decode_string {
	my ($in, $raw) = @_;
	my $text = '';
	while (1) {
		if ($$in =~ /\G([^"\\]+)/gc) { $text .= $1 }
		elsif ($$in =~ /\G"/gc) { last }
		elsif ($$in =~ /\G\\u([dD][89abAB]..)\\u([dD][c-fC-F]..)/gc) {
			$text .= utf8_of(0x10000 + ((hex($1) & 0x3ff) << 10) + (hex($2) & 0x3ff));
		}
		elsif ($$in =~ /\G\\u([dD][89a-fA-F][0-9a-fA-F]{2})/gc) { $text .= "\xef\xbf\xbd" }
		elsif ($$in =~ /\G\\u([0-9a-fA-F]{4})/gc) { $text .= utf8_of(hex $1) }
		elsif ($$in =~ /\G\\(.)/gcs) { $text .= $unescape{$1} || $1 }
		else { die "a JSON string has no end\n" }
	}
	utf8::decode($text) unless $raw;
	return $text;
}

sub utf8_of {
	my $char = chr shift;
	utf8::encode($char);
	return $char;
}

# Messages.

# whole writes data; a signal does not cut it, but is taken by settle.
sub whole {
	my ($to, $data) = @_;
	my $done = 0;
	while ($done < length $data) {
		my $n = syswrite $to, $data, length($data) - $done, $done;
		if (defined $n) { $done += $n }
		elsif (!$!{EINTR}) { kill KILL => $$ }    # the host is gone
	}
	return;
}

sub settle {
	$writing = 0;
	if ($late && $running) { $late = 0; die Quire::Interrupt->new }
	return;
}

# mark puts the next mark into both streams. A copy of the process puts none.
sub mark {
	my $kind = shift;
	undef $last;
	return unless defined $token && $owner == $$;
	my $mark = sprintf '%s%s%016x', $token, $kind, ++$marks;
	whole($_, $mark) for @streams;
	return;
}

# say_line sends a message behind its mark, which is m or at the end of a run e.
sub say_line {
	my ($line, $kind) = (@_, 'm');
	return if copied();
	local $writing = 1;
	mark($kind);
	substr($line, 1, 0) = "\"at\":$marks," if defined $token;
	whole($messages, "$line\n");
	settle();
	return;
}

# put prints bytes on stdout, which is stream 0, or stderr.
sub put {
	my ($stream, $text) = @_;
	local $writing = 1;
	if (!defined $last || $last != $stream) {
		mark('t');
		$last = $stream;
	}
	whole($streams[$stream], $text) if length $text;
	settle() if $late;
	return;
}

# give_way puts a mark before others write to the streams. Text behind it has one too.
sub give_way {
	return unless defined $last;
	local $writing = 1;
	mark('t');
	settle();
	return;
}

# Package main has these in place of Perl's own.
sub own_system { give_way(); return CORE::system(@_) }
sub own_readpipe { give_way(); return CORE::readpipe($_[0]) }
sub own_fork { give_way(); return CORE::fork() }
sub own_wait { give_way(); return CORE::wait() }
sub own_waitpid { give_way(); return CORE::waitpid($_[0], $_[1]) }

# ask returns the answer to a question in bytes. At the end of input it returns undef, and the reason.
sub ask {
	my ($prompt, $secret) = @_;
	return (undef, $end) if defined $end;
	$asked++;
	say_line(qq({"type":"ask","id":$asked,"prompt":) . words($prompt) . ',"secret":' . ($secret ? 'true' : 'false') . '}');
	while (1) {
		my $line = next_line();
		exit_now() unless defined $line;
		my $m = decode($line, 1);
		next unless ($m->{type} || '') eq 'answer' && $m->{id} == $asked;
		return $m->{text} unless $m->{end};
		die Quire::Interrupt->new if $m->{interrupted};
		return (undef, $m->{why} || 'no answer came');
	}
}

my $unread = '';

# next_line reads a request; a signal does not lose what was read.
sub next_line {
	until ($unread =~ /\n/) {
		my $n = sysread $requests, $unread, 65536, length $unread;
		next if !defined $n && $!{EINTR};
		return unless $n;
	}
	$unread =~ s/^(.*\n)//;
	return $1;
}

sub exit_now { $SIG{INT} = 'DEFAULT'; untie *STDOUT; untie *STDERR; CORE::exit(0) }

# What programs see.

package Quire::Interrupt { sub new { bless {}, shift } }
package Quire::Exit { sub new { my ($class, $status) = @_; bless { status => $status }, $class } }

# Quire::Output is STDOUT or STDERR. Subprocesses write to the descriptors.
package Quire::Output {
	sub TIEHANDLE { my ($class, $stream) = @_; bless { stream => $stream, fd => $stream + 1, utf8 => 0 }, $class }
	sub PRINT {
		my $self = shift;
		my $text = @_ == 1 && defined $_[0] ? "$_[0]" : join defined $, ? $, : '', map { defined $_ ? $_ : '' } @_;
		$text .= $\ if defined $\;
		utf8::encode($text) if $self->{utf8} || utf8::is_utf8($text);
		Quire::Driver::put($self->{stream}, $text);
		return 1;
	}
	sub PRINTF { my ($self, $format) = (shift, shift); local $\; return $self->PRINT(sprintf $format, @_) }
	sub WRITE {
		my ($self, $text, $length, $offset) = @_;
		$text = substr $text, $offset || 0, defined $length ? $length : length $text;
		my $bytes = $text;
		utf8::encode($bytes) if $self->{utf8} || utf8::is_utf8($bytes);
		Quire::Driver::put($self->{stream}, $bytes);
		return length $text;
	}
	sub BINMODE { my ($self, $layer) = @_; $self->{utf8} = defined $layer && $layer =~ /utf-?8/i ? 1 : 0; return 1 }
	sub FILENO { $_[0]{fd} }
	sub CLOSE  { 1 }
	sub EOF    { 1 }
	sub OPEN {    # of `open STDOUT, …`: the handle is a program's own from now on
		my ($self, $mode) = (shift, shift);
		my $handle = $self->{fd} == 1 ? \*STDOUT : \*STDERR;
		$self->{fd} == 1 ? untie *STDOUT : untie *STDERR;
		no warnings;
		return @_ ? open $handle, $mode, @_ : open $handle, $mode;
	}
}

# Quire::Input is STDIN: each line is asked of a user.
package Quire::Input {
	sub TIEHANDLE { bless { rest => '' }, shift }
	sub line {
		my ($text, $why) = Quire::Driver::ask('', 0);
		Quire::Driver::put(1, "no input: $why\n") if !defined $text && !$_[0]{told}++;
		return defined $text ? "$text\n" : undef;
	}
	sub READLINE {
		my $self = shift;
		if (wantarray || !defined $/) {
			my @lines;
			push @lines, delete $self->{rest} if length $self->{rest};
			while (defined(my $line = $self->line)) { push @lines, $line }
			$self->{rest} = '';
			return @lines if wantarray;
			return @lines ? join '', @lines : undef;
		}
		return $self->line unless length $self->{rest};
		my $line = $self->{rest};
		$self->{rest} = '';
		return $line;
	}
	sub READ {
		my ($self, undef, $length, $offset) = @_;
		$self->{rest} = $self->line unless length $self->{rest};
		my $part = defined $self->{rest} ? substr $self->{rest}, 0, $length, '' : '';
		$self->{rest} = '' unless defined $self->{rest};
		$_[1] = '' unless defined $_[1];
		substr($_[1], $offset || 0) = $part;
		return length $part;
	}
	sub GETC { my $self = shift; my $char; return $self->READ($char, 1) ? $char : undef }
	sub EOF     { defined $Quire::Driver::end ? 1 : '' }
	sub FILENO  { 0 }
	sub BINMODE { 1 }
	sub CLOSE   { 1 }
}

# Notebook has the functions of notebooks.
package Notebook {
	our $shown = 0;
	sub bundle { my $data = shift; return ref $data ? $data : { 'text/plain' => $data } }

	# display shows a hash of MIME types and texts, or a text; it returns the id, by which update replaces it.
	sub display {
		my ($data, $id) = @_;
		$id = 'perl-' . ++$shown unless defined $id;
		Quire::Driver::say_line('{"type":"display","data":' . Quire::Driver::encode(bundle($data)) . ',"id":' . Quire::Driver::words($id) . '}');
		return $id;
	}
	sub html { return display({ 'text/html' => $_[0] }, $_[1]) }
	sub update {
		my ($id, $data) = @_;
		Quire::Driver::say_line('{"type":"update","data":' . Quire::Driver::encode(bundle($data)) . ',"id":' . Quire::Driver::words($id) . '}');
		return;
	}
	sub clear { Quire::Driver::say_line('{"type":"clear","wait":' . ($_[0] ? 'true' : 'false') . '}'); return }

	# ask asks the user for a line; secret for one that is not shown.
	sub ask {
		my ($text, $why) = Quire::Driver::ask(@_ ? $_[0] : '', $_[1]);
		die Quire::EOFError->new($why) unless defined $text;
		return $text;
	}
	sub secret { return ask($_[0], 1) }
}
package Quire::EOFError { sub new { my ($class, $why) = @_; bless { message => $why }, $class } sub message { $_[0]{message} } }

package Quire::Driver;

# Sources.

my $name = qr/[A-Za-z_]\w*(?:::\w+)*/;
my %pair = ('(' => ')', '[' => ']', '{' => '}', '<' => '>');

# rewrite makes the outermost `my` variables of a source those of the package. It returns the source, the names, and
# whether the last statement has a value to show.
sub rewrite {
	my $source = shift;
	my ($out, $depth, @parens, @names, @heredocs) = ('', 0);
	my ($before, $first, $empty) = ('', '', 1);    # the token before, the first word of the statement, nothing in it yet
	my $ended = 1;                                 # the last statement has its semicolon
	my $last = 0;                                  # where the last statement begins, in what is written
	pos($source) = 0;
	my $begin = sub { ($first, $empty) = ('', 1) };
	while (pos($source) < length $source) {
		if ($source =~ /\G(\n)/gc) {
			$out .= $1;
			while (my $tag = shift @heredocs) {
				$source =~ /\G(.*?^\Q$tag->[0]\E(?:\n|\z))/gcms and $tag->[1] eq '' || 1 and $out .= $1 if $tag->[1] eq '';
				$source =~ /\G(.*?^[ \t]*\Q$tag->[0]\E(?:\n|\z))/gcms and $out .= $1 if $tag->[1] ne '';
			}
			$source =~ /\G(=[a-zA-Z].*?(?:^=cut.*?(?:\n|\z)|\z))/gcms and $out .= $1 if $empty || 1;
			next;
		}
		if ($out eq '' && $source =~ /\G(=[a-zA-Z].*?(?:^=cut.*?(?:\n|\z)|\z))/gcms) { $out .= $1; next }
		if ($source =~ /\G([ \t\r\f]+|#[^\n]*)/gc) { $out .= $1; next }
		if ($source =~ /\G(__(?:END|DATA)__\b.*)/gcs) { $out .= $1; last }
		my $statement = $empty;
		$last = length $out if $statement && !$depth;
		$first = substr $source, pos $source, 1 if $statement;
		$empty = 0;
		$ended = 0;
		if ($before !~ /[\w\)\]\}]$/ || $before =~ /^(?:print|return|say|push|die|warn)$/ and $source =~ /\G(<<(~?)(?:"([^"\n]*)"|'([^'\n]*)'|([A-Za-z_]\w*)))/gc) {
			$out .= $1;
			push @heredocs, [(grep { defined } $3, $4, $5)[0], $2];
			$before = ')';
			next;
		}
		if ($source =~ /\G((?:->\s*)?[\$\@%&]#?\{?\^?$name\}?|->\s*$name|[\$\@](?:[^\w\s{\$]|\$(?=\W))|\$#(?=[\{\$])|[\$\@%&](?=[\{\$]))/gc) {
			($out, $before) = ($out . $1, $1);
			next;
		}
		if ($before !~ /(?:->|sub)$/ && $source =~ /\G((?:qw|qq|qr|q|m|tr|s|y)\b(?!\s*(?:=>|[,;)}]|=[^=~]))\s*(?=\S))/gc) {
			my $operator = $1;
			$out .= $operator . quoted(\$source, $operator =~ /^(?:tr|s|y)\b/ ? 2 : 1);
			$before = ')';
			next;
		}
		if ($source =~ /\G(["'`])/gc) {
			$out .= $1;
			$source =~ /\G((?:[^\\\Q$1\E]|\\.)*\Q$1\E?)/gcs and $out .= $1;
			$before = ')';
			next;
		}
		if ($source =~ m{\G(?=/)}gc && ($before eq '' || $before !~ /[\w\)\]\}]$/ || $before =~ /^(?:split|grep|map|if|unless|and|or|not|return|push|when|while|until|x)$/)) {
			$out .= quoted(\$source, 1);
			$before = ')';
			next;
		}
		if ($source =~ /\G((?:my|state)\b)(?=\s*[\$\@%(])/gc) {
			my $word = $1;
			$first = $word if $statement;
			my $keep = $depth || grep({ $_ } @parens) || $before =~ /^(?:for|foreach)$/;
			if (!$keep && $source =~ /\G(\s*)([\$\@%]$name|\([^()]*\))(\s*)(=(?![=~])|)/gc) {
				my ($space, $what, $more, $equals) = ($1, $2, $3, $4);
				my @found = $what =~ /([\$\@%]$name)/g;
				push @names, @found;
				$what =~ s/([\$\@%]$name)/our $1/g if $what =~ /undef/;
				$out .= ($what =~ /undef/ ? '' : 'our') . $space . $what . $more;
				my $alone = $equals eq '' && $source =~ /\G(?=;|\}|\z)/gc;
				$out .= $alone && $what =~ /^\$/ ? ' = undef' : $alone ? ' = ()' : $equals;
				$before = '=';
				next;
			}
			($out, $before) = ($out . $word, $word);
			next;
		}
		if ($before ne '->' && $source =~ /\G(system(?=\s*\{))/gc) { # as Perl alone can parse it
			$first = $1 if $statement;
			($out, $before) = ("${out}CORE::$1", $1);
			next;
		}
		if ($source =~ /\G((?:$name|\d[\w.]*))/gc) {
			$first = $1 if $statement;
			push @names, our_names(substr $source, pos $source) if $1 eq 'our' && !$depth;
			($out, $before) = ($out . $1, $1);
			next;
		}
		$source =~ /\G(.)/gcs;
		my $char = $1;
		$out .= $char;
		if ($char eq '{' || $char eq '[') { $depth++ }
		elsif ($char eq '(') { push @parens, $before =~ /^(?:if|elsif|unless|while|until|for|foreach)$/ || ($before =~ /^\$/ && $first =~ /^for/) }
		elsif ($char eq ')') { pop @parens }
		elsif ($char eq ']') { $depth-- if $depth }
		elsif ($char eq '}') {
			$depth-- if $depth;
			if (!$depth && $first =~ /^(?:sub|if|elsif|else|unless|while|until|for|foreach|package|BEGIN|END|INIT|do|\{)$/ && $source !~ /\G\s*(?:\)|,|;|\.|->|=|while\b|until\b|elsif\b|else\b|continue\b)/) {
				$begin->();
				$ended = 1 if $first ne 'do';
			}
		}
		elsif ($char eq ';' && !$depth) { $begin->(); $ended = 1 }
		$before = $char;
	}
	my $shows = !$ended && $first !~ /^(?:print|printf|say|use|no|require|our|my|state|local|sub|package|foreach|for|while|until|if|unless|push|unshift|chomp|BEGIN|die|warn|return|exit|open|close|binmode|select|system|mkdir|unlink|rename|tie|untie|sleep|seek)$/;
	$shows = 1 if !$ended && $first eq 'return';
	if ($shows) { substr($out, $last, 0) = 'BEGIN { Quire::Driver::save() } ' }
	elsif ($source !~ /^__(?:END|DATA)__\b/m) { $out .= "\n;BEGIN { Quire::Driver::save() }" }
	return ($out, \@names, $shows);
}

sub our_names { return $_[0] =~ /\A\s*(?:([\$\@%]$name)|\(([^()]*)\))/ ? grep({ defined } $1, ($2 || '') =~ /([\$\@%]$name)/g) : () }

# quoted takes one or two delimited parts.
sub quoted {
	my ($in, $parts) = @_;
	my $out = '';
	$$in =~ /\G(.)/gcs or return '';
	my $open = $1;
	$out .= $open;
	for my $part (1 .. $parts) {
		my $close = $pair{$open} || $open;
		my $depth = 1;
		while ($depth && $$in =~ /\G(\\.|.)/gcs) {
			$out .= $1;
			if ($1 eq $close) { $depth-- }
			elsif ($1 eq $open) { $depth++ }
		}
		if ($part < $parts && $pair{$open}) {
			$$in =~ /\G(\s*)(.)/gcs or last;
			$out .= $1 . $2;
			$open = $2;
		}
	}
	$$in =~ /\G([a-z]+)/gc and $out .= $1;
	return $out;
}

# fresh gives the variables that a cell declares containers of their own, so that references to those of earlier cells
# keep them.
sub fresh {
	no strict 'refs';
	for (@_) {
		my ($sigil, $symbol) = (substr($_, 0, 1), 'main::' . substr $_, 1);
		next if /::/ || $symbol =~ /^main::(?:[ab_]|ENV|ARGV|INC|STD.*)$/;
		if    ($sigil eq '$') { my $copy = ${$symbol};    *{$symbol} = \$copy }
		elsif ($sigil eq '@') { my @copy = @{$symbol};    *{$symbol} = \@copy }
		else                  { my %copy = %{$symbol};    *{$symbol} = \%copy }
	}
	return;
}

# Runs.

# copied reports whether this is a copy of the engine that a program has forked: it prints, and says nothing for the engine.
sub copied { return defined $owner && $owner != $$ }

sub run {
	my $m = shift;
	undef $end;
	my $label = $m->{name} || 'cell';
	$label =~ s/["\n\r]/ /g;
	my ($source, $names, $shows) = rewrite($m->{source});
	fresh(@$names);
	my $before = join '', map { "our $_;" } grep { !/::/ } sort keys %known;
	my $code = "package main; no strict; no warnings; $before BEGIN { Quire::Driver::restore() } \$Quire::Driver::ran = 1;\n"
		. "#line 1 \"$label\"\n$source\n";
	($ran, @calls) = (0);
	my (@values, $failed, $problem);
	$late = 0;
	{
		local $SIG{__DIE__} = \&note_calls unless $SIG{__DIE__};
		local $SIG{__WARN__} = \&warned unless $SIG{__WARN__};
		local ($,, $\) = ($,, $\);
		local $@;
		my $inside = 1;    # an interrupt can come before the program and behind it
		eval {
			$running = 1;
			say_line(qq({"type":"begin","run":$m->{run}}));
			@values = evaluate($code);
			($running, $failed, $problem, $inside) = (0, $@ ne '' || ref $@, $@, 0);
		};
		($running, $failed, $problem) = (0, 1, $@) if $inside;
	}
	$known{$_} = 1 for @$names;
	if (copied()) {    # it ends here, as a program does
		put(1, "$problem") if $failed;
		CORE::exit($failed ? 255 : 0);
	}
	my $done = { type => 'done', run => $m->{run} };
	if (!$failed) { show(@values) if $shows && @values }
	elsif (ref $problem eq 'Quire::Exit' && !$problem->{status}) { $done->{exit} = 'kept' }
	else { $done->{error} = failure($problem, $label, 1 + ($m->{source} =~ tr/\n//)) }
	say_line(encode($done), 'e');
	return;
}

sub warned {
	my $text = shift;
	return if $text =~ /^(?:Subroutine \S+ redefined|"(?:our|my)" variable \S+ (?:redeclared|masks earlier)|\t\(Did you mean "local")/;
	put(1, bytes($text));
	return;
}

# note_calls keeps the calls at a die, without those of the driver.
sub note_calls {
	my $problem = shift;
	@calls = ();
	$call_of = ref $problem ? '' : "$problem";
	for (my $i = 1; my @frame = caller $i; $i++) {
		last if $frame[1] eq $entry;
		push @calls, [@frame[1 .. 3]];
	}
	my @here = caller 0;
	unshift @calls, [@here[1, 2], ''] if $here[1] ne $entry;
	die $problem;
}

sub failure {
	my ($problem, $label, $lines) = @_;
	return { name => 'Interrupted', message => 'the run was interrupted', cause => 'interrupted', trace => [] } if ref $problem eq 'Quire::Interrupt';
	return { name => 'Exit', message => "the program ended itself with status $problem->{status}", trace => [] } if ref $problem eq 'Quire::Exit';
	my ($class, $text) = ('Error', $problem);
	if (ref $problem) {
		$class = ref $problem;
		$class =~ s/^Quire::(?=EOFError$)//;
		local $@;
		my $is_object = $class !~ /^(?:SCALAR|ARRAY|HASH|CODE|REF|GLOB)$/;
		$text = eval { $is_object && $problem->can('message') ? $problem->message : undef };
		$text = eval { $is_object ? "$problem" : dump_value($problem) } unless defined $text;
	}
	$text = bytes($text);
	$text =~ s/\s+\z//;
	my $line = 0;
	if ($text =~ / at \Q$label\E line (\d+)/) { $line = $1 + 0 }
	else { for (@calls) { if ($_->[0] eq $label) { $line = $_->[1]; last } } }
	$line = $lines if $line > $lines;    # the parser read on
	if ($text =~ /^Can't locate (\S+)\.pm in \@INC/) { $class = 'ModuleNotFoundError' }
	elsif (!$ran && !ref $problem && $text !~ /^BEGIN failed|\nBEGIN failed/) { $class = 'SyntaxError' }
	my @trace = map { "$_->[2]" eq '' ? "at $_->[0] line $_->[1]" : "$_->[2] called at $_->[0] line $_->[1]" } @calls;
	@trace = ("at $label line $line") if !@trace && $line;
	my $message = $text;
	$message =~ s/\s*\(\@INC[^()]*\)(?= at )//s;
	$message =~ s/^BEGIN not safe after errors.*?$//m;
	$message =~ s/(?:, <\w+> (?:line|chunk) \d+)?\.?\z//;
	$message =~ s/ at \Q$label\E line \d+\z//;
	$message =~ s/\s+\z//;
	return { name => $class, message => $message, line => $line + 0, trace => [@trace ? ("$class: $message", map { "    $_" } @trace) : ()] };
}

sub show {
	my @values = @_;
	return if @values == 1 && !defined $values[0];
	my $text = @values == 1 ? dump_value($values[0]) : '(' . join(', ', map { dump_value($_) } @values) . ')';
	say_line('{"type":"result","data":{"text/plain":' . words($text) . '}}');
	return;
}

# dump_value returns a value as Perl would write it; a text that stands alone as it is.
sub dump_value {
	my $value = shift;
	return 'undef' unless defined $value;
	return "$value" unless ref $value;
	local ($@, $SIG{__DIE__});
	return "$value" unless eval { require Data::Dumper; 1 };
	no warnings 'once';
	local ($Data::Dumper::Terse, $Data::Dumper::Indent, $Data::Dumper::Sortkeys, $Data::Dumper::Useqq, $Data::Dumper::Maxdepth) = (1, 1, 1, 0, 12);
	my $text = Data::Dumper::Dumper($value);
	$text =~ s/\s+\z//;
	return $text;
}

# Calls.

my %own;    # symbols of package main before the first run

sub variables {
	no strict 'refs';
	my @found;
	for my $symbol (sort keys %main::) {
		next if $own{$symbol} || $symbol !~ /^[A-Za-z]\w*\z/ || ref \$main::{$symbol} ne 'GLOB';
		my $glob = \$main::{$symbol};
		if (defined(my $value = ${*$glob{SCALAR}})) {
			push @found, { name => "\$$symbol", type => ref $value || 'scalar', preview => line_of(dump_value($value)) };
		}
		my ($array, $hash) = (*$glob{ARRAY}, *$glob{HASH});
		push @found, { name => "\@$symbol", type => 'array', shape => @$array . ' items', preview => line_of(dump_value($array)) } if $array && @$array;
		push @found, { name => "%$symbol", type => 'hash', shape => keys(%$hash) . ' items', preview => line_of(dump_value($hash)) } if $hash && %$hash;
	}
	return \@found;
}

sub line_of {
	my $text = shift;
	$text =~ s/\s+/ /g;
	utf8::decode($text) unless utf8::is_utf8($text);
	return length $text > 100 ? substr($text, 0, 99) . "\x{2026}" : $text;
}

sub complete {
	my ($source, $cursor) = @_;
	utf8::decode($source);
	my $units = '';
	my $at = 0;
	for my $char (split //, $source) {    # the cursor counts UTF-16 units
		last if $at >= $cursor;
		$at += ord $char > 0xffff ? 2 : 1;
		$units .= $char;
	}
	my ($sigil, $begun) = $units =~ /([\$\@%&]?)((?:\w|::)*)\z/;
	my ($package, $start) = $begun =~ /^(.*::)?(.*)\z/;
	$package = '' unless defined $package;
	no strict 'refs';
	my $table = $package eq '' ? \%main:: : defined *{"main::$package"}{HASH} ? *{"main::$package"}{HASH} : {};
	my @items;
	for my $symbol (sort keys %$table) {
		next if index($symbol, $start) || $symbol !~ /^\w+(?:::)?\z/ || $symbol =~ /^_</;
		next if $symbol =~ /^(?:Quire|main)::/;
		my $glob = \$table->{$symbol};
		next unless ref $glob eq 'GLOB';
		my $code = *$glob{CODE};
		my $kind = $symbol =~ /::\z/ ? 'module' : $code ? 'function' : 'variable';
		push @items, { text => $sigil . $package . $symbol, kind => $kind };
	}
	if ($package eq '' && $sigil eq '') {
		push @items, map { { text => $_, kind => 'keyword' } } grep { !index $_, $start } qw(print printf say my our local sub return if elsif else
			unless while until for foreach last next redo use no require package push pop shift unshift splice keys values each exists delete defined
			undef join split map grep sort reverse scalar ref bless die warn eval open close binmode chomp chop length substr index sprintf lc uc sleep);
	}
	return { start => $cursor - length "$sigil$begun", end => $cursor, items => [@items[0 .. ($#items > 499 ? 499 : $#items)]] };
}

# library is where packages are installed: that of local::lib if it is set up, else the usual place.
sub library {
	my ($first) = split /:/, $ENV{PERL_LOCAL_LIB_ROOT} || '';
	return $first || ($ENV{HOME} || '.') . '/perl5';
}

sub installed_here { my $lib = library() . '/lib/perl5'; unshift @INC, $lib if !grep { $_ eq $lib } @INC; return }

sub install {
	my $m = shift;
	my ($tool) = grep { -x } map { ("$_/cpanm", "$_/cpan") } split /:/, $ENV{PATH} || '';
	($tool) = (grep({ -x } map { "$_/cpanm" } split /:/, $ENV{PATH} || ''), $tool);
	return { name => 'InstallError', message => 'neither cpanm nor cpan is installed' } unless $tool;
	my $to = library();
	my @command = $tool =~ /cpanm$/ ? ($tool, '--notest', '--local-lib', $to) : ($tool, '-T', '-i');
	local ($ENV{PERL_MM_OPT}, $ENV{PERL_MB_OPT}, $ENV{PERL_MM_USE_DEFAULT}) = ("INSTALL_BASE=$to", "--install_base $to", 1);
	my $pid = open(my $pipe, '-|');
	return { name => 'InstallError', message => "start $tool: $!" } unless defined $pid;
	if (!$pid) { untie *STDOUT; untie *STDERR; open STDERR, '>&', \*STDOUT; exec { $command[0] } @command, @{ $m->{packages} }; CORE::exit(127) }
	while (sysread $pipe, my $text, 65536) { put(0, $text) }
	close $pipe;
	installed_here();
	return if $? == 0;
	return { name => 'InstallError', message => "$tool could not install @{$m->{packages}}: see its output" };
}

sub reset_state {
	no strict 'refs';
	for my $symbol (keys %main::) {
		delete $main::{$symbol} unless $own{$symbol} || $symbol =~ /::\z|^_</ || $symbol !~ /^[A-Za-z]/;
	}
	(%known, %hinthash) = ();
	($hints, $bits) = (0, undef);
	return;
}

sub value_of {
	my $symbol = shift;
	no strict 'refs';
	my ($sigil, $rest) = $symbol =~ /^([\$\@%]?)([A-Za-z_]\w*)\z/ or die "no name of a variable: $symbol\n";
	my $glob = $main::{$rest};
	return [@{"main::$rest"}] if $sigil eq '@' && $glob && *$glob{ARRAY};
	return { %{"main::$rest"} } if $sigil eq '%' && $glob && *$glob{HASH};
	die "no variable is named $symbol\n" unless $glob && defined ${"main::$rest"};
	return ${"main::$rest"};
}

sub set_value {
	my ($symbol, $value) = @_;
	no strict 'refs';
	my ($sigil, $rest) = $symbol =~ /^([\$\@%]?)([A-Za-z_]\w*)\z/ or die "no name of a variable: $symbol\n";
	if    ($sigil eq '@' && ref $value eq 'ARRAY') { @{"main::$rest"} = @$value }
	elsif ($sigil eq '%' && ref $value eq 'HASH')  { %{"main::$rest"} = %$value }
	else { ($sigil, ${"main::$rest"}) = ('$', $value) }
	$known{"$sigil$rest"} = 1;
	return;
}

sub answer {
	my ($m, $line) = @_;
	my $reply = { type => 'reply', id => $m->{id} };
	local $@;
	eval {
		if    ($m->{method} eq 'variables') { $reply->{value} = variables() }
		elsif ($m->{method} eq 'complete')  { $reply->{value} = complete($m->{source}, $m->{cursor} || 0) }
		elsif ($m->{method} eq 'reset')     { reset_state(); $reply->{value} = undef }
		elsif ($m->{method} eq 'get')       { $reply->{value} = value_of($m->{name}) }
		elsif ($m->{method} eq 'set')       { set_value($m->{name}, decode($line)->{value}); $reply->{value} = undef }
		elsif ($m->{method} eq 'install')   { my $error = install($m); $reply->{error} = $error if $error }
		else                                { $reply->{error} = { name => 'Unsupported', message => "no method $m->{method}" } }
		1;
	} or $reply->{error} = { name => 'Error', message => "$@" };
	say_line(encode($reply));
	return;
}

# The loop.

sub interrupted {
	return unless $running;
	die Quire::Interrupt->new unless $writing;
	$late = 1;
	return;
}

sub save    { ($hints, $bits, %hinthash) = ($^H, ${^WARNING_BITS}, %^H); return }
sub restore { ($^H, ${^WARNING_BITS}) = ($hints | 0x100, $bits); $^H{$_} = $hinthash{$_} for keys %hinthash; return }

sub serve {
	$entry = (caller 0)[1];
	open $streams[0], '>&', 1;
	open $streams[1], '>&', 2;
	$owner = $$;
	{
		no warnings 'once';
		(*main::system, *main::readpipe, *main::fork, *main::wait, *main::waitpid) = (\&own_system, \&own_readpipe, \&own_fork, \&own_wait, \&own_waitpid);
	}
	{ no warnings 'once'; *CORE::GLOBAL::exit = sub (;$) { die Quire::Exit->new($_[0] || 0) if $running && !copied(); CORE::exit($_[0] || 0) } }
	tie *STDOUT, 'Quire::Output', 0;
	tie *STDERR, 'Quire::Output', 1;
	tie *STDIN, 'Quire::Input';
	$SIG{INT} = \&interrupted;
	installed_here();
	unshift @INC, '.' unless grep { $_ eq '.' } @INC;
	$own{$_} = 1 for keys %main::;
	($hints, $bits) = (0, undef);
	say_line(encode({
		type => 'hello', protocol => 1, language => 'perl', version => sprintf('%vd', $^V), interrupt => 'signal', begins => \1, marks => \1,
		extension => '.pl', mime => 'text/x-perl', can => ['complete', 'variables', 'install', 'reset', 'get', 'set'],
	}));
	while (defined(my $line = next_line())) {
		my $m = decode($line, 1);
		my $type = $m->{type} || '';
		$token = $m->{mark} if defined $m->{mark};
		if    ($type eq 'run')  { run($m) }
		elsif ($type eq 'call') { answer($m, $line) }
	}
	exit_now();
	return;
}

package main;

# evaluate is outside of the scopes of the driver, so that a cell sees none of its variables.
sub Quire::Driver::evaluate { return eval $_[0] }

Quire::Driver::serve();
