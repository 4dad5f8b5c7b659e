#!/usr/bin/env bash
# Text in, the same text out.
. "$(dirname "$0")/../lib.sh"

for f in "$SRC"/tests/cases/std/*.std; do
	name=$(basename "$f")
	grep -v -e '^$' -e '^# ' "$f" >want
	run foresee print --std "$f"
	is "$status" 0 "$name is read"
	same out want "$name comes back"
	foresee print --std - <"$f" >again
	same again want "$name comes back from standard input"
	foresee print "$f" >one
	foresee print again >two
	same one two "$name: the same events"
done

# #fmt 1 that says nothing more than STD becomes STD.
printf '#fmt 1\nT1|w(x)|1\nT1|acq(m)|2\n' >t.std
run foresee print --std t.std
printf 'T1|w(x)|1\nT1|acq(m)|2\n' >want
same out want "plain where plain will do"

# A recording through text.
if [ -x "$FORESEE_ROOT/bin/foresee-cc" ] && foresee-cc -g -O1 -pthread \
	"$SRC/tests/cases/std/two_threads.c" -o prog 2>err && foresee record -q -o r.foresee ./prog; then
	foresee print --std r.foresee >r.std
	has r.std '^#fmt 1$' "a recording needs #fmt 1"
	run foresee print --std r.std
	same out r.std "its text comes back"
	foresee stats -f json r.foresee | grep -o '"by_kind": {[^}]*}' >one
	foresee stats -f json r.std | grep -o '"by_kind": {[^}]*}' >two
	same one two "the same events by kind"
	ok "and it is consistent" foresee verify r.std
else
	note err
	fail "a recording to go through text"
fi
done_testing
