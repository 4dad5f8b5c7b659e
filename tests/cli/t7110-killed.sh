#!/usr/bin/env bash
# A program that is killed, or crashes, at any moment and in any thread: its trace can be read, is
# consistent, and has of each thread all but what it was doing.  LONG=1 kills it 200 times.
. "$(dirname "$0")/../lib.sh"
ulimit -c 0
here=$SRC/tests/programs/killed
ok "the program builds" foresee-cc -O2 -g -pthread "$here/worker.c" -o worker

# rounds: of each worker the last round that its trace has; T2 is the first of them.
rounds() {
	timeout 100 foresee print -q killed.foresee 2>/dev/null | awk '
		$3 == "write" && $4 ~ /^map#/ {
			split($2, at, ":"); n = $6 + 0
			if (n > last[at[1]]) last[at[1]] = n
		}
		END { print last["T2"] + 0, last["T3"] + 0, last["T4"] + 0 }'
}

# good: the last trace is consistent and lacks at most a few rounds of each thread; else $why.
good() {
	local -a did has
	local i
	why=
	run timeout 100 foresee verify killed.foresee
	[ $status = 0 ] || why="verify: status $status: $(head -3 err | tr '\n' ';')"
	[ "${1:-}" = all ] || return 0
	read -r -a did < <(od -An -tu8 -w24 -N24 counts)
	read -r -a has < <(rounds)
	for i in 0 1 2; do
		((did[i] - has[i] <= 2 && did[i] >= has[i])) ||
			why="$why worker $i did ${did[i]} rounds, its trace has ${has[i]};"
	done
	return 0
}

# dies NAME STATUS WHAT -- OPTIONS -- ARGS: one run.
dies() {
	local name=$1 wanted=$2 what=$3 options=()
	shift 4
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	run timeout 60 foresee record -q -o killed.foresee "${options[@]}" ./worker counts "$@"
	if [ $status != "$wanted" ]; then
		why="status $status, not $wanted"
	else
		good "$what"
	fi
	if [ -z "$why" ]; then
		pass "$name"
	else
		fail "$name"
		echo "# $* $why"
	fi
}

# Crashes, in every kind of thread.
for who in main worker holder; do
	dies "SIGSEGV in $who" 139 all -- -- segv $who $((RANDOM % 3000 + 1)) 4000
	dies "abort in $who" 134 all -- -- abort $who $((RANDOM % 3000 + 1)) 4000
	dies "abort in a handler in $who" 134 all -- -- handler $who $((RANDOM % 3000 + 1)) 4000
done

# SIGKILL at random moments.
times=10
[ -n "${LONG:-}" ] && times=200
bad=0
for ((i = 0; i < times; i++)); do
	when=$((RANDOM % 100 * (RANDOM % 100) + 1))
	timeout 60 foresee record -q -o killed.foresee ./worker counts kill main $when 4000 2>/dev/null
	good all
	[ -z "$why" ] || {
		bad=$((bad + 1))
		echo "# after $when: $why"
	}
done
is $bad 0 "$times times SIGKILL: consistent, and all is there"
for i in 1 2 3; do
	dies "SIGKILL with --keep" 137 all -- --keep 4M -- kill main $((RANDOM + 100000)) 100000
	dies "SIGKILL with --locks-only" 137 some -- --locks-only -- kill main $((RANDOM + 1000)) 400000
	dies "SIGKILL with --locks-only --keep" 137 some -- --locks-only --keep 4M -- \
		kill main $((RANDOM + 1000)) 400000
done

# Threads that never synchronise: runs of reads are closed now and then, so that what came before
# can be relied on.
ok "a race without synchronisation builds" foresee-cc -O2 -g -pthread "$here/unsettled.c" -o unsettled
run timeout 60 foresee record -q -o unsettled.foresee ./unsettled
is "$status" 137 "it is killed"
run timeout 100 foresee verify unsettled.foresee
is "$status" 0 "and consistent"
run timeout 100 foresee check unsettled.foresee
is "$status" 1 "its race is predicted"
has out 'data race on counter .*certified' "and certified"
done_testing
