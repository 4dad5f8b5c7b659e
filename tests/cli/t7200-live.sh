#!/usr/bin/env bash
# Findings while the program runs: they come in time to do something about it, none comes that is
# not sure, and whatever happens to the live analysis or to the user's commands, the report is the
# one that `check' makes.
. "$(dirname "$0")/../lib.sh"

here=$SRC/tests/programs/live
${CC:-cc} -O1 -o flatten "$SRC/tests/cli/flatten.c" || exit 2
for p in recover circle busy; do
	foresee-cc -g -O1 -pthread -o $p "$here/$p.c" || exit 2
done

# A machine may be slow: programs wait this long for what should take half a second.
patience=15

# findings TRACE: those of `check', and in `report' those of the run, in comparable form.
findings() {
	timeout 300 foresee check -q -f json "$1" >offline.json 2>>err
	for f in offline.json live.json; do
		./flatten <$f | awk -f "$SRC/tests/cli/findings.awk" | sort >${f%.json}.txt
	done
}

# ---- in time ----

run timeout 200 foresee run -f json -o live.json --on-finding 'cat >told; touch seen' ./recover seen $patience
is $status 1 "a race: status"
has err "ended normally with status 42" "the command of --on-finding reached the program while it ran"
has err "^foresee: live: data race on counter, .*recover.c:[0-9]+ in (main|work) and .*recover.c:[0-9]+ in (main|work) \(predicted, certified, after [0-9.]+ s\)$" "the line"
is "$(grep -c '^foresee: live:' err)" 1 "once"
has told '^\{"id": 1, "kind": "race", .*"certified": true' "the finding is the command's input"
findings recover.foresee
same live.txt offline.txt "the report is that of check"

rm -f seen
run timeout 200 foresee run -f json -o live.json --on-finding 'env >env; touch seen' ./circle seen $patience
has err "ended normally with status 42" "a deadlock in time"
has err "^foresee: live: deadlock of T[12] and T[12] on .*circle.c:[0-9]+ in take \(predicted, certified, after [0-9.]+ s\)$" "its line"
has env "^FORESEE_KIND=deadlock$" "kind"
has env "^FORESEE_STATUS=predicted$" "status"
has env "^FORESEE_ID=1$" "number"
has env "^FORESEE_OBJECT=.*left" "object"
has env "^FORESEE_TRACE=$PWD/circle.foresee$" "trace"
has env "^FORESEE_SUMMARY=deadlock of T[12] and T[12] on .*circle.c" "summary"
has env "^FORESEE_TARGET=[0-9]+$" "the process"
findings circle.foresee
same live.txt offline.txt "the report is that of check"

# ---- manners ----

run timeout 100 foresee run ./circle none 1.5 safe
is $status 0 "a safe program: status"
hasnt err "live" "nothing is said of it"

run timeout 100 foresee run -q ./recover none 1
is $status 1 "-q: status"
is "$(cat err)" "" "-q: nothing is said"
has out "data race on counter" "-q: the report comes"

run timeout 100 foresee run --no-live ./recover none 1
hasnt err "live" "--no-live"
has out "data race on counter" "--no-live: the report comes"

run timeout 100 foresee run -a wcp,shb -f json -o live.json ./recover none 1
has err "^foresee: live: data race on counter" "analyses that stream"

# start FILE: runs it until it has been told of live; sets $pid, and $foresee, which is under timeout
start() {
	rm -f err # or the loop sees the old one
	timeout 100 foresee run ./recover $1 $patience >out 2>err &
	pid=$!
	for ((i = 0; i < 600; i++)); do
		grep -qs "live: data race" err && break
		sleep 0.1
	done
	foresee=$(pgrep -P $pid -x foresee | head -1)
}

# The first Ctrl-C is for the program; the report comes all the same.
start none
kill -INT ${foresee:-$pid}
wait $pid
is $? 1 "Ctrl-C: status"
has out "data race on counter" "Ctrl-C: the report comes"

# The process beside dies: nobody is harmed.
start seen2
beside=$(pgrep -P ${foresee:-$pid} -x foresee | head -1)
kill -KILL $beside
sleep 0.5 # it takes the kernel a moment
touch seen2
wait $pid
is $? 1 "the live analysis is killed: status"
has err "the live analysis has failed \(signal 9\)" "it is said"
has out "data race on counter" "the report comes"

# ---- commands ----

rm -f seen
run timeout 100 foresee run --on-finding 'touch seen; echo said; exit 3' ./recover seen $patience
has err "^foresee: the command of --on-finding ended with status 3, for finding 1" "a command that fails"
has err "^said$" "its output goes to stderr"
has err "status 42" "the program runs on"
is $status 1 "and so do we"

rm -f seen
FORESEE_COMMAND_SECONDS=1 run timeout 100 foresee run --on-finding 'touch seen; sleep 1000 & sleep 1000' ./recover seen $patience
has err "^foresee: the command of --on-finding took more than 1 s for finding 1 and was killed" "a command that hangs"
has out "data race on counter" "the report comes"
ok "all that it started is gone" test -z "$(pgrep -f '^sleep 1000$')"

run foresee run --on-finding "" ./recover
is $status 2 "an empty command"
has err "empty command after --on-finding" "is refused"

# Whatever the program calls its variables, no shell looks at it.
cat >hostile.std <<'X'
T1|fork(T2)|1
T1|w($(touch${IFS}broken)`touch${IFS}broken`;touch${IFS}broken)|2
T2|w($(touch${IFS}broken)`touch${IFS}broken`;touch${IFS}broken)|3
T2|w('"x)|4
T1|w('"x)|5
X
run foresee check -q --on-finding 'echo "$FORESEE_OBJECT"; eval : ; cat >>objects' hostile.std
is $status 1 "hostile names: status"
has err '^\$\(touch\$\{IFS\}broken\)`touch\$\{IFS\}broken`;touch\$\{IFS\}broken$' "names come as they are"
is "$(grep -c '^{"id"' objects)" 2 "one command for each finding"
hasnt err "FORESEE_TARGET" "no process: it is not running"

ok "no command in a name is run" test ! -e broken

# Warnings come at the end, and say so.
run foresee check -q -a eraser --on-finding 'echo "$FORESEE_STATUS ${FORESEE_TARGET-none}"' hostile.std
has err "^warning none$" "the status of a warning"

# More findings than commands can be run for.
for ((i = 0; i < 100; i++)); do
	echo "T1|w(x$i)|a$i"
	echo "T2|w(x$i)|b$i"
done | sed '1i T1|fork(T2)|0' >many.std
FORESEE_COMMAND_SECONDS=1 run timeout 100 foresee check -q --on-finding 'echo >>times; sleep 0.5' many.std
is $status 1 "many findings: status"
has err "it was not run for [0-9]+ of the findings" "those left out are counted"

# ---- windows ----

# Cuts come with every few megabytes, so this is as small as a recording in windows can be.
export FORESEE_MEMORY=60
rounds=${LONG:+2000000}
rounds=${rounds:-600000}
run timeout 300 foresee run -f json -o live.json ./busy $rounds
is $status 1 "more events than fit: status"
unset FORESEE_MEMORY
for v in early middle late; do
	has live.json "\"object\": \"$v\"" "the race on $v"
done
has live.json "parts that overlap by half" "it is said that there were parts"

done_testing
