#!/usr/bin/env bash
# --lenient drops what cannot have happened, says so, and goes on.
. "$(dirname "$0")/../lib.sh"

cat >t.std <<'EOT'
T1|rel(m)|1
T1|acq(m)|2
T2|acq(m)|3
T2|w(x)|4
T2|rel(m)|5
T1|rel(m)|6
T1|fork(T2)|7
T1|join(2)|8
T2|r(x)|9
T1|end|10
T1|r(x)|11
EOT
run foresee print --std t.std
is "$status" 2 "strictly, it is refused"
has err '^foresee: t.std:1:8: release of a lock that nobody holds \(--lenient drops such events\)$' \
	"and what would read it is named"
run foresee print --std --lenient t.std
is "$status" 0 "leniently, it is read"
cat >want <<'EOT'
T1|acq(m)|2
T2|w(x)|4
T1|rel(m)|6
T1|join(T2)|8
T1|r(x)|11
EOT
same out want "what is left"
is "$(grep -c 'event dropped' err)" 6 "a note for each event dropped"
has err '^foresee: note: t.std:3:8: acquire of a lock that thread .T1. holds; event dropped' "such as"
run foresee stats --lenient -f json t.std
has out '"complete": false' "no longer complete"
has out 't.std:1:8: release of a lock that nobody holds' "JSON has the notes"
run foresee stats --lenient -q t.std
is "$(cat err)" "" "-q leaves the notes out"

# What is to be typed next reads the trace in the same way.
printf '%s\n' 'T1|fork(T2)|1' 'T1|fork(T2)|2' 'T2|w(x)|3' 'T1|w(x)|4' >twice.std
run foresee check twice.std
has err "thread 'T2' was forked before, by 'T1' \(--lenient drops such events\)$" "a second fork: refused"
mkdir dir
run foresee check --lenient --witness-dir dir twice.std
has out '^   verify it:  foresee verify --lenient twice.std dir/1.witness$' "how the proof is verified"
run foresee verify --lenient twice.std dir/1.witness
is "$status" 0 "and it is"
run foresee check --lenient twice.std
has out '^keep the proofs:  foresee check --witness-dir twice.proofs --lenient twice.std$' "how to keep proofs"

echo 'T1|foo|1' >t.std
run foresee stats --lenient t.std
is "$status" 2 "bad syntax stays an error"
done_testing
