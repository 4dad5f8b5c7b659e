#!/usr/bin/env bash
# Twenty small scenarios, 14 with a race: each recorded by the compiler pass and under Valgrind, the race is
# predicted from either, and nothing where there is none.
. "$(dirname "$0")/../lib.sh"

[ -x "$FORESEE_ROOT/lib/foresee/valgrind/foresee-amd64-linux" ] || skip_all "foresee was built without Valgrind"

# Without the tools that it is compared with.
"$SRC/tests/perf/bench-scenarios.sh" --alone >table 2>err
is $? 0 "the table is made"
note err
while read -r scenario want pass valgrind; do
	is "$pass" "$want" "$scenario, by the pass"
	is "$valgrind" "$want" "$scenario, by Valgrind"
done < <(awk '/^s[0-9]/ { print $1, $2, $3, $4 }' table)
is "$(grep -c '^s[0-9]' table)" 20 "all of them"
is "$(awk '/^s[0-9]/ && $2 != "-"' table | wc -l)" 14 "races in 14"
done_testing
