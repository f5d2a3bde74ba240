# The words of a text by how often they come, and which of them are anagrams: the standard library of Perl alone.
#   quire eval --file words.pl
#   quire eval --file words.pl --engine perl-wasm
use strict;
use warnings;
use List::Util qw(sum max first);
use JSON::PP;

my $text = <<'END';
Listen, silent night. The night is silent; enlist the stars,
and listen: the rats see a star.
END

my %count;
$count{lc $1}++ while $text =~ /(\w+)/g;
my $widest = max(map { length } keys %count);

for my $word (sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count) {
    next if $count{$word} < 2;
    printf "%-${widest}s %s\n", $word, '*' x $count{$word};
}

my %anagrams;
push @{ $anagrams{ join '', sort split //, $_ } }, $_ for sort keys %count;
for my $letters (sort keys %anagrams) {
    my @words = @{ $anagrams{$letters} };
    print join(' = ', @words), "\n" if @words > 1;
}

my $long = first { length == $widest } sort keys %count;
print JSON::PP->new->canonical->encode({ words => scalar keys %count, all => sum(values %count), long => $long }), "\n";
eval { die { code => 7 } };
print "caught: $@->{code}\n";
