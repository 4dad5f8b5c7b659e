#!/usr/bin/env bash
# Memory used after its free, and freed twice, where the recorded run itself did it: a finding though
# nothing races.  Memory that somebody has got again is not stale, seen or not.
. "$(dirname "$0")/../lib.sh"

foresee-cc -g -O1 "$SRC/tests/programs/stale.c" -o prog -lpthread || exit 2

# stale WHAT KIND USE
stale() {
	foresee record -q -o t.foresee ./prog "$1" >native 2>&1
	run foresee check -q -a "${4-races}" -f json t.foresee
	is "$status" 1 "$1: something is found"
	has out "\"kind\": \"$2\", \"analysis\": \"lifetime\", \"status\": \"observed\"" "$1: $2"
	has out '"op": "free"' "$1: the free"
	has out "\"op\": \"$3\"" "$1: the $3"
	has out '"function": "(main|go_on)"' "$1: where"
}

# clean WHAT
clean() {
	run foresee record -q -o t.foresee ./prog "$1"
	is "$status" 0 "$1: the program ends well"
	run foresee check -a races t.foresee
	is "$status" 0 "$1: nothing is found"
	[ "$status" = 0 ] || note out
}

stale own use-after-free read
stale write use-after-free write
stale clear use-after-free write
stale lock use-after-free lock deadlocks
stale twice double-free free

foresee record -q -o t.foresee ./prog write
run foresee check t.foresee
has out '^1  use after free of job.result \(4 bytes at \+72 in heap#1 of 88 bytes\)  *it happened$' "what"
has out '^   T2  free   .*stale\.c:[0-9]* in end_job  *holds guard' "who has freed it, and where"
has out '^   T1  write  .*stale\.c:[0-9]* in main  *no lock held' "who has used it"
has out 'heap#1 was allocated by T1 at .*stale\.c' "where it comes from"
has out '^1 finding \(1 use-after-free\)\.' "the sum"
hasnt out 'witness-dir' "there is nothing to verify"

echo 'use-after-free:variable:job.result' >rules
run foresee check --suppress rules t.foresee
is "$status" 0 "it can be suppressed by its kind"

# What free leaves in a block, unseen code has written: nothing is certified that needs a read of it.
stale goes-on use-after-free read
has out '"kind": "race", "analysis": "races", "status": "warning"' "goes-on: a race after it"
has out '"why": "a read in it saw what code that was not recorded had written"' "goes-on: why no more"

clean again
clean grown
clean unseen
clean mapped
clean arena

# A trace of text says what happened in its order; two who are not ordered race, which says it all.
printf '#fmt 1\nT1|alloc(p:16)|1\nT1|free(p:16)|2\nT1|fork(T2)|3\nT2|w(p+8:4)|4\n' >t.std
run foresee check -q -f json t.std
has out '"kind": "use-after-free"' "in text"
has out '"events": \[2, 4\]' "in text: its events"
sed -i 's/^T1|fork.*/T1|alloc(p:16)|3\nT1|fork(T2)|5/' t.std
run foresee check -q t.std
is "$status" 0 "in text: allocated again"
printf '#fmt 1\nT1|free(y)|1\nT2|w(y)|2\n' >t.std
run foresee check -q -f json t.std
hasnt out 'use-after-free' "what a race tells is told once"
has out '"kind": "race"' "and that is the race"
# What is proven has a witness; what happened needs none.
printf '#fmt 1\nT2|w(z)|1\nT2|free(z)|2\nT2|r(z:4)|3\nT2|w(q)|4\nT1|w(q)|5\n' >text.std
run foresee check text.std
has out '^verify one: +foresee verify text.std text.proofs/2\.witness$' "what to type next is of the race"
done_testing
