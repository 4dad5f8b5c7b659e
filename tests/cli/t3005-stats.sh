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

# ---- where the accesses are, and that leaving them out by those names does so ----
cp "$SRC/examples/audit.c" .
foresee-cc -g -O1 -pthread audit.c -o audit && foresee record -q -o audit.foresee ./audit >/dev/null
run foresee stats --hot audit.foresee
is "$status" 0 "--hot"
has out '^accesses by functions$' "by functions"
has out '^ +[0-9.]+ % +[0-9]+  count_line$' "one of them"
has out '^ +[0-9.]+ % +[0-9]+  audit$' "a variable, by the name before its members"
has out '^ +[0-9.]+ % +[0-9]+  audit\.c$' "a file"
foresee stats --hot -f json audit.foresee >json
is "$(python3 -c 'import json; h = json.load(open("json"))["hot"]
print(sorted(h), all(x["events"] >= y["events"] for k in h for x, y in zip(h[k], h[k][1:])))')" \
	"['files', 'functions', 'variables'] True" "as JSON, the hottest first"
for kind in functions variables files; do
	name=$(python3 -c "import json; print(json.load(open('json'))['hot']['$kind'][0]['name'])")
	foresee record -q --ignore "$name" -o less.foresee ./audit >/dev/null
	foresee stats --hot -f json less.foresee >less.json
	ok "--ignore $name leaves nearly all of them out" python3 -c "
import json
of = lambda f: sum(x['events'] for x in json.load(open(f))['hot']['$kind'] if x['name'] == '$name')
exit(4 * of('less.json') > of('json'))"
done
run foresee stats --hot comment.std
is "$status" 0 "--hot of nothing"
done_testing
