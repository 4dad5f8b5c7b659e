#!/usr/bin/env bash
# Live and offline give the same findings on the end-to-end programs: each is recorded with an
# observer at the other end of a proxy that shuffles messages across threads, over Unix and TCP
# sockets, and the observer's report is held against that of `check' on the recorder's own file.
# Some of the programs; with LONG all of them, each over both.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

here=$SRC/tests/programs
every=${LONG:+1}
every=${every:-5}
${CC:-cc} -O1 -c -o order.o "$here/order.c" && ${CC:-cc} -O1 -o flatten "$SRC/tests/cli/flatten.c" &&
	${CC:-cc} -O1 -D_GNU_SOURCE -o shuffle "$SRC/tests/link/shuffle.c" || exit 2
export FORESEE_TOKEN=of-the-test

observer= proxy=
trap 'kill -KILL $observer $proxy 2>/dev/null; cd / && rm -rf "$TEST_DIR"' EXIT

# wait_for FILE REGEX
wait_for() {
	for _ in $(seq 200); do
		grep -Eqs -e "$2" "$1" && return
		sleep 0.02
	done
}

# between KIND SEED: starts both; sets $at
between() {
	rm -f ./*.sock proxy.out observer.err
	case $1 in
	unix) set -- unix:"$PWD/o.sock" unix:"$PWD/p.sock" $2 ;;
	tcp) set -- :0 tcp:$((20000 + RANDOM % 20000)) $2 ;;
	esac
	foresee observe --once -f json --listen "$1" --spool spool >live.json 2>observer.err &
	observer=$!
	wait_for observer.err 'listening on'
	at=$(sed -n 's/.*listening on \([^;]*\);.*/\1/p' observer.err)
	./shuffle "$2" "${at/tcp:127.0.0.1:/tcp:}" $3 >proxy.out 2>proxy.err &
	proxy=$!
	wait_for proxy.out ready
	at=${2/tcp:/tcp:127.0.0.1:}
}

# flat FILE: the findings, and nothing that names the file
flat() {
	./flatten <"$1" | grep -E '^\.(findings|analyses)\.' | grep -Ev '\.seconds|second=|\.witness'
}

# try NAME KIND SEED ARGS...: the program is there as ./prog
try() {
	local bad=

	rm -rf spool prog.foresee
	between $2 $3
	timeout 60 foresee record --observer "$at" -o prog.foresee ./prog "${@:4}" >out 2>err </dev/null
	grep -q 'has received all' err || bad="not all was received"
	wait $observer
	live=$?
	{ kill $proxy && wait $proxy; } 2>/dev/null
	timeout 60 foresee check -f json prog.foresee >check.json 2>check.err
	offline=$?
	[ $live = $offline ] || bad="status $live live, $offline offline"
	flat live.json >live.flat
	flat check.json >check.flat
	cmp -s live.flat check.flat || bad="findings differ"
	foresee print prog.foresee >printed 2>/dev/null
	foresee print spool/*.foresee >copy 2>/dev/null
	cmp -s printed copy || bad="events differ"
	if [ -z "$bad" ]; then
		pass "$1, $2: $(grep -Ec '^\.findings\.[0-9]*\.kind' live.flat) findings, $(wc -l <printed) lines"
	else
		fail "$1, $2: $bad"
		diff live.flat check.flat | head -20 >log
		note log
		note err
		note observer.err
		note proxy.err
	fi
}

n=0
for p in "$here"/*.c "$here"/race/*.c "$here"/deadlock/*.c "$here"/deadlock/*.cpp; do
	name=${p#"$here/"}
	n=$((n + 1))
	[ $((n % every)) = 0 ] || continue
	case $name in order.c | load.c | partly.c | deadlock/*_tool.c) continue ;; esac
	grep -q '^// hangs' "$p" && continue # record leaves it hanging
	cc=foresee-cc
	case $name in *.cpp) cc="foresee-c++ -std=c++17" ;; esac
	flags=$(sed -nE '/^\/\/ (bug|safe):/ { s/^[^:]*://; p; q }' "$p")
	$cc -g -O1 $flags -D_GNU_SOURCE -I"$here" "$p" order.o -o prog -pthread -ldl >log 2>&1 || {
		grep -q 'int main' "$p" && fail "$name builds" && note log
		continue
	}
	if [ -n "${LONG:-}" ]; then
		for seed in 1 2 3; do
			try "$name" unix $seed
			try "$name" tcp $seed
		done
	else
		kinds=(unix tcp)
		try "$name" ${kinds[$((n / every % 2))]} $n
	fi
done

# Enough of it that chunks are closed while others are sent, and a finding among it.
for kind in unix tcp; do
	ok "racy builds" foresee-cc -O2 -g -pthread -I"$SRC/tests/perf/kernels" "$SRC/tests/perf/kernels/racy.c" -o prog
	try "racy (kernel)" $kind 1 20000
done
done_testing
