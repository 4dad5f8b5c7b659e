#!/usr/bin/env bash
# "No race in any run" is said where nothing is missing; else it is said what is, each thing by its name.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

${CC:-cc} -O1 -c -o order.o "$SRC/tests/programs/order.c" || exit 2
foresee-cc -g -O1 -I"$SRC/tests/programs" "$SRC/tests/programs/reasons.c" order.o -o prog -pthread || exit 2

# because REASON NAME OPTIONS...: check of t.foresee or t.std finds nothing, and says why that is no proof.
because() {
	local reason=$1 name=$2
	shift 2
	run foresee check -q "$@"
	[ "$status" = 0 ] || note out
	is "$status" 0 "$name: nothing is found"
	has out '^no [a-z ]+ found\.' "$name: not for sure"
	has out "^    $reason\$" "$name: that is why"
	run foresee check -q -f json "$@"
	has out "\"exhaustive\": false, \"not_exhaustive_because\": \\[.*\"$reason\"" "$name: in JSON"
}

# recorded WHAT OPTIONS...
recorded() {
	local what=$1
	shift
	foresee record -q -o t.foresee "$@" ./prog "$what" >native 2>&1
}

recorded plain
run foresee check -q t.foresee
has out '^no race or deadlock in any run that the recording proves possible\.' "a run of which nothing is missing"
run foresee check -q -f json t.foresee
has out '"exhaustive": true, "not_exhaustive_because": \[\]' "in JSON"

because 'these analyses see some races only' 'a stream engine' -a hb t.foresee
because 'these analyses see some deadlocks only' 'goodlock' -a goodlock t.foresee
recorded plain --only y
because 'accesses are missing by request \(--only, --ignore\)' '--only' t.foresee
recorded plain --locks-only
because 'no accesses were recorded \(--locks-only\)' '--locks-only' t.foresee
recorded killed
because 'the program was killed' 'SIGKILL' t.foresee
recorded running --linger 0
because '1 thread still ran at the end of the recording' 'a thread that runs' t.foresee

# The same order, from a library.
${CC:-cc} -shared -fPIC -O1 -o liborder.so "$SRC/tests/programs/order.c" || exit 2
foresee-cc -g -O1 -I"$SRC/tests/programs" "$SRC/tests/programs/reasons.c" -o prog -L. -lorder \
	-Wl,-rpath,"$PWD" -pthread || exit 2
recorded library
because 'code that is not instrumented was called and may order or use anything' 'a library' t.foresee

recorded plain
size=$(stat -c %s t.foresee)
head -c $((size - 4096)) t.foresee >cut.foresee
because 'the recording does not hold the whole run' 'a file that was cut' cut.foresee

# In text, what a recording would say.
text() { printf '#fmt 1\n'"$1" >t.std; }
text 'T1|r(x)!unknown|1\nT1|w(y)|2\nT1|fork(T2)|3\nT2|r(y)|4\n'
because '1 read saw what unseen code wrote' 'an unseen write' t.std
text 'T1|tryfail(m)!refused|1\nT1|w(y)|2\nT1|fork(T2)|3\nT2|r(y)|4\n'
because '1 call failed, and why is not recorded' 'a call that was refused' t.std
text 'T1|oncepass(o)|1\nT1|w(y)|2\nT1|fork(T2)|3\nT2|r(y)|4\n'
because 'what 1 thread did could not be followed to the end' 'a once that nobody ran' t.std

sed -n 's/^  //p' "$SRC/tests/cases/races/v61_wcp_false.case" >t.std
run foresee check -q -a races --budget 1 -f json t.std
is "$status" 3 "a budget that ran out: status"
has out '"not_exhaustive_because": \["races: budget spent on 1 pairs of places"\]' "a budget that ran out"

# What was refuted for want of knowledge was not refuted exactly.
text 'T1|fork(T2)|1\nT2|tryfail(m)!refused|2\nT2|w(y)|3\nT1|w(y)|4\n'
run foresee check -q t.std
has out '1 candidate pair of places: 1 refuted in what could be followed\.' "candidates, too"
done_testing
