#!/usr/bin/env bash
# Suppressions: what they hide, what they say about it, where their mistakes are.
. "$(dirname "$0")/../lib.sh"

cat >two.std <<'EOT'
T1|w(stats.hits)|log.c:1
T1|w(total)|a.c:1
T2|w(stats.hits)|log.c:2
T2|w(total)|a.c:2
EOT
run foresee check two.std
has out '^2 findings \(2 races\)' "two races"

cat >rules <<'EOT'
# counters may be off
race:variable:stats.*

race:function:nobody
EOT
run foresee check --suppress rules two.std
is "$status" 1 "one is left: status"
has out '^1  data race on total ' "the other, with number 1"
hasnt out 'data race on stats' "the suppressed one is gone"
has out '^1 suppressed:$' "it is counted"
has out '^  1 by race:variable:stats\.\* \(line 2\)$' "by rule"
hasnt err 'nobody' "an unused rule is not told of"
run foresee check -v --suppress rules two.std
has err "^  rule 'race:function:nobody' \(line 4\) has hidden nothing" "but is with -v"

echo '*:file:*.c' >all
run foresee check --suppress all two.std
is "$status" 0 "all suppressed: status"
has out '^no finding but those suppressed\.' "in words"
has out '^2 suppressed:$' "both are counted"
run foresee check --suppress all -f json two.std
has out '"findings": \[\], "suppressed": 2' "and in JSON"
run foresee check --suppress rules two.std two.std
is "$(grep -c '^  1 by race:variable:stats' out)" 2 "counted for each trace"

printf 'race:variable:x\n  race:colour:red\n' >wrong
run foresee check --suppress wrong two.std
is "$status" 2 "a wrong rule: status"
has err "^foresee: wrong:2:8: expected variable, lock, function, file or property, not 'colour'$" "and its place"
done_testing
