#!/usr/bin/env bash
# check -f json: the members that others rely on.
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip_all "no python3"

# value FILE EXPRESSION: of the object j in FILE, as Python prints it.
value() {
	python3 -c '
import json, sys
j = json.load(open(sys.argv[1]))
f = j["findings"][0] if j["findings"] else None
print(eval(sys.argv[2]))' "$1" "$2"
}

cat >hidden.std <<'EOT'
T1|w(x)|a.c:1
T1|acq(m)|a.c:2
T1|rel(m)|a.c:3
T2|acq(m)|b.c:1
T2|rel(m)|b.c:2
T2|r(x)|b.c:4
EOT
run foresee check -f json hidden.std
is "$status" 1 "status"
cp out j
is "$(wc -l <j)" 1 "one line"
is "$(value j 'j["foresee"]')" 1 "the version"
is "$(value j '[j["trace"][k] for k in ("path", "events", "threads", "locks", "variables", "complete")]')" \
	"['hidden.std', 6, 2, 1, 1, True]" "the trace"
is "$(value j '[(a["name"], a["findings"], a["complete"]) for a in j["analyses"]]')" \
	"[('races', 1, True), ('deadlocks', 0, True)]" "the analyses"
is "$(value j 'j["analyses"][0]["seconds"] >= 0 and j["analyses"][0]["events_per_second"] >= 0')" True \
	"its speed"
is "$(value j 'j["analyses"][0]["counts"]["candidates"]')" 1 "its counts"
is "$(value j '[f[k] for k in ("id", "kind", "analysis", "status", "certified", "model")]')" \
	"[1, 'race', 'races', 'predicted', True, 'strict']" "the finding"
is "$(value j '[f[k] for k in ("events", "threads", "object", "property")]')" \
	"[[1, 6], ['T1', 'T2'], 'x', None]" "what it is about"
is "$(value j '[[p[k] for k in ("thread", "op", "file", "line", "function", "stack", "holds", "taken")] for p in f["places"]]')" \
	"[['T1', 'write', 'a.c', 1, None, [], [], []], ['T2', 'read', 'b.c', 4, None, [], [], []]]" "the places"
is "$(value j 'f["witness"]["order"]')" "[4, 5, 1, 6]" "the order, the targets last"
is "$(value j 'f["witness"]["relaxed"], f["witness"]["tainted"]')" "([], [])" \
	"no read sees something else"
is "$(value j 'j["truncated"], j["suppressed"]')" "([], 0)" "nothing was left out"

run foresee check -f json -a hb,eraser hidden.std
is "$(value out '[a["name"] for a in j["analyses"]]')" "['hb', 'eraser']" "several analyses"

printf 'T1|w(x)|1\nT2|w(x)|2\n' >open.std
run foresee check -f json -a hb open.std
is "$(value out 'f["status"], f["certified"], f["witness"]')" "('warning', False, None)" "a warning"
is "$(value out 'len(f["why"]) > 0')" True "says why"

run foresee check -f json hidden.std open.std
is "$(wc -l <out)" 2 "one line for each trace"
while read -r line; do
	echo "$line" >j2
	value j2 'j["trace"]["path"]'
done <out >paths
is "$(tr '\n' ' ' <paths)" "hidden.std open.std " "in order"

printf 'T\303\244"\\\377|w(x")|1"\nB|w(x")|2\n' >odd.std
run foresee check -f json odd.std
is "$status" 1 "odd names: status"
is "$(value out 'f["object"]')" 'x"' "odd names are quoted"
is "$(value out 'f["objects"]')" "['x\"']" "what it is about as a list, as it is of all kinds"

printf '# nothing\n' >none.std
run foresee check -f json none.std
is "$(value out 'j["findings"], j["trace"]["events"]')" "([], 0)" "an empty trace"
done_testing
