#!/bin/sh
# A bot without any library, for `cmd:`: it hits the enemy hero with all that it has, then plays its cards in the
# order of the hand, and ends its turn. Each line in is a question that lists the legal actions; one of them, as it
# stands there, is the answer. docs/how-to/bots.md has the protocol.
while IFS= read -r question; do
    legal=${question##*\"legal\":\[}
    answer='' best=0
    while [ "$legal" != ']}' ]; do
        action=${legal%%\}*}\}
        legal=${legal#*\}}
        legal=${legal#,}
        case $action in
        *'"type":"attack"'*'"target":"enemy.hero"'*) worth=4 ;;
        *'"type":"play"'*) worth=3 ;;
        *'"type":"attack"'*) worth=2 ;;
        *) worth=1 ;; # a mulligan that keeps all, the end of the turn
        esac
        if [ "$worth" -gt "$best" ]; then
            answer=$action best=$worth
        fi
    done
    printf '%s\n' "$answer"
done
