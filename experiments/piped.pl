#!/usr/bin/env perl
# A bot for `cmd:` in another language that uses the planner: one `planner engine` process for the whole match, which
# plans before every action. It needs only Perl itself and therefore splits the JSON by patterns; use a JSON library in
# a real program. docs/how-to/bots.md describes both protocols.
use strict;
use warnings;
use IPC::Open2;

my $weights = shift // 'aggro_face';
my $engine = open2(my $answers, my $requests, $ENV{PLANNER} // 'planner', 'engine');
$| = 1;
while (my $request = <STDIN>) {
    my ($state, $legal) = $request =~ /"state":(\{.*\}),"legal":\[(.*)\]\}$/ or die "not a request: $request";
    my ($first) = $legal =~ /^(\{[^}]*\})/;
    my ($last) = $legal =~ /(\{[^}]*\})$/;
    if ($first =~ /"type":"mulligan"/) { print "$first\n"; next }    # the first action keeps all cards
    print {$requests} qq({"state":$state,"weights":"$weights"}\n);
    $requests->flush;
    my $answer = <$answers> // die "the engine has exited\n";
    warn $answer if $answer =~ /"error":/;    # on stderr, where a tournament keeps it
    print $answer =~ /"actions":\[(\{[^}]*\})/ ? $1 : $last, "\n";    # the last legal action ends the turn
}
close $requests;
waitpid $engine, 0;
