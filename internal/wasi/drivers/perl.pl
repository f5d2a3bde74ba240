# The driver of Perl as WebAssembly: it executes the runs that come as lines of JSON, one after another, until there are no more.
#
# The host has the two channels as files, and takes what is written to the descriptors 1 and 2 in order with what is written to them.

package Quire;
use strict;
use warnings;
use JSON::PP ();

our ($json, $requests, $messages, $asked, $shown);

sub send_message {
    my ($type, %fields) = @_;
    $fields{type} = $type;
    print {$messages} $json->encode(\%fields), "\n";
}

sub receive {
    local $/ = "\n";
    my $line = <$requests>;
    $. = 0; # else errors name the line of the requests
    return defined $line ? $json->decode($line) : undef;
}

# host_wait returns the host's next message, or interrupts the program.
sub host_wait {
    my $message = receive();
    exit_now(0) unless $message;
    die bless({}, 'Quire::Interrupt') if $message->{type} eq 'interrupt';
    return $message;
}

sub exit_now { CORE::exit($_[0]) }

# ask asks a user for a line, and returns it without its end, undef if no answer will come.
sub ask {
    my ($prompt, $secret) = @_;
    send_message('ask', id => ++$asked, prompt => text($prompt), secret => $secret ? JSON::PP::true() : JSON::PP::false());
    my $answer = host_wait();
    return undef if $answer->{end};
    my $line = $answer->{text} // '';
    utf8::encode($line);
    return $line;
}

# text returns a string of a program as JSON can have it: its bytes are UTF-8, or else it has characters.
sub text {
    my ($value) = @_;
    $value = '' unless defined $value;
    $value = "$value";
    utf8::decode($value) unless utf8::is_utf8($value);
    return $value;
}

# Answers is the standard input: each line is the answer to a question.
package Quire::Answers;
sub TIEHANDLE { return bless {}, $_[0] }
sub READLINE {
    my @lines;
    while (1) {
        my $line = Quire::ask('');
        last unless defined $line;
        return "$line\n" unless wantarray;
        push @lines, "$line\n";
    }
    return wantarray ? @lines : undef;
}
sub EOF { return 0 }
sub CLOSE { return 1 }
sub BINMODE { return 1 }
sub FILENO { return 0 }

package Quire;

# display shows a value below the cell: a reference to a hash of media types, or any other value as text.
sub display {
    my ($value, %options) = @_;
    my $data = ref $value eq 'HASH' && %$value && !grep({ !m{/} } keys %$value) ? { map { $_ => encode_part($_, $value->{$_}) } keys %$value } : represent($value);
    my %fields = (data => $data);
    my $id = $options{id};
    $id = 'display-' . ++$shown if $options{new_id};
    $fields{id} = "$id" if defined $id;
    send_message($options{update} ? 'update' : 'display', %fields);
    return $id;
}

sub encode_part {
    my ($mime, $part) = @_;
    return $part if ref $part;
    if ($mime =~ m{^image/} && $mime !~ /svg/) {
        require MIME::Base64;
        return MIME::Base64::encode_base64($part, '');
    }
    return text($part);
}

sub clear_output {
    my (%options) = @_;
    send_message('clear', wait => $options{wait} ? JSON::PP::true() : JSON::PP::false());
}

sub represent {
    my ($value) = @_;
    my %data;
    if (Scalar::Util::blessed($value)) {
        for ([to_html => 'text/html'], [to_markdown => 'text/markdown'], [to_svg => 'image/svg+xml']) {
            my ($method, $mime) = @$_;
            $data{$mime} = text(scalar $value->$method) if $value->can($method);
        }
    }
    $data{'text/plain'} = shown($value);
    return \%data;
}

# shown returns a value in text: references as Data::Dumper has them.
sub shown {
    my ($value) = @_;
    return 'undef' unless defined $value;
    return text($value) unless ref $value;
    require Data::Dumper;
    local ($Data::Dumper::Terse, $Data::Dumper::Indent, $Data::Dumper::Sortkeys) = (1, 1, 1);
    my $text = Data::Dumper::Dumper($value);
    chomp $text;
    return text($text);
}

# describe returns an error in the form of the host. The line is the last one of the cell that its text names.
sub describe {
    my ($error, $name) = @_;
    if (ref $error && Scalar::Util::blessed($error) && $error->isa('Quire::Interrupt')) {
        return { name => 'KeyboardInterrupt', cause => 'interrupted' };
    }
    my ($kind, $text) = ('Error', ref $error && !overload::Method($error, '""') ? shown($error) : text($error));
    $kind = ref $error if ref $error;
    if (ref $error && Scalar::Util::blessed($error) && $error->can('message')) {
        $text = text(scalar $error->message);
    }
    $text =~ s/\s+\z//;
    my $syntax = $text =~ /syntax error|^(?:Global symbol|Can't find string terminator|Missing right curly|Unmatched right|Bareword .* not allowed|Can't redeclare|Type of arg|Not enough arguments for|Too many arguments for)/m;
    $kind = 'SyntaxError' if !ref $error && $syntax;
    my @lines = $text =~ /\bat \Q$name\E line (\d+)/g;
    my %fields = (name => $kind, trace => [split /\n/, $text]);
    $fields{line} = 0 + $lines[0] if @lines;
    my $message = $text;
    $message =~ s/ at \Q$name\E line \d+(?:, <\w+> line \d+)?\.?\z// unless $syntax;
    $message =~ s/\n.*//s if $syntax;
    $fields{message} = $message;
    return \%fields;
}

# Runs. The source is compiled in the package main, without the driver's own variables in sight.

sub run {
    my ($request) = @_;
    my $name = $request->{name} // 'cell';
    my %done = (run => $request->{run});
    my $source = $request->{source};
    utf8::encode($source); # as in a file: a program that says use utf8 has characters
    my ($ok, $value, $error) = Quire::Cell::evaluate($source, $name);
    $| = 1;
    if ($ok) {
        if (defined $value && has_value($source)) {
            my $data = eval { represent($value) } // { 'text/plain' => "$value" };
            send_message('result', data => $data);
        }
    } elsif (ref $error eq 'Quire::Exit') {
        if ($error->{status} == 0) { $done{exit} = 'kept' }
        else { $done{error} = { name => 'SystemExit', message => "exit status $error->{status}", trace => ["exit $error->{status}"] } }
    } else {
        $done{error} = describe($error, $name);
    }
    send_message('done', %done);
}

# has_value says whether the last statement of a source gives the value of the cell: no semicolon or block ends it.
sub has_value {
    my ($source) = @_;
    1 while $source =~ s/(?:^|\n)[ \t]*(?:#[^\n]*)?\s*\z//;
    my ($last) = $source =~ /([^\n]*)\z/;
    return 0 if $last =~ /;\s*(?:#[^'"]*)?\z/ || $last =~ /^\s*\}\s*\z/;
    return $last !~ /^\s*(?:sub|if|unless|for|foreach|while|until|package|BEGIN|END|use|no)\b/;
}

# Questions of the host about the program.

my %before; # the names that are there from the start

sub symbols {
    my @found;
    no strict 'refs';
    for my $name (sort keys %main::) {
        next if $name !~ /^[A-Za-z]\w*$/ || $before{$name} || $name =~ /^(?:ENV|INC|ARGV|STD\w+|a|b|BEGIN|END)$/;
        my $glob = \$main::{$name};
        next if ref $glob ne 'GLOB' && ref $glob ne 'REF' && ref $glob ne 'SCALAR' && ref $glob ne 'CODE';
        push @found, ["\$$name", ${"main::$name"}] if defined ${"main::$name"};
        push @found, ["\@$name", \@{"main::$name"}] if @{"main::$name"};
        push @found, ["%$name", \%{"main::$name"}] if %{"main::$name"};
        push @found, ["&$name", undef] if defined &{"main::$name"};
    }
    return @found;
}

sub variables {
    my @list;
    for (symbols()) {
        my ($name, $value) = @$_;
        next if $name =~ /^&/;
        my $type = $name =~ /^@/ ? 'array' : $name =~ /^%/ ? 'hash' : ref $value || 'scalar';
        my $preview = shown($value);
        $preview =~ s/\s+/ /g;
        $preview = substr($preview, 0, 199) . "\x{2026}" if length $preview > 200;
        my %entry = (name => $name, type => $type, preview => $preview);
        $entry{shape} = '' . ($name =~ /^@/ ? scalar @$value : scalar keys %$value) if $name =~ /^[@%]/;
        push @list, \%entry;
    }
    return \@list;
}

my @words = qw(abs atan2 bless chomp chop chr close cos defined delete die do each else elsif eof eval exists exit exp for foreach grep hex if index int
    join keys last lc lcfirst length local log map my next no oct open ord our package pop pos print printf push qw rand read redo ref require return
    reverse say scalar shift sin sleep sort splice split sprintf sqrt srand sub substr tr uc ucfirst undef unless unshift until use values wantarray warn
    while write);

sub units { my ($text) = @_; return length($text) + (() = $text =~ /[\x{10000}-\x{10ffff}]/g) }

# split_at returns the parts of a source before and behind a place in UTF-16 units.
sub split_at {
    my ($source, $cursor) = @_;
    my ($at, $units) = (0, 0);
    while ($units < $cursor && $at < length $source) {
        $units += ord(substr $source, $at, 1) > 0xffff ? 2 : 1;
        $at++;
    }
    return (substr($source, 0, $at), substr($source, $at));
}

sub complete {
    my ($source, $cursor) = @_;
    my ($before) = split_at($source, $cursor);
    my ($sigil, $start) = $before =~ /([\$\@%&]?)(\w*)\z/;
    my %kinds = $sigil ? () : map { $_ => 'keyword' } @words;
    for (symbols()) {
        my ($name) = @$_;
        if ($name =~ /^&(.*)/) { $kinds{ $sigil eq '&' ? $name : $1 } = 'function' if $sigil eq '' || $sigil eq '&' }
        elsif ($sigil) {
            $kinds{$name} = 'variable' if index($name, $sigil) == 0;
            $kinds{'$' . substr $name, 1} = 'variable' if $sigil eq '$';
        }
    }
    my $prefix = "$sigil$start";
    my @items = map { { text => $_, kind => $kinds{$_} } } grep { index($_, $prefix) == 0 } sort keys %kinds;
    my $end = units($before);
    return { start => $end - units($prefix), end => $end, items => \@items };
}

sub look_up {
    my ($source, $cursor) = @_;
    my ($before, $after) = split_at($source, $cursor);
    my ($left) = $before =~ /([\$\@%&]?\w*)\z/;
    my ($right) = $after =~ /\A(\w*)/;
    my $word = $left . $right;
    if ($word eq '') { ($word) = $before =~ /(\w+)\s*\([^()]*\z/ }
    return { found => JSON::PP::false() } unless defined $word && $word =~ /\w/;
    for (symbols()) {
        my ($name, $value) = @$_;
        if ($name eq $word) {
            return { found => JSON::PP::true(), data => { 'text/plain' => "$name = " . shown($value) } };
        }
        if ($name eq "&$word") {
            return { found => JSON::PP::true(), signature => "sub $word", data => { 'text/plain' => "sub $word" } };
        }
    }
    return { found => JSON::PP::false() };
}

sub value_named {
    my ($name) = @_;
    $name = "\$$name" if $name !~ /^[\$\@%]/;
    for (symbols()) { return $_->[1] if $_->[0] eq $name }
    die "there is no variable $name\n";
}

sub set_named {
    my ($name, $value) = @_;
    my ($sigil, $plain) = $name =~ /^([\$\@%]?)(\w+)\z/ or die "$name is no name of a variable\n";
    no strict 'refs';
    if ($sigil eq '@') { @{"main::$plain"} = @$value }
    elsif ($sigil eq '%') { %{"main::$plain"} = %$value }
    else { ${"main::$plain"} = $value }
    return undef;
}

sub reset_all {
    no strict 'refs';
    for (symbols()) {
        my ($sigil, $name) = $_->[0] =~ /^(.)(.*)/;
        if ($sigil eq '&') { undef &{"main::$name"} }
        elsif ($sigil eq '@') { @{"main::$name"} = () }
        elsif ($sigil eq '%') { %{"main::$name"} = () }
        else { undef ${"main::$name"} }
    }
    return undef;
}

sub answer {
    my ($request) = @_;
    my $method = $request->{method};
    my $value = eval {
          $method eq 'complete'  ? complete($request->{source} // '', $request->{cursor} // 0)
        : $method eq 'inspect'   ? look_up($request->{source} // '', $request->{cursor} // 0)
        : $method eq 'variables' ? variables()
        : $method eq 'reset'     ? reset_all()
        : $method eq 'get'       ? value_named($request->{name})
        : $method eq 'set'       ? set_named($request->{name}, $request->{value})
        :                          die "there is no method $method\n";
    };
    my %reply = (id => $request->{id});
    if ($@) { my $error = "$@"; chomp $error; $reply{error} = { name => 'Error', message => $error } }
    else { $reply{value} = $value }
    send_message('reply', %reply);
}

sub prepare {
    require Scalar::Util;
    require overload;
    $json = JSON::PP->new->utf8->allow_nonref->allow_blessed->convert_blessed;
    open($requests, '<:raw', '/quire/requests') or die "open the requests: $!";
    open($messages, '>:raw', '/quire/messages') or die "open the messages: $!";
    select((select($messages), $| = 1)[0]);
    select((select(STDERR), $| = 1)[0]);
    $| = 1;
    tie *STDIN, 'Quire::Answers';
    no warnings 'once';
    *CORE::GLOBAL::exit = sub (;$) { die bless({ status => $_[0] // 0 }, 'Quire::Exit') };
    *CORE::GLOBAL::sleep = sub (;$) {
        my $began = time;
        send_message('sleep', seconds => 0 + ($_[0] // 1e9));
        host_wait();
        return time - $began;
    };
    %ENV = ();
    $0 = 'notebook';
    @ARGV = ();
    chdir '/notebook' if -d '/notebook';
    *main::display = \&display;
    *main::clear_output = \&clear_output;
    $before{$_} = 1 for keys %main::;
}

sub serve {
    prepare();
    send_message('ready', version => sprintf('%vd', $^V));
    while (my $request = receive()) {
        if ($request->{type} eq 'run') { run($request) }
        elsif ($request->{type} eq 'call') { answer($request) }
    }
}

package Quire::Cell;

# evaluate compiles and executes a source. Nothing of the driver is in its scope but the two arguments.
sub evaluate {
    no strict;
    no warnings;
    local $@;
    local $_;
    my $value = eval "package main;\nno strict; use warnings; use feature ':5.36';\n#line 1 \"$_[1]\"\n$_[0]";
    return $@ ? (0, undef, $@) : (1, $value);
}

package main;
Quire::serve();
1;
