#!/usr/bin/env bash
# Twenty small scenarios, 14 with a race: each recorded by the compiler pass and under Valgrind, the race is
# predicted from either (of a binary, if the user says that no plain move is an atomic), and nothing where there is none.
. "$(dirname "$0")/../lib.sh"

[ -x "$FORESEE_ROOT/lib/foresee/valgrind/foresee-amd64-linux" ] || skip_all "foresee was built without Valgrind"

# Without the tools that it is compared with.
"$SRC/tests/perf/bench-scenarios.sh" --alone >table 2>err
is $? 0 "the table is made"
note err
while read -r scenario want pass valgrind bare; do
	is "$pass" "$want" "$scenario, by the pass"
	is "$valgrind" "$want" "$scenario, by Valgrind, and nothing is an atomic"
	[ "$bare" = - ] || is "$bare" "$want" "$scenario, as the binary shows"
done < <(awk '/^s[0-9]/ { print $1, $2, $3, $4, $5 }' table)
ok "what is changed in place is no atomic" grep -q '^s01_counter  *x  *x  *x  *x ' table
ok "a flag may be one" grep -q '^s02_flag  *f  *f  *f  *- ' table
is "$(grep -c '^s[0-9]' table)" 20 "all of them"
is "$(awk '/^s[0-9]/ && $2 != "-"' table | wc -l)" 14 "races in 14"
done_testing
