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
echo 'T1|foo|1' >t.std
run foresee stats --lenient t.std
is "$status" 2 "bad syntax stays an error"
done_testing
