#!/usr/bin/env bash
# Several schedules at once: the answer is the same for every --jobs, in text, in JSON and as a schedule; and
# nothing is left behind, however the exploration ends.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

mkdir tmp && export TMPDIR=$TEST_DIR/tmp

# Rates and times differ, nothing else does.
timeless() {
	sed -E 's/ in [0-9.]+ s(, [0-9]+ a second)?//; s/"seconds": [0-9.e-]+/"seconds": 0/'
}

# Runs are what is limited, not time.  "alone": one at a time; the others are compared with it.
work() {
	local name=$1 file=$SRC/tests/programs/explore/$1.c good jobs strategy

	for good in "" good; do
		foresee-cc -g -O1 -pthread ${good:+-DFIXED} "$file" -o "$name$good" || return
		for jobs in 1 2 4; do
			for strategy in auto dpor bounded pct; do
				timeout 300 foresee explore -q --time 600 --all --jobs $jobs --strategy $strategy --budget-runs 100 \
					--schedule "$name$good.$strategy.jobs$jobs.schedule" "./$name$good" </dev/null 2>&1
				echo "status $?"
			done | timeless | sed "s/\\.jobs$jobs\\.schedule/.schedule/g" >"$name$good.text.$jobs"
			timeout 300 foresee explore -q --time 600 -f json --jobs $jobs --budget-runs 100 --schedule "$name$good.json.jobs$jobs.schedule" \
				"./$name$good" </dev/null 2>&1 | timeless | sed "s/\\.jobs$jobs\\.schedule/.schedule/g" >"$name$good.json.$jobs"
		done
	done >"$name.build" 2>&1
}
export -f work timeless

programs='aba buffer_signal dekker double_check lost_update lost_wakeup philosophers readers_writers stops2 ticket'
tr ' ' '\n' <<<"$programs" | xargs -P 2 -n 1 bash -c 'work "$1"' work

for name in $programs; do
	is "$(cat "$name.build")" "" "$name: builds"
	for good in "" good; do
		for jobs in 2 4; do
			for what in text json; do
				same "$name$good.$what.1" "$name$good.$what.$jobs" "$name${good:+, mended}: the same $what by $jobs jobs"
			done
		done
	done
	has "$name.text.1" '^1  ' "$name: something is found"
	for strategy in auto dpor bounded pct; do
		[ -e "$name.$strategy.jobs1.schedule" ] || continue
		for jobs in 2 4; do
			same "$name.$strategy.jobs1.schedule" "$name.$strategy.jobs$jobs.schedule" "$name: the same schedule by $jobs jobs, $strategy"
		done
	done
done

run foresee explore --jobs 0 ./lost_update
is "$status" 2 "no job: refused"
run foresee explore --jobs 65 ./lost_update
is "$status" 2 "too many jobs: refused"

# ---- nobody is left ----

prog=jobs$$
foresee-cc -g -O1 -pthread "$SRC/tests/programs/explore/hostile.c" -o $prog || exit 2

# stopped SIGNAL WHAT...: in the middle.
stopped() {
	local signal=$1 pid i

	shift
	env --default-signal=INT foresee explore -q --jobs 4 --time 200 --budget-runs 1000000 --strategy random ./$prog "$@" >out 2>err </dev/null &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		[ "$(pgrep -fc "^./$prog ")" -ge 6 ] && break # 4 servers, what they come from, and a run
		sleep 0.1
	done
	sleep 0.3
	kill -$signal $pid
	{ wait $pid; } 2>/dev/null
	status=$?
	for ((i = 0; i < 100; i++)); do
		pgrep -f "^./$prog " >/dev/null || break
		sleep 0.1
	done
	is "$(pgrep -f "^./$prog ")" "" "SIG$signal, $*: no process is left"
}
for what in outside "some 60"; do
	for signal in INT TERM; do
		stopped $signal $what
		is "$status" 3 "SIG$signal, $what: status"
		has out '^it was stopped before its end$' "SIG$signal, $what: is said"
		is "$(ls tmp)" "" "SIG$signal, $what: nothing is left behind"
	done
	stopped KILL $what
	rm -rf tmp/*
done
# Each run kills what runs it: that is trouble, and not a matter of how many there are.
for jobs in 1 4; do
	run timeout 100 foresee explore -q --jobs $jobs ./$prog parent
	is "$status" 2 "kills what runs it, $jobs jobs: trouble"
	is "$(pgrep -f "^./$prog ")" "" "kills what runs it, $jobs jobs: no process is left"
done
done_testing
