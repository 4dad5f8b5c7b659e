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

# Lock trees.
cat >trees.std <<'EOT'
T1|acq(a)|a.c:1:one
T1|acq(b)|a.c:2:one
T1|rel(b)|a.c:3:one
T1|rel(a)|a.c:4:one
T1|acq(a)|a.c:5:one
T1|acq(c)|a.c:6:one
T1|rel(c)|a.c:7:one
T1|rel(a)|a.c:8:one
T2|acq(a)|b.c:1
T2|acq(b)|b.c:2
T2|rel(a)|b.c:3
T2|rel(b)|b.c:4
T3|w(x)|b.c:9
EOT
run foresee print --lock-trees trees.std
is "$status" 0 "--lock-trees"
cat >want <<'EOT'
T1
  a    2 times  a.c:1 in one
    b  1 time  a.c:2 in one
    c  1 time  a.c:6 in one
T2 does not nest its locks (event 11): it has no tree
EOT
same out want "which locks inside which; a thread without"
cp out all
foresee print --lock-trees - <trees.std >out 2>err
same out all "from standard input"
run foresee print --lock-trees --thread T1 trees.std
is "$(cat out)" "$(head -4 all)" "of one thread"
run foresee print --lock-trees --thread T9 trees.std
is "$status:$(cat out)" "0:" "of none"
for ((i = 0; i < 150; i++)); do
	for ((j = 0; j < 100; j++)); do
		printf 'T1|acq(k%d)|1\nT1|acq(l%d)|2\nT1|rel(l%d)|3\nT1|rel(k%d)|4\n' $i $j $j $i
	done
done >many.std
run foresee print --lock-trees many.std
is "$(wc -l <out)" 10002 "of very many the first"
has out '^  \.\.\. 5150 more$' "and how many more"
printf 'T1|acq(a)|1\nT1|oops|3\n' >t.std
run foresee print --lock-trees t.std
is "$status" 2 "trees of what is no trace: status"
has err "t\.std.*2" "and where"

# Dependencies.
cat >depends.std <<'EOT'
T1|w(a)|m.c:1
T1|fork(T2)|m.c:2
T1|fork(T3)|m.c:3
T1|fork(T4)|m.c:4
T2|r(x)|a.c:1:one
T3|w(x)|b.c:1:two
T3|r(a)|b.c:2:two
T4|w(y)|c.c:1
T1|join(T2)|m.c:5
T1|join(T4)|m.c:6
EOT
run foresee print --dependencies depends.std
is "$status" 0 "--dependencies"
cat >want <<'EOT'
T1
  joins T2
  joins T4
T2
  is made by T1
  reads what T3 writes                        x  a.c:1 in one
T3
  is made by T1
  reads what T1 writes                        a  b.c:2 in two
T4
  is made by T1

windows
  data race on x, a.c:1 in one and b.c:1 in two (predicted, certified)
    T2, T3 and those whom they depend on: T1; 3 of 4 threads
EOT
same out want "who depends on whom and why; the window of a race"
cp out all
foresee print --dependencies - <depends.std >out 2>err
same out all "from standard input"
run foresee print --dependencies --thread T4 depends.std
is "$(cat out)" "T4
  is made by T1" "of one thread"
run foresee print --dependencies --thread T9 depends.std
is "$status:$(cat out)" "0:" "of none"
run foresee print --dependencies t.std
is "$status" 2 "dependencies of what is no trace: status"
has err "t\.std.*2" "and where"
done_testing
