#!/usr/bin/env bash
# Programs of which it is known how many orders make a difference: explore runs each of them once.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

# The program, its orders, and how many different deadlocks there are among them.
cat >table <<'END'
SB             3
MP             3
LB             3
2+2W           3
CoRR           3
WRC            7
IRIW           15
writers3       6
writers4       24
rw2            4
rw3            36
add2           2
add3           6
add4           24
swap3          6
independent    1
readers2       4
readers3       8
readers4       16
lastzero2      5
lastzero3      12
lastzero4      28
lastzero5      64
locked2        2
locked3        6
ABBA           3   1
gate           2
philosophers3  7   1
trylock        3
recursive      2
spin           6
rwlock         4
lost           3   1
condition      2
waiters        8   2
semaphore      2
posts          8
barrier        1
once           2
made           2
END

foresee-cc -g -O1 -pthread "$SRC/tests/programs/explore/counts.c" -o counts || exit 2
while read -r name orders deadlocks; do
	run timeout 600 foresee explore -q --time 600 --strategy dpor --all ./counts "$name"
	has out "; these are all that make a difference, $orders orders?\$" "$name: $orders orders"
	is "$(grep -c '^[0-9]*  deadlock, in a schedule' out)" "${deadlocks:-0}" "$name: ${deadlocks:-no} deadlocks"
	is "$status" $((${deadlocks:-0} > 0)) "$name: status"
done <table
is "$(sort table | awk '{ print $1 }')" "$(sed -n 's/^\t{ "\([^"]*\)", .*/\1/p' "$SRC/tests/programs/explore/counts.c" | sort)" "the table has all of them"
done_testing
