#!/usr/bin/env bash
# Programs that hang in a condition wait: run stops them, and finds that.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

here=$SRC/tests/programs/deadlock
${CC:-cc} -O1 -c -o order.o "$here/../order.c" || exit 2

# hung NAME KIND TITLE
hung() {
	ok "$1 builds" foresee-cc -g -O1 -D_GNU_SOURCE -pthread "$here/$1.c" order.o -o "$1"
	run timeout 30 foresee run -a deadlocks --trace "$1.foresee" "./$1"
	is "$status" 1 "$1: something is found"
	has err 'the program hung and was stopped' "$1: after it was stopped"
	has out "^1  $3 .*predicted, certified\$" "$1: its title"
	cp out "$1.out"
	has out "^1 finding \\(1 $2\\)" "$1: its kind"
	foresee check -q -a deadlocks --witness-dir "$1.w" -o /dev/null "$1.foresee"
	run foresee verify "$1.foresee" "$1.w/1.witness"
	has out "^certified: $2 of events " "$1: which is certified"
}

hung nested_hang wait-holding-lock 'deadlock of T2 and T3 on table and a wait on filled'
has nested_hang.out 'It happened in the recorded run: that ended there\.$' "nested_hang: it happened"
hung lost_hang lost-wakeup 'lost wakeup of T2 on c'
has lost_hang.out 'It happened in the recorded run: that ended there\.$' "lost_hang: it happened"
done_testing
