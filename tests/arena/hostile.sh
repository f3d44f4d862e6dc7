#!/bin/sh
# A program that nobody would invite: it passes until its third turn, and then the seed's last two digits decide.
misbehaviour=''
while IFS= read -r question; do
    seed=${question#*\"seed\":} seed=${seed%%,*}
    turn=${question#*\"turn\":} turn=${turn%%,*}
    digits=${seed#"${seed%??}"}
    [ "$turn" -lt 3 ] || misbehaviour=$((${digits#0} % 18))
    case $misbehaviour in
    0) echo 'hello, referee' ;;
    1) printf '{"type": "end' && sleep 1000 ;;
    2) head -c 3000000 /dev/zero | tr '\0' x && echo ;;
    3) exit 3 ;;
    4) kill -9 $$ ;;
    5) head -c 3000000 /dev/zero | tr '\0' e >&2 && echo 'last words' >&2 && echo '{"type":"end_turn"}' ;;
    6) sleep 1000 ;;
    7) trap '' TERM INT HUP && while :; do sleep 1; done ;;
    8) sleep 1000 & echo '{"type":"end_turn"}' ;;
    9) echo '{"type":"end_turn"}' && echo '{"type":"end_turn"}' ;;
    10) exec >&- && sleep 1000 ;;
    11) echo '{"type":"attack","attacker":"me.hero","target":"enemy.hero"}' ;;
    12) head -c 90000 /dev/zero | tr '\0' '[' && echo ;;
    13) printf '\377\376\n' ;;
    14) echo 'null' ;;
    15) printf '{"type":"end_turn"}' && exit 0 ;;
    16) a=xxxxxxxx && while :; do a=$a$a; done ;;
    17) exec <&- && echo '{"type":"end_turn"}' && sleep 1000 ;;
    *) echo '{"type":"end_turn"}' ;;
    esac
done
