#!/usr/bin/env bash
# Pages (-f html): one file that holds all it needs, what a program calls its things is data in it, its size, source that is
# missing or has changed, how the file is written.  t4301 has the browser.
. "$(dirname "$0")/../lib.sh"

# member JSON-PATH: of the page's data, as Python sees it.
data() {
	python3 - "$1" "$2" <<'END'
import json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])
print(eval(sys.argv[2]))
END
}

cp "$SRC/examples/audit.c" .
touch -d '2 hours ago' audit.c # it is older than the program, whatever clock the disk has
run foresee run -f html -o page.html --trace audit.foresee audit.c
is "$status" 1 "a race: status"
has page.html '^<!doctype html>' "a page"
is "$(data page.html 'len(data["findings"])')" 1 "one finding"
is "$(data page.html 'data["findings"][0]["title"]')" "data race on audit.total" "its title"
is "$(data page.html 'data["findings"][0]["sure"]')" "predicted, certified" "how sure"
is "$(grep -o 'https\?://[^"'\'' ]*' page.html | sort -u)" "http://www.w3.org/2000/svg" "no address but the name of SVG"
is "$(grep -ci '<link\|<iframe\|<img\| src=' page.html)" 0 "nothing is loaded"
is "$(python3 - <<'END'
import base64, hashlib, re
page = open("page.html", encoding="utf-8").read()
policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
digest = lambda text: "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
style = re.search(r"<style>(.*?)</style>", page, re.S)[1]
script = re.findall(r"<script>(.*?)</script>", page, re.S)
print(len(script), policy == f"default-src 'none'; base-uri 'none'; form-action 'none'; script-src {digest(script[0])}; style-src {digest(style)}")
END
)" "1 True" "the policy names the one script and the one style by their digests"
[ "$(stat -c %s page.html)" -lt 200000 ]
is $? 0 "one finding: less than 200 kB"
is "$(data page.html '"".join(data["files"][0]["lines"]["32"].split())')" "audit.total+=amount;/*nolockheld*/" "a line of source"
is "$(data page.html '[data["files"][0]["lines"][str(p[1])][p[4]:p[5]] for p in data["places"] if p[1] in (32, 52) and len(p) > 5][0]')" total "what is meant of it"

# ---- the two runs, against what JSON says ----
run foresee check -f json audit.foresee
cp out report.json
foresee check -f html audit.foresee >page.html
is "$(python3 - <<'END'
import json, re
page = open("page.html", encoding="utf-8").read()
data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
told = json.load(open("report.json"))["findings"][0]
scene = data["findings"][0]["scene"]
events = {e["p"] for e in scene["events"]}
order = told["witness"]["order"][:-2]
left = sum(sum(i) for i in scene["predicted"] if isinstance(i, list))
shown = [i for i in scene["predicted"] if not isinstance(i, list)]
print(shown == [p for p in order if p in events], left + len(shown) == len(order), scene["next"] == told["events"],
      [e["p"] for e in scene["events"] if e.get("d")] == told["witness"]["tainted"])
rows = [i for i in scene["recorded"] if not isinstance(i, list)]
print(rows == sorted(rows), set(told["events"]) <= set(rows))
END
)" "True True True True
True True" "the runs are those of the witness and of the recording"

# ---- values: at each access that is shown, those of the variable are what it read or wrote ----
values() {
	python3 - "$1" <<'END'
import json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
scene = data["findings"][0]["scene"]
events = {e["p"]: e for e in scene["events"]}
rows = {r[0]: r[1:] for r in scene["recorded_values"]}
now, wrong, seen = rows.get(0, [None] * 9), [], 0
for p in (i for i in scene["recorded"] if not isinstance(i, list)):
    now = rows.get(p, now)
    e = events[p]
    if "y" in e and "v" in e:
        seen += 1
        if now[e["y"]] != e["v"]:
            wrong.append((p, now, e["v"]))
print(seen > 1, wrong)
END
}
is "$(values page.html)" "True []" "values of a recording"
awk 'BEGIN {
	print "#fmt 1\nT1|fork(T2)|a.c:1"
	for (i = 1; i <= 3000; i++) print "T1|w(x)=" i "|a.c:" i % 3 + 10 "\nT1|w(y)=" i "|a.c:20"
	print "T2|r(x)=3000|b.c:1" }' >hidden.std
foresee check -f html hidden.std >page.html
is "$(values page.html)" "True []" "and where most of the writes are folded"

# ---- source that is not what ran ----
touch -d '2 hours' audit.c
foresee check -f html audit.foresee >page.html
is "$(data page.html 'data["files"][0]["newer"], data["files"][0]["state"]')" "(True, 'has changed since the program was built, or run')" "a file that has changed"
rm audit.c
foresee check -f html audit.foresee >page.html
is "$(data page.html 'data["files"][0]["state"], data["files"][0]["lines"]')" "('is not there', {})" "a file that is gone"
foresee check -f html --no-source audit.foresee >page.html
is "$(data page.html 'data["files"][0]["state"]')" "was not looked at: --no-source" "none is wanted"
printf 'root:x\n' >secret; mkfifo pipe.c
printf 'T1|w(x)|secret:1\nT2|w(x)|pipe.c:1\n' >odd.std
ok "neither a file that is no source nor a pipe" timeout 20 sh -c 'foresee check -f html odd.std >page.html; [ $? = 1 ]'
is "$(data page.html 'sorted(f["state"] for f in data["files"])')" "['cannot be read', 'does not look like source and was not looked at']" "are opened"
is "$(grep -c root:x page.html)" 0 "and nothing of them is in the page"

# ---- names ----
bad='</script><script>document.title=1</script>'
printf 'T1|fork(T2)|"a<b>&.c:1\nT1|w(%s)|<img/src=x>.c:3\nT2|r(%s)|x\xff\xfey\xe2\x80\xa8.c:7\n' "$bad" "$bad" >hostile.std
run foresee check -f html -o hostile.html hostile.std
is "$status" 1 "names that are markup"
is "$(grep -o '<script' hostile.html | wc -l)" 2 "make no script of their own"
is "$(sed -n 's/.*id="data">\(.*\)<\/script>$/\1/p' hostile.html | grep -c '[<>&]')" 0 "and are written without < > &"
is "$(sed -n 's/.*id="data">//p' hostile.html | grep -c $'\xe2\x80\xa8')" 0 "nor U+2028"
is "$(data hostile.html 'data["findings"][0]["object"]')" "$bad" "they are what they were"
awk 'BEGIN { for (i = 0; i < 20000; i++) n = n "x"; print "T1|w(" n ")|1\nT2|w(" n ")|2" }' >long.std
foresee check -f html long.std >page.html
[ "$(stat -c %s page.html)" -lt 400000 ]
is $? 0 "a name of 20 000 characters"

# ---- sizes ----
many() { # VARIABLES EVENTS
	awk -v n="$1" -v pad="$2" 'BEGIN {
		print "T1|fork(T2)|0"
		for (i = 0; i < pad; i++) print "T1|w(q" i % 50 ")|7"
		for (i = 0; i < n; i++) print "T1|w(v" i ")|" 100 + 2 * i
		for (i = 0; i < n; i++) print "T2|r(v" i ")|" 101 + 2 * i }'
}
many 500 100 >many.std
foresee check -f html -o many.html many.std
is "$(data many.html 'len(data["findings"])')" 500 "500 findings"
[ "$(stat -c %s many.html)" -lt 5000000 ]
is $? 0 "in less than 5 MB"
many 1 100000 >far.std
foresee check -f html -o far.html far.std
[ "$(stat -c %s far.html)" -lt 200000 ]
is $? 0 "100 000 events in less than 200 kB"
is "$(data far.html 'max(max(i) for i in data["findings"][0]["scene"]["recorded"] if isinstance(i, list))')" 100000 "those that do not matter are counted"
printf 'T1|w(x)|1\n' >none.std
run foresee check -f html none.std
is "$status" 0 "nothing found: status"
cp out none.html
is "$(data none.html 'data["findings"]')" "[]" "and a page that says so"

# ---- how it is written ----
mkdir d && echo old >d/real.html && chmod 640 d/real.html && ln -s d/real.html link.html
foresee check -f html -o link.html hostile.std
is "$(stat -c %F link.html)" "symbolic link" "a link stays one"
is "$(stat -c %a d/real.html)" 640 "the file keeps its rights"
has d/real.html '^<!doctype html>' "and is the new one"
is "$(ls d)" real.html "nothing is left beside it"
done_testing
