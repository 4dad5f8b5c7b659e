#!/usr/bin/env bash
# Events as lines for people: numbers, ranges, threads.
. "$(dirname "$0")/../lib.sh"

trace=$SRC/tests/cases/std/every_op.std
events=$(grep -Evc '^(#|$)' "$trace")
run foresee print "$trace"
is "$status" 0 "print"
is "$(wc -l <out)" "$events" "a line for each event"
has out '^ +4  T1:4 +write +x  = 7  fed by :3 +5$' "a write with value and feeds"
has out '^ +5  T1:5 +rmw +c  = 6 -> 7  free  fed by :5  relaxed +6$' "an rmw"
has out '^ +16  T2:6 +wake +cv  by T1:10 +10$' "a wake names its signal"
has out '^ +8 .* buf, 16 bytes  = \[00 01 .* 0f\]  copy' "long values are bytes"
hasnt out ' $' "no blanks at the end"
cp out all

run foresee print --from 10 --to 12 "$trace"
is "$(awk '{ print $1 }' out | tr '\n' ' ')" "10 11 12 " "--from --to"
run foresee print --from "$events" "$trace"
is "$(wc -l <out)" 1 "--from the last"
run foresee print --from $((events + 1)) "$trace"
is "$status:$(wc -l <out)" "0:0" "--from past the end"
run foresee print --from 9 --to 8 "$trace"
is "$(wc -l <out)" 0 "an empty range"
run foresee print --thread T2 "$trace"
is "$(wc -l <out)" "$(grep -c ' T2:[0-9]' all)" "--thread"
hasnt out 'T1:[0-9]+ +write' "and no other"
run foresee print --thread T9 "$trace"
is "$(wc -l <out)" 0 "a thread that is not there"

run foresee print --sites "$trace"
is "$status" 0 "--sites"
has out '^ +1  none +0  1$' "places"

printf 'T1|w(x)|1\nT1|w(x)|2\nT1|oops|3\n' >t.std
run foresee print --to 2 t.std
is "$status" 0 "what lies past --to is not looked at"
is "$(wc -l <out)" 2 "and two lines come"
run foresee print t.std
is "$status:$(wc -l <out)" "2:2" "an error comes after the events before it"
done_testing
