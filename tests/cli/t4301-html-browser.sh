#!/usr/bin/env bash
# Pages in a real browser, Debian's chromium: no complaint, filters, steps, what is told of an event, folding, keys alone, themes, paper,
# names that are markup, and how long it takes.
. "$(dirname "$0")/../lib.sh"
command -v chromium >/dev/null && command -v chromedriver >/dev/null ||
	skip_all "NO BROWSER: the pages of -f html were not looked at; apt-get install chromium chromium-driver"

foresee run -q -f html -o audit.html "$SRC/examples/audit.c" >/dev/null
foresee run -q -f html -o deadlock.html "$SRC/examples/deadlock.c" >/dev/null
foresee run -q -O1 -f html -o landing.html -s "$SRC/examples/landing.spec" "$SRC/examples/landing.c" >/dev/null
cat >bank.std <<'END'
#fmt 1
T1|begin(withdraw)|bank.c:29
T1|acq(m)|bank.c:30
T1|r(balance)~|bank.c:31
T1|rel(m)|bank.c:32
T1|acq(m)|bank.c:36
T1|w(balance)<3|bank.c:38
T1|rel(m)|bank.c:39
T1|end|bank.c:40
T2|acq(m)|bank.c:50
T2|w(balance)|bank.c:51
T2|rel(m)|bank.c:52
END
foresee check -q -a atomicity -f html -o bank.html bank.std
bad='</script><script>document.title=1</script>'
printf 'T1|fork(T2)|"a<b>&.c:1\nT1|w(%s)|<img/src=x>.c:3\nT2|r(%s)|x\xff\xfey\xe2\x80\xae.c:7\n' "$bad" "$bad" >hostile.std
foresee check -q -f html -o hostile.html hostile.std
awk 'BEGIN {
	print "T1|fork(T2)|0\nT1|acq(l)|a.c:1\nT1|acq(m)|a.c:2\nT1|rel(m)|a.c:3\nT1|rel(l)|a.c:4"
	for (i = 0; i < 500; i++) print "T1|w(v" i ")|f" i % 7 ".c:" 100 + 2 * i
	print "T2|acq(m)|b.c:1\nT2|acq(l)|b.c:2\nT2|rel(l)|b.c:3\nT2|rel(m)|b.c:4"
	for (i = 0; i < 500; i++) print "T2|r(v" i ")|g.c:" 101 + 2 * i }' >many.std
foresee check -q -f html -o many.html many.std

# want NAME EXPECTED: what the browser shall say of it, in this order.
names=() wants=()
want() { names+=("$1") wants+=("$2"); }
js() { # NAME EXPRESSION EXPECTED, as JSON
	echo "js $1 | $2" >>script
	want "$1" "$3"
}
do_() { echo "$*" >>script; }
quiet() { do_ "logs $1"; want "$1" '[]'; }
P="document.querySelector('.run.predicted')" R="document.querySelector('.run.recorded')"

do_ size 1400 1000
do_ open audit.html
quiet "a race: no complaint"
js "the title" 'document.title' '"foresee: audit"'
js "the finding" 'document.querySelector("h2").textContent' '"1data race on audit.total"'
js "two runs" 'document.querySelectorAll(".run svg").length' 2
js "a place marked in its line" 'document.querySelector(".place tr.at mark").textContent' '"total"'
js "who called" 'document.querySelector(".place ol.stack li").textContent.includes("in worker")' true
js "the two that are next" "$P.querySelectorAll('.row:last-child .target').length" 2
js "the last step" "/step (\\d+) of \\1$/.test($P.querySelector('output').textContent)" true
js "the value there" "$P.querySelector('.values').textContent.startsWith('audit.total = 0')" true
do_ keys '[['
js "two steps back" "[...$P.querySelectorAll('.row.later')].length" 2
do_ keys ']'
js "one on" "[...$P.querySelectorAll('.row.later')].length" 1
do_ keys ',,,'
js "back in the recorded run" "[...$R.querySelectorAll('.row.later')].length" 3
js "other values there" "$R.querySelector('.values').textContent.includes('audit.total = 55')" true
do_ point '.run.predicted .row:last-child .band'
js "what is told of an event" "/write audit.total = 1 .*event \\d+ of T2/.test($P.querySelector('.about').textContent)" true
js "with its line" "$P.querySelector('.about mark').textContent" '"total"'
js "and shown in the other run" "$R.querySelectorAll('.row.twin').length" 2
js "a fold" "$R.querySelectorAll('.fold.shut').length > 1" true
do_ press '.run.recorded .fold[tabindex] .band'
js "opens" "$R.querySelectorAll('.fold[aria-expanded=true]').length" 1
js "and keeps the focus" "document.activeElement.getAttribute('aria-expanded')" '"true"'
do_ keys '<Enter>'
js "closes by a key" "$R.querySelectorAll('.fold[aria-expanded=true]').length" 0
do_ keys o
js "all open" "document.querySelectorAll('.fold[tabindex][aria-expanded=false]').length" 0
do_ keys o
js "all closed" "document.querySelectorAll('.fold[aria-expanded=true]').length" 0
js "a lock as a bar" "[...$R.querySelectorAll('.bar title')].some((t) => t.textContent === 'holds m')" true
js "a lock handed over" "$R.querySelectorAll('.arrow.hand').length > 0" true
js "a read and its write" "$R.querySelectorAll('.arrow.reads').length > 0" true
do_ keys t
js "light" 'document.documentElement.dataset.theme' '"light"'
do_ keys t
js "dark" 'getComputedStyle(document.body).backgroundColor' '"rgb(22, 24, 28)"'
do_ keys '?'
js "the keys" 'document.getElementById("help").hidden' false
do_ print audit.pdf
js "off the paper again" 'document.body.classList.contains("onpaper")' false
quiet "nothing to complain about after that"

do_ open deadlock.html
js "a deadlock: its circle" '[document.querySelectorAll(".circle .thread").length, document.querySelectorAll(".circle .lock").length, document.querySelectorAll(".circle .wants").length]' '[2, 2, 2]'
js "what each waits for" 'document.querySelector(".circle").getAttribute("aria-label")' '"T2 waits for log_lock; T3 waits for queue_lock"'
js "nothing goes on" "$P.querySelector('.clash-text').textContent" '"each waits for another: nothing goes on"'
quiet "no complaint"
do_ open landing.html
js "a property: its lattice" 'document.querySelectorAll(".lattice .node").length' 7
js "the violating path" 'document.querySelectorAll(".lattice .edge.path").length' 4
js "ends where it is violated" '[...document.querySelectorAll("table.path tr")].pop().textContent.endsWith("violated")' true
js "its formula" 'document.querySelector("pre.text").textContent.includes("start(landing == 1)")' true
quiet "no complaint of it"
do_ open bank.html
js "a split block" 'document.querySelectorAll(".run.predicted .block").length' 1
quiet "no complaint about it"
do_ open hostile.html
js "names that are markup stay names" 'document.title + document.querySelectorAll("script").length + document.querySelectorAll("main img, nav img").length' '"foresee: hostile.std20"'
js "as they were" 'document.querySelector("h2").textContent.slice(1)' '"data race on </script><script>document.title=1</script>"'
js "what would turn the line is shown" '/\u202e/.test(document.body.innerText)' false
js "no other script runs" '(() => { const s = document.createElement("script"); s.textContent = "document.title = 2"; document.body.append(s); return document.title; })()' '"foresee: hostile.std"'
do_ logs 'for the policy refuses it'
want 'for the policy refuses it' '~violates the following Content Security Policy'

do_ open many.html
do_ loaded '500 findings open'
want '500 findings open' '<2000'
quiet "500 findings: no complaint"
js "all of them" 'document.getElementById("count").textContent' '"501 findings"'
do_ keys '/v13'
js "search" 'document.getElementById("count").textContent' '"11 of 501 findings"'
js "the first that fits" 'document.querySelector("h2").textContent.includes("v13")' true
do_ keys '<Escape>j'
js "next" 'document.querySelector("h2").textContent.includes("v130")' true
do_ keys k
js "previous" 'document.querySelector("h2").textContent.endsWith("v13")' true
js "by kind" '(() => { const s = (id, v) => { const e = document.getElementById(id); e.value = v; e.dispatchEvent(new Event("input")); }; s("words", ""); s("kind", "deadlock"); return document.getElementById("count").textContent; })()' '"1 of 501 findings"'
js "by file" '(() => { const s = (id, v) => { const e = document.getElementById(id); e.value = v; e.dispatchEvent(new Event("input")); }; s("kind", ""); const o = [...document.getElementById("file").options].find((x) => x.textContent.startsWith("f3.c")); s("file", o.value); return document.getElementById("count").textContent; })()' '"71 of 501 findings"'
js "by variable" '(() => { const s = (id, v) => { const e = document.getElementById(id); e.value = v; e.dispatchEvent(new Event("input")); }; s("file", ""); s("variable", "v7"); return document.getElementById("count").textContent; })()' '"1 of 501 findings"'
do_ open 'many.html#400'
js "a finding by its address" 'document.querySelector("h2 .number").textContent' '"400"'

run "$SRC/scripts/browser" script
is "$status" 0 "the browser did as it was told"
[ "$status" = 0 ] || note err
mapfile -t said <out
for i in "${!names[@]}"; do
	got=${said[i]-}
	is "${got%%$'\t'*}" "${names[i]}" "asked: ${names[i]}"
	got=${got#*$'\t'}
	case ${wants[i]} in
	'<'*) [ "${got:-99999}" -lt "${wants[i]#<}" ] && got=${wants[i]} ;;
	'~'*) [[ $got == *"${wants[i]#'~'}"* ]] && got=${wants[i]} ;;
	esac
	is "$got" "${wants[i]}" "${names[i]}"
done
is "$(head -c 5 audit.pdf)" %PDF- "on paper"
done_testing
