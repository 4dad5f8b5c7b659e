#!/usr/bin/env bash
# Findings forced on the programs themselves: what is shown, both orders of a race, what is refused;
# and the findings of all small programs with races, deadlocks, lost wakeups and violated properties.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

mkdir tmp && export TMPDIR=$TEST_DIR/tmp

# replay ARGS...: no input, and no patience for ever.
replay() {
	run timeout 120 foresee replay "$@"
}

# ---- a race ----

cp "$SRC/examples/audit.c" . && foresee-cc -g -O1 -pthread audit.c -o audit || exit 2
foresee record -q -o audit.foresee ./audit >/dev/null || exit 2
replay audit.foresee 1
is "$status" 0 "race: replayed"
line() {
	grep -n "$1" audit.c | cut -d: -f1 | head -1
}
write=$(line 'audit.total += amount') read=$(line 'printf("report') lock=$(line 'pthread_mutex_lock(&log_lock)')
has out "^replayed: data race on audit.total, audit.c:$write in add_entry and audit.c:$read in report\$" "race: title"
has out '^  forced: [0-9]* events of 3 threads, with [0-9]* waits? of one for another; there after [0-9.]* s$' "race: what was forced"
has out '^  T2 stands before its write of audit.total$' "race: the write"
has out "^      audit.c:$write in add_entry\$" "race: its place"
has out '^      audit.c:[0-9]* in worker$' "race: called from"
has out '^      at 0x[0-9a-f]*, 4 bytes, which hold 0 \(00 00 00 00\) and shall become 1 \(01 00 00 00\)$' "race: values"
has out '^      no lock held$' "race: without a lock"
has out '^  T3 stands before its read of audit.total$' "race: the read"
has out "^      holds log_lock, taken at audit.c:$lock in report\$" "race: under a lock"
has out '^  the read sees 0 when it comes first, 1 when it comes second$' "race: what is read"
has out '^  write, read: the program ends with status 0; right after the two, there is 1$' "race: one order"
has out '^  read, write: the program ends with status 0; right after the two, there is 1$' "race: the other"
has out '^  the order write, read prints `report .*: total 1`; read, write prints `report .*: total 0`$' "race: the difference"
is "$(ls tmp)" "" "nothing is left behind"

replay --first 2 audit.foresee 1
is "$status" 0 "--first: replayed"
is "$(grep -c 'the program ends' out)" 1 "--first: one run"
has out '^  read, write: the program ends with status 0' "--first: that order"
replay --stop --record again.foresee audit.foresee 1
is "$status" 0 "--stop: replayed"
hasnt out 'the program ends' "--stop: and no more"
ok "--record: can be read" foresee verify again.foresee

# JSON, which says the same.
${CC:-cc} -O1 -o flatten "$SRC/tests/cli/flatten.c" || exit 2
replay -f json audit.foresee 1
is "$status" 0 "JSON: replayed"
./flatten <out >flat
for want in '.foresee=1' '.status="replayed"' '.finding.kind="race"' '.finding.id=1' '.targets.0.op="write"' \
	'.targets.0.bytes="00000000"' '.targets.0.becomes="01000000"' '.targets.1.holds.0.lock="log_lock"' \
	'.outcome.0.order="write, read"' '.outcome.0.status=0' '.outcome.1.order="read, write"' '.difference="output"'; do
	if grep -qxF -- "$want" flat; then pass "JSON: $want"; else fail "JSON: $want" && note flat 80; fi
done

# Another thread waits for what pthread_create writes.
cat >handles.c <<'EOF'
#include <pthread.h>
#include <unistd.h>
static pthread_t t[2];
static int x, alive;
static void *idle(void *arg)
{
	return arg;
}
static void *looks(void *arg)
{
	usleep(100000);
	alive = t[1] != 0;
	x = 1;
	return arg;
}
int main(void)
{
	pthread_create(&t[0], NULL, looks, NULL);
	pthread_create(&t[1], NULL, idle, NULL);
	pthread_join(t[1], NULL);
	x = 2;
	pthread_join(t[0], NULL);
	return !alive;
}
EOF
foresee-cc -g -O1 -pthread handles.c -o handles && foresee record -q -o handles.foresee ./handles || exit 2
foresee check -q -f json handles.foresee | ./flatten | sed -n 's/^\.findings\.\([0-9]*\)\.status="predicted"$/\1/p' >predicted
is "$(wc -l <predicted)" 2 "handle: two races"
for i in $(cat predicted); do
	replay --stop handles.foresee $((i + 1))
	is "$status" 0 "handle: race $((i + 1)) replayed"
done

# Output that differs from run to run is no sign.
foresee-cc -g -O1 -pthread "$SRC/tests/programs/replay/fickle.c" -o fickle && foresee record -q -o fickle.foresee ./fickle >/dev/null || exit 2
replay fickle.foresee 1
is "$status" 0 "fickle: replayed"
has out 'prints `[0-9.]*`; but two runs of the order T[12], T[12] differ as well: it may have another cause$' "fickle: says so"
replay -f json fickle.foresee 1
has out '"fickle": true' "fickle: in JSON"

# By a witness.
foresee check -q --witness-dir w audit.foresee >/dev/null
replay --stop audit.foresee w/1.witness
is "$status" 0 "witness: replayed"
has out "^replayed: data race on audit.total, audit.c:$write in add_entry and audit.c:$read in report\$" "witness: title"
sed 's/^order.*/order 1 1/' w/1.witness >bad.witness
replay audit.foresee bad.witness
is "$status" 2 "bad witness: refused"
has err "^foresee: 'bad.witness'" "bad witness: says so"
replay again.foresee w/1.witness
is "$status" 2 "witness of another trace: refused"
has err "is a witness for another trace|no event|event" "witness of another trace: says so"
replay audit.foresee nowhere.witness
is "$status" 2 "no witness: refused"
has err "^foresee: cannot (open|read) 'nowhere.witness'" "no witness: says so"

# ---- where, and what ----

mkdir there elsewhere
cat >there/needs.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *arg)
{
	x = 1;
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return arg;
}
int main(int argc, char **argv)
{
	FILE *needed = fopen("needed", "r");
	pthread_t t;

	if (!needed || argc != 3 || strcmp(argv[2], "a  b"))
		return 9;
	pthread_create(&t, NULL, f, NULL);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	x = 2;
	pthread_join(t, NULL);
	printf("%s: x %d\n", argv[1], x);
	return 0;
}
END
(cd there && touch needed && foresee-cc -g -O1 -pthread needs.c -o needs && foresee record -q -o ../needs.foresee ./needs '' 'a  b' >/dev/null) || exit 2
(cd elsewhere && timeout 120 foresee replay ../needs.foresee 1) >out 2>err
is "$?" 0 "from elsewhere: runs where it was recorded, with its arguments"
has out '^  (T1, T2 prints|the order T[12], T[12] prints `: x [12]`)' "two writes: the last one wins"
replay needs.foresee 1 -- there/needs other 'a  b'
is "$status" 1 "other program and place: as given"
has out 'T1 after 0 of its events|ended with status 9' "its needs are not there"
(cd there && timeout 120 foresee replay ../needs.foresee 1 -- ./needs other 'a  b') >out 2>err
is "$?" 0 "other arguments: replayed"
has out 'other: x [12]' "other arguments: were used"
mv there/needs there/gone
replay needs.foresee 1
is "$status" 125 "program gone: own failure"
has err "^foresee: the recorded program '.*/there/needs' is not there any more: build it as it was, and give it, -- PROG ARGS" "program gone: what to do"
replay audit.foresee 1 -- /bin/true
is "$status" 125 "not built for recording: own failure"
has err "was not built for recording" "not built for recording: says so"
foresee print --std audit.foresee >audit.std 2>/dev/null
replay audit.std 1
is "$status" 2 "text: refused"
has err '^foresee: a trace in text form has no program' "text: says why"
foresee record -q --locks-only -o locks.foresee ./audit >/dev/null
replay locks.foresee 1
is "$status" 2 "locks only: refused"
has err 'locks-only' "locks only: says why"
replay audit.foresee 7
is "$status" 2 "no such finding"
has err '^foresee: there is no finding 7: the report has 1, number 1$' "no such finding: says so"
for wrong in "" "audit.foresee" "audit.foresee 1 2" "--first 3 audit.foresee 1" "--time x audit.foresee 1"; do
	replay $wrong
	is "$status" 2 "misuse: '$wrong'"
done

# ---- ends of ours ----

cat >slow.c <<'END'
#include <unistd.h>
#include <pthread.h>
static int x;
static void *f(void *arg)
{
	x = 1;
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, NULL, f, NULL);
	x = 2;
	pthread_join(t, NULL);
	while (argc > 1)
		sleep(1);
	return 0;
}
END
foresee-cc -g -O1 -pthread slow.c -o slow$$ && foresee record -q -o slow.foresee ./slow$$ || exit 2
# stopped SIGNAL: the program goes with us, and so do our files (not after SIGKILL).
stopped() {
	local pid i

	env --default-signal=INT foresee replay --time 60 slow.foresee 1 -- ./slow$$ for ever >out 2>err </dev/null &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		pgrep -f "^./slow$$ for ever" >/dev/null && break
		sleep 0.1
	done
	sleep 0.5
	kill -$1 $pid
	{ wait $pid; } 2>/dev/null
	status=$?
	for ((i = 0; i < 100; i++)); do
		pgrep -f "^./slow$$ for ever" >/dev/null || break
		sleep 0.1
	done
	pgrep -f "^./slow$$ for ever" >/dev/null
	is "$?" 1 "SIG$1: the program is gone"
}
stopped TERM
is "$status" 125 "SIGTERM: own failure"
is "$(ls tmp)" "" "SIGTERM: nothing is left behind"
stopped INT
is "$(ls tmp)" "" "SIGINT: nothing is left behind"
stopped KILL
rm -rf tmp/*

# ---- all programs ----

${CC:-cc} -O1 -c -o order.o "$SRC/tests/programs/order.c" || exit 2
export ORDER_OFF=

# A read that waits for a value is not new again when it comes a second time.
foresee-cc -g -O1 -pthread "$SRC/tests/programs/replay/late_value.c" order.o -o late_value || exit 2
env -u ORDER_OFF foresee record -q -o late_value.foresee ./late_value || exit 2
for i in 1 2; do
	replay --stop late_value.foresee $i
	is "$status" 0 "late value: race $i replayed"
done

# What the target reads is not what it read in the recording, and nothing new: that shows at the second try.
foresee-cc -g -O1 -pthread "$SRC/tests/programs/replay/same_again.c" -o same_again || exit 2
env -u ORDER_OFF foresee record -q -o same_again.foresee ./same_again || exit 2
foresee check -q -f json --witness-dir same same_again.foresee >json
lines="$(grep -n '// written' "$SRC/tests/programs/replay/same_again.c" | cut -d: -f1)|$(
	grep -n '// read' "$SRC/tests/programs/replay/same_again.c" | cut -d: -f1)"
for w in same/*.witness; do
	replay --stop same_again.foresee "$w"
	is "$status" 0 "same again: $w replayed"
	head -1 out
done >said
cat said
is "$(grep -cE "same_again.c:(${lines}) in (first|reader) and .*same_again.c:(${lines}) in (first|reader)\$" said)" 1 \
	"same again: and the two places are one of them"

# A look that must wait for what it sees, at a place where nothing is new before that.
foresee-cc -g -O1 -pthread "$SRC/tests/programs/replay/change_seen.c" -o change_seen || exit 2
env -u ORDER_OFF foresee record -q -o change_seen.foresee ./change_seen || exit 2
for i in 1 2; do
	replay --stop change_seen.foresee $i
	is "$status" 0 "change seen: race $i replayed"
done

# Updates that change nothing, and one that only looks so.
foresee-cc -g -O1 -pthread "$SRC/tests/programs/replay/changes_nothing.c" -o changes_nothing || exit 2
foresee record -q -o changes_nothing.foresee ./changes_nothing || exit 2
ok "changes nothing: recorded as a read" grep -q 'relaxed  cas' <(foresee print changes_nothing.foresee)
replay --stop changes_nothing.foresee 1
is "$status" 0 "changes nothing: replayed"

# Who reads from a file, when several do.
printf abddgfgh >bytes
foresee-cc -g -O1 -pthread "$SRC/tests/programs/replay/shares.c" order.o -o shares || exit 2
env -u ORDER_OFF foresee record -q -o shares.foresee ./shares >/dev/null || exit 2
replay --stop shares.foresee 1
is "$status" 0 "shares of a file: replayed"

# A thread that has done its part ends, and the loader frees memory with its lock held.
foresee-cc -g -O1 -pthread "$SRC/tests/programs/replay/quits.c" -o quits && foresee record -q -o quits.foresee ./quits >/dev/null || exit 2
replay --stop quits.foresee 1
is "$status" 0 "pthread_exit: replayed, nobody stops inside the loader"

# findings FILE...: numbers of those that are certified, of a report in JSON.
findings() {
	./flatten <"$1" | sed -n 's/^\.findings\.\([0-9]*\)\.certified=true$/\1/p'
}

# forced FILE LLVM LEVEL [FLAGS]: every certified finding of the program is replayed.
forced() {
	local file=$SRC/tests/programs/$1 name="$1${4:+ $4} $3 llvm $2" cc=foresee-cc spec=() calls= n=0 bad=

	case $1 in *.cpp) cc="foresee-c++ -std=c++17" ;; esac
	if [ -e "${file%.c}.spec" ]; then
		spec=(-s "${file%.c}.spec")
		calls=$(sed -n 's/.* call(\([a-z_]*\).*/\1/p' "${file%.c}.spec" | paste -sd,)
	fi
	if ! FORESEE_LLVM=$2 $cc $3 $4 ${calls:+--foresee-calls=$calls} -D_GNU_SOURCE -g "$file" order.o -o prog -lpthread >log 2>&1; then
		fail "$name: builds"
		note log
		return
	fi
	env -u ORDER_OFF timeout 60 foresee run -q -f json "${spec[@]}" --trace prog.foresee -o report ./prog >out 2>err </dev/null
	for i in $(findings report); do
		n=$((n + 1))
		replay --stop "${spec[@]}" prog.foresee $((i + 1))
		[ $status = 0 ] || { bad="$bad $((i + 1))" && cat out err >>said; }
	done
	[ $n = 0 ] && return
	is "$bad" "" "$name: $n findings" 
	[ -z "$bad" ] || note said 60
	rm -f said
}

builds() {
	sed -nE '/^\/\/ (bug|safe):/ { s/^.. [a-z]*: *//; p }' "$1" | grep . || echo
}

# The levels and the compilers take turns; LONG=1: every program with all of them.
set -- $LLVMS
levels=(-O0 -O2)
for p in $(cd "$SRC/tests/programs" && ls {race,deadlock,property}/*.c {race,deadlock}/*.cpp 2>/dev/null); do
	while read -r flags; do
		for level in ${LONG:+-O0 -O2} ${LONG:-${levels[0]}}; do
			[ "$level" = "${LONG:-}" ] || forced "$p" "$1" "$level" "$flags"
		done
	done < <(builds "$SRC/tests/programs/$p")
	levels=("${levels[1]}" "${levels[0]}")
	[ "${levels[0]}" = -O0 ] && [ $# -gt 1 ] && set -- "${@:2}" "$1"
done
is "$(ls tmp)" "" "and nothing is left behind"
done_testing
