#!/usr/bin/env bash
# verify: consistent, or the first contradiction.
. "$(dirname "$0")/../lib.sh"

printf '#fmt 1\nT1|w(x)=5|1\nT2|r(x)=5|2\nT2|r(x)!unknown=6|3\n' >good.std
run foresee verify good.std
is "$status" 0 "a good trace"
has out '^consistent: 3 events, 2 reads checked, 1 unknown$' "in numbers"
is "$(wc -l <out)" 1 "in one line"

printf '#fmt 1\nT1|w(x)=5|1\nT2|r(x)=6|2\n' >bad.std
run foresee verify bad.std
is "$status" 1 "a read of a value nobody wrote"
has out '^not consistent: event 2 ' "is named"

printf 'T1|rel(m)|1\n' >broken.std
run foresee verify broken.std
is "$status" 2 "a trace that cannot be read"
run foresee verify /dev/null
is "$status" 2 "an empty file"
has err 'is empty: not a trace' "is no trace"
run foresee verify nosuch.foresee
is "$status" 2 "a trace that is not there"
done_testing
