#!/usr/bin/env bash
# -a csp: what is certified, refuted or neither, and how the report says so.  tests/csp has the searches.
. "$(dirname "$0")/../lib.sh"

# A flag that orders what it hands over.
printf '%s\n' 'T1|w(x)|1' 'T1|w(f)|2' 'T2|r(f)|3' 'T2|w(x)|4' >flag.std
run foresee check -q -a csp flag.std
is "$status" 1 "a flag: status"
has out '^1 +data race on f .*predicted, certified' "the flag races"
has out '^1 finding .*2 checks, 2 violated: 1 certified, 1 refuted\.$' "found, certified, refuted"
hasnt out 'race on x' "what is refuted is not listed"
run foresee check -q -v -a csp flag.std
has out '^2 +data race on x .*warning' "but with -v"
has out 'refuted: no order .*the order that .csp. gives does not hold: event 3 ' "with the rule that is broken"
run foresee check -q -a csp -f json flag.std
has out '"counts": {"checks": 2, "candidates": 2, "predicted": 1, "refuted": 1,' "in JSON too"

printf '%s\n' 'T1|acq(l)|1' 'T1|w(x)|2' 'T1|rel(l)|3' 'T2|acq(l)|4' 'T2|r(x)|5' 'T2|rel(l)|6' >lock.std
run foresee check -q -a csp lock.std
is "$status" 0 "a lock: status"
has out '^no race found\. 0 checks, 0 violated\.' "there is nothing to check"
hasnt out 'in any run' "which is no proof"

# All that is found has a witness that verify takes.
run foresee check -q -a csp --witness-dir w flag.std
ok "the witness" foresee verify flag.std w/1.witness

# A budget: two states are not enough for a gate.
cat >gate.std <<'END'
T0|acq(g)|1
T0|fork(T1)|2
T1|w(x)|3
T0|join(T1)|4
T0|rel(g)|5
T2|acq(g)|6
T2|r(x)|7
T2|rel(g)|8
END
run foresee check -q -a csp gate.std
has out '^no race found\. 1 check, 0 violated\.' "a gate holds"
run foresee check -q -a csp --budget 1 gate.std
is "$status" 3 "with a budget: status"
has out 'csp: 1 of 1 checks not finished' "and says so"
run foresee check -q -a csp,races flag.std
has out 'csp: 2 checks, 2 violated: 1 certified, 1 refuted\. races: ' "beside another analysis"
done_testing
