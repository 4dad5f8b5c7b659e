#!/usr/bin/env bash
# Small programs with one bug each, and without it.  Explore finds the bug within a number of runs, with
# as few preemptions as it needs, and its schedule runs again; what is mended is explored to the end.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

mkdir tmp && export TMPDIR=$TEST_DIR/tmp

# The program, the preemptions that its bug needs, and how it shows.
cat >table <<'END'
aba               1  killed by signal 6
account           1  killed by signal 6
argument          0  killed by signal 6
atexit_free       1  killed by signal 11
bakery            2  killed by signal 6
barrier_few       0  deadlock
barrier_once      0  killed by signal 6
buffer_if         1  killed by signal 6
buffer_signal     0  deadlock
c11               1  deadlock
dekker            2  killed by signal 6
deque             2  killed by signal 6
double_check      1  killed by signal 6
epoll_order       0  killed by signal 6
event_reset       0  deadlock
eventfd_sum       0  deadlock
futex_lock        1  deadlock
join_locked       0  deadlock
join_wrong        0  status 1
last_item         1  killed by signal 6
late_user         1  use after free
local_static      1  killed by signal 6
lost_update       1  status 3
lost_updates      2  killed by signal 6
lost_wakeup       1  deadlock
made_twice        1  killed by signal 6
main_early        0  status 4
nested_monitor    0  deadlock
once_by_hand      1  killed by signal 6
peterson          2  killed by signal 6
philosophers      1  deadlock
pipe_order        0  killed by signal 6
poll_late         1  killed by signal 6
readers_writers   2  killed by signal 6
refcount          1  killed by signal 6
ring              1  killed by signal 6
rw_upgrade        0  deadlock
sem_extra         1  killed by signal 6
sem_two           1  deadlock
set_after_create  0  killed by signal 6
signal_first      1  deadlock
snapshot          1  killed by signal 6
stack_push        1  killed by signal 6
stop_flag         1  killed by signal 6
stops2            2  killed by signal 6
stops3            3  killed by signal 6
stream_open       0  deadlock
test_and_set      2  killed by signal 6
ticket            1  deadlock
timed_join        1  killed by signal 6
timed_wait        0  killed by signal 6
transfer          1  deadlock
trylock_fallback  1  killed by signal 6
two_locks         1  killed by signal 6
two_predicates    0  deadlock
underflow         1  killed by signal 6
used_before_made  0  killed by signal 11
wide_stack        1  killed by signal 6
END

# explore OUTPUT ARGS...: runs are what is limited, not time; the status goes behind the output.
explore() {
	local to=$1

	shift
	timeout 600 foresee explore -q --time 600 "$@" >"$to" 2>&1 </dev/null
	echo "status $?" >>"$to"
}

work() {
	local name=$1 file=$SRC/tests/programs/explore/$1.c cc="foresee-cc -g -O1 -pthread"

	[ -e "$file" ] || { file=${file}pp cc="foresee-c++ -g -O1 -pthread -mcx16"; }
	{ $cc "$file" -o "$name" && $cc -DFIXED "$file" -o "$name.good"; } >"$name.build" 2>&1 || return
	explore "$name.bounded" --strategy bounded --bound 3 --budget-runs 1000 "./$name"
	mv "$name.schedule" "$name.shortest"
	explore "$name.dpor" --strategy dpor --budget-runs 100 "./$name"
	explore "$name.auto" --budget-runs 2000 "./$name"
	timeout 60 foresee replay "$name.shortest" >"$name.again" 2>/dev/null </dev/null
	echo "status $?" >>"$name.again"
	explore "$name.whole" --strategy dpor --budget-runs 200 "./$name.good"
	explore "$name.none" --budget-runs 200 "./$name.good"
}
export -f explore work

cut -d' ' -f1 table | xargs -P 2 -n 1 bash -c 'work "$1"' work

while read -r name preemptions shows; do
	s=s && [ "$preemptions" = 1 ] && s=
	is "$(cat "$name.build")" "" "$name: builds"
	has "$name.bounded" "^1  $shows( \\([A-Z].*\\))?, in a schedule of [0-9]+ steps with $preemptions preemption$s\$" "$name: found with $preemptions preemption$s"
	has "$name.bounded" '^status 1$' "$name: status of what is found"
	has "$name.dpor" "^1  $shows( |,)" "$name: found by partial orders"
	has "$name.auto" "^1  $shows( |,)" "$name: found by default"
	has "$name.again" "^$shows( |,)" "$name: its schedule runs again"
	has "$name.again" '^status 0$' "$name: status of that"
	has "$name.whole" ': no failure; these are all that make a difference, [0-9]+ orders?$' "$name, mended: explored to the end"
	has "$name.whole" '^status 0$' "$name, mended: status of that"
	has "$name.none" ': no failure; ' "$name, mended: not accused"
	has "$name.none" '^status [03]$' "$name, mended: whether it came to the end or not"
done <table
is "$(cut -d' ' -f1 table)" "$(cd "$SRC/tests/programs/explore" && ls *.c *.cpp | sed 's/\.c\(pp\)\?$//' | sort | grep -vxE 'counts|hostile|signals')" "the table has all of them"
is "$(ls tmp)" "" "nothing is left behind"
done_testing
