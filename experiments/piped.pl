#!/usr/bin/env perl
# A bot in another language that lets the planner think, for `cmd:`: one `planner engine` for the whole match, asked
# for a plan before every action. Needs nothing but Perl itself, so it cuts the JSON where it must; a program with a
# JSON library would read it. docs/how-to/bots.md has both protocols.
use strict;
use warnings;
use IPC::Open2;

my $weights = shift // 'aggro_face';
my $engine = open2(my $answers, my $requests, $ENV{PLANNER} // 'planner', 'engine');
$| = 1;
while (my $question = <STDIN>) {
    my ($state, $legal) = $question =~ /"state":(\{.*\}),"legal":\[(.*)\]\}$/ or die "not a question: $question";
    my ($first) = $legal =~ /^(\{[^}]*\})/;
    my ($last) = $legal =~ /(\{[^}]*\})$/;
    if ($first =~ /"type":"mulligan"/) { print "$first\n"; next }    # the first one keeps all cards
    print {$requests} qq({"state":$state,"weights":"$weights"}\n);
    $requests->flush;
    my $answer = <$answers> // die "the engine has gone\n";
    warn $answer if $answer =~ /"error":/;    # on stderr, where a tournament keeps it
    print $answer =~ /"actions":\[(\{[^}]*\})/ ? $1 : $last, "\n";    # the last legal action ends the turn
}
close $requests;
waitpid $engine, 0;
