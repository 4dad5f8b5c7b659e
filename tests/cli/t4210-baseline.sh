#!/usr/bin/env bash
# Baselines: the same bug has the same fingerprint after an edit, only what is new counts, what is gone is told.
. "$(dirname "$0")/../lib.sh"

cat >pool.c <<'END'
#include <pthread.h>
static int hits, misses;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void count(int *what)
{
	++*what;
}
static void *work(void *arg)
{
	hits++;
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, work, 0);
	pthread_create(&b, 0, work, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	count(&misses);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return 0;
}
END
# prints FILE: the fingerprints in it, sorted.
prints() {
	grep -o '"fingerprint": "[0-9a-f]*"' "$1" | sort
}
run foresee run -q -f json -o old.json pool.c
is "$status" 1 "a race"
is "$(prints old.json | grep -c '"[0-9a-f]\{16\}"')" "$(grep -o '"id":' old.json | wc -l)" "each finding has a fingerprint"
cp pool.c first.c
run foresee run -q -f json -o again.json pool.c
is "$(prints again.json)" "$(prints old.json)" "another run: the same"
run foresee run --baseline old.json pool.c
is "$status" 0 "all of it known: status"
has out "^baseline 'old.json': [1-9][0-9]* of these known, 0 gone\.$" "all of it known: said"
hasnt out 'The run that shows it' "what is known is told in a line"
run foresee run -v --baseline old.json pool.c
has out 'The run that shows it' "-v: in full"

# Lines move: nothing is new.
{ echo '/* one'; echo '   two */'; cat first.c; } >pool.c
run foresee run -q --baseline old.json pool.c
is "$status" 0 "lines have moved: nothing is new"

# Another race, and the old one mended.
sed 's/^\thits++;/\tpthread_mutex_lock(\&m); hits++; pthread_mutex_unlock(\&m); misses++;/' first.c >pool.c
run foresee run -q -f json --baseline old.json -o new.json pool.c
is "$status" 1 "a new one: status"
has new.json '"known": false' "it is not known"
has new.json '"gone": \[\{"fingerprint": "[0-9a-f]*", "kind": "race", "summary": "data race on .*hits' "the old one is gone"
run foresee run -q --baseline old.json pool.c
has out '^1  data race on .*misses' "the new one in full"
has out '^  gone: data race on .*hits' "the old one is told"
run foresee run -q -f sarif --baseline old.json pool.c
has out '"baselineState": "new"' "in SARIF"
run foresee run -q -f gcc --baseline new.json pool.c
is "$(cat out)" "" "gcc: what is known is no news"
is "$status" 0 "a report with a baseline is one itself"

run foresee diff old.json again.json
is "$status" 0 "diff of the same: status"
has out '^0 new, 0 gone, [1-9][0-9]* known$' "diff of the same"
run foresee diff old.json new.json
is "$status" 1 "diff: status"
has out '^new   data race on .*misses' "diff: what came"
has out '^gone  data race on .*hits' "diff: what went"
run foresee diff -q old.json new.json
is "$(wc -l <out)" 1 "diff -q: a line"
run foresee diff -f json old.json new.json
has out '^\{"foresee": 1, "new": \[\{"fingerprint": .*\], "gone": \[\{.*\], "known": \[\]\}$' "diff as JSON"
run foresee diff new.json - <old.json
is "$status" 2 "an empty input"

# Of several with one fingerprint as many are known as there were.
printf 'T1|w(x)|a.c:1\nT2|r(x)|b.c:4\n' >one.std
foresee check -q -f json -o one.json one.std
cat one.json one.json >twice.json
run foresee diff one.json twice.json
is "$status $(tail -1 out)" "1 1 new, 0 gone, 1 known" "one more"
run foresee diff twice.json one.json
is "$status $(tail -1 out)" "0 0 new, 1 gone, 1 known" "one less"
run foresee check --baseline twice.json one.std
has out "^baseline 'twice\.json': 1 of these known, 1 gone:$" "one less, in a report"

# What is no report of ours.
echo '{"foresee": 2, "findings": []}' >newer.json
echo '{"results": []}' >other.json
echo '{"foresee": 1, "findings": [{"id": 1}]}' >older.json
head -c 300 old.json >cut.json
: >empty.json
refused() {
	run foresee check --baseline "$1" one.std
	is "$status" 2 "$1: refused"
	has err "$2" "$1: why"
}
refused newer.json 'was written by a newer foresee \(version 2 of the report\)'
refused other.json "is no report of foresee: give one that was written with -f json"
refused older.json 'has a finding without a fingerprint: it was written by an older foresee'
refused cut.json '^foresee: cut\.json:1:[0-9]*: '
refused empty.json 'empty\.json:1:1: nothing in it'
refused nothere.json "cannot read 'nothere\.json'"
refused . "cannot read"

# Several traces, as of the tests of a project: one report, in which each finding is once.
printf 'T1|w(y)|c.c:1\nT2|w(y)|c.c:2\n' >two.std
run foresee check --together one.std two.std one.std
is "$status" 1 "together: status"
has out '^   first seen in trace 2 of 3: two\.std$' "together: who has shown it first"
has out '^3 traces, 2 findings: trace 1 found 1, trace 2 1 more; nothing new in the last 1$' "together: what each has added"
run foresee check --baseline one.json one.std two.std
is "$status" 1 "a baseline for several: one of the two is new"
has out "^baseline 'one\.json': 1 of these known, 0 gone\.$" "and one is known"
foresee check -q --together -f json -o both.json one.std two.std
has both.json '"runs": \[1, 1\], "findings": \[\{"id": 1, "run": 1, "trace": "one\.std"' "together as JSON"
run foresee check --baseline both.json two.std one.std
is "$status" 0 "which is a baseline, in whatever order they come"
run foresee check --baseline both.json two.std nothere.std
is "$status" 2 "one of them cannot be read"
has out '^  gone: data race on x' "what the others show is told"
run foresee check --together --on-finding 'echo "$FORESEE_TRACE: $FORESEE_OBJECT" >>told' --baseline one.json one.std two.std
is "$(cat told)" "two.std: y" "--on-finding: what is new"
run foresee check --together -f sarif one.std
is "$(python3 -c 'import json; r = json.load(open("out"))["runs"]; print(len(r), len(r[0]["results"]))')" "1 1" "together, of one trace"
run foresee check --together --witness-dir w one.std two.std
is "$status" 2 "proofs are of one trace"
run foresee diff one.json
is "$status" 2 "diff of one: refused"
done_testing
