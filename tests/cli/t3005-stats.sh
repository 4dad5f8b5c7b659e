#!/usr/bin/env bash
# Counts, as text and as JSON.
. "$(dirname "$0")/../lib.sh"

trace=$SRC/tests/cases/std/every_op.std
run foresee stats "$trace"
is "$status" 0 "stats"
has out ': #fmt 1 text, 54 events of 2 threads, 3 locks$' "the first line"
has out '^  memory   5 words in 4 objects$' "memory"
has out '^  reads    2 binding, 3 free, 1 of unknown origin$' "reads"
has out '^  complete yes$' "complete"
has out '^  rmw +1$' "by kind"
has out '^  T2 +9$' "by thread"

run foresee stats -f json "$trace"
is "$status" 0 "as JSON"
cp out json
if command -v python3 >/dev/null; then
	ok "it is JSON" python3 -m json.tool json
	is "$(foresee stats -f json "$trace" | python3 -c '
import json, sys
j = json.load(sys.stdin)
t = j["trace"]
print(j["foresee"], t["events"], t["threads"], t["locks"], t["variables"], t["complete"],
      sum(t["by_kind"].values()), sum(x["events"] for x in t["by_thread"]))')" \
		"1 54 2 3 5 True 54 54" "and adds up"
	printf 'T\303\244"\\\377|w(x)|1\n' >t.std
	ok "odd names are quoted" sh -c 'foresee stats -f json t.std | python3 -m json.tool'
fi

printf '# nothing\n' >comment.std
run foresee stats comment.std
has out '^comment.std: STD text, 0 events of 0 threads, 0 locks$' "an empty trace"
run foresee stats -f json comment.std
has out '"bytes_per_event": 0,' "has no division by zero"

done_testing
