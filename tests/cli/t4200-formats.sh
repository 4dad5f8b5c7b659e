#!/usr/bin/env bash
# Reports for other tools: SARIF by its schema, lines of compilers, Markdown; names that a program may have.
. "$(dirname "$0")/../lib.sh"
python=
for p in python3 /usr/bin/python3; do
	"$p" -c 'import jsonschema' 2>/dev/null && python=$p && break
done
[ -n "$python" ] || skip_all "no python3 with jsonschema"

# valid FILE NAME: it is SARIF.
valid() {
	if "$python" -c '
import json, jsonschema, sys
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' "$1" "$SRC/tests/cli/sarif.schema.json" 2>why; then
		pass "$2"
	else
		fail "$2"
		note why 5
	fi
}
# value FILE EXPRESSION: of the log s, its first run and that one's first result r.
value() {
	"$python" -c '
import json, sys
s = json.load(open(sys.argv[1]))
r = s["runs"][0]["results"][0] if s["runs"] and s["runs"][0]["results"] else None
print(eval(sys.argv[2]))' "$1" "$2"
}

mkdir 'a b' && cp "$SRC/examples/audit.c" "$SRC/examples/deadlock.c" 'a b'
run foresee run -q -f sarif -o audit.sarif 'a b/audit.c'
is "$status" 1 "a race: status"
valid audit.sarif "a race: SARIF"
is "$(value audit.sarif '[r["ruleId"], r["level"], s["runs"][0]["tool"]["driver"]["rules"][r["ruleIndex"]]["id"]]')" \
	"['race', 'error', 'race']" "its rule"
is "$(value audit.sarif 'r["locations"][0]["physicalLocation"]')" \
	"{'artifactLocation': {'uri': 'a%20b/audit.c', 'uriBaseId': '%SRCROOT%'}, 'region': {'startLine': 32, 'startColumn': 14}}" \
	"where: a path with a blank, relative to the working directory"
is "$(value audit.sarif '[f["id"] for f in r["codeFlows"][0]["threadFlows"]]')" "['T2', 'T3']" "a flow for each thread"
# The order across threads: the events of the witness, each once, and the two of the race last.
is "$(value audit.sarif 'sorted(l["executionOrder"] for f in r["codeFlows"][0]["threadFlows"] for l in f["locations"]) == list(range(1, 1 + sum(len(f["locations"]) for f in r["codeFlows"][0]["threadFlows"])))')" \
	True "steps are numbered across threads"
is "$(value audit.sarif '[l["location"]["physicalLocation"]["region"]["startLine"] for f in r["codeFlows"][0]["threadFlows"] for l in f["locations"] if l["importance"] == "essential"]')" \
	"[32, 52]" "the race is what matters in them"
run foresee run -q -f json -o audit.json 'a b/audit.c'
is "$(value audit.sarif 'r["partialFingerprints"]["foresee/v1"]')" \
	"$("$python" -c 'import json; print(json.load(open("audit.json"))["findings"][0]["fingerprint"])')" "the fingerprint is that of JSON"

run foresee run -q -f sarif -o deadlock.sarif 'a b/deadlock.c'
valid deadlock.sarif "a deadlock: SARIF"
is "$(value deadlock.sarif '[len(r["stacks"]), [len(k["frames"]) for k in r["stacks"]]]')" "[2, [3, 3]]" "with its stacks"
printf 'T1|w(x)|a.c:1\nT2|r(x)|b.c:4\n' >race.std
printf 'T1|w(x)|a.c:1\nT1|r(x)|b.c:4\n' >none.std
run foresee check -f sarif race.std none.std race.std
is "$status" 1 "several traces: status"
valid out "several traces: one log"
is "$(value out '[len(x["results"]) for x in s["runs"]]')" "[1, 0, 1]" "a run for each"
run foresee check -q -f sarif nothere.std
is "$status" 2 "a trace that is not there: status"
valid out "a trace that is not there: a log without runs"
run foresee observe -f sarif --listen unix:"$PWD/s"
is "$status" 2 "observe: refused"
has err 'sarif is one report of all' "observe: why"

run foresee run -q -f gcc 'a b/audit.c'
has out '^a b/audit\.c:32:14: warning: data race: audit\.total: T2 write in add_entry, no lock held \[race, predicted, certified\]$' "gcc: the first place"
has out '^a b/audit\.c:40:[0-9]+: note: called from worker$' "gcc: who called it"
has out '^a b/audit\.c:52:[0-9]+: note: T3 read in report, holds audit\.c:log_lock$' "gcc: the other place"
run foresee check -f gcc none.std
is "$(cat out)" "" "gcc: nothing found, nothing said"

run foresee run -q -f markdown 'a b/audit.c'
has out '^\| 1 \| race \| `audit\.total` \| `a b/audit\.c:32`, `a b/audit\.c:52` \| `predicted, certified` \|$' "markdown: a row"
has out '^\| 1[3-5] \| `write audit\.total` `a b/audit\.c:32` \|  \|$' "markdown: a step in its column"

# Names are the program's, and it may mean harm: each format stays what it is.
printf 'T1|w(x"><script>`|`\\)|</details>.c:1\nT2|r(x"><script>`|`\\)|b.c:4\n' >hostile.std
printf 'T\377|w(x)|a.c:1\nT2|r(x)|b\033[31m.c:4\n' >bytes.std
for t in hostile bytes; do
	run foresee check -q --lenient -f sarif $t.std
	[ "$status" = 2 ] || valid out "$t: SARIF"
	run foresee check -q --lenient -f gcc $t.std
	is "$(grep -c '[[:cntrl:]]' out)" 0 "$t: gcc has no control characters"
	run foresee check -q --lenient -f markdown $t.std
	is "$(tr -d '\n' <out | grep -c '[[:cntrl:]]')" 0 "$t: markdown has none"
done
run foresee check -q -f markdown hostile.std
is "$(sed 's/``*[^`]*``*//g; /^<\/*details>/d' out | grep -c 'script\|</details>')" 0 "hostile: what a program says is code"

run foresee check -f odd race.std
is "$status" 2 "an unknown format: refused"
has err "unknown format 'odd': expected text, json, sarif, gcc, markdown or html" "which there are"
run foresee replay -f gcc x.foresee 1
is "$status" 2 "a replay: refused"
done_testing
