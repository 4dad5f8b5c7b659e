#!/usr/bin/env bash
# Runs in one process, threads as fibers: the answers are those of processes, and what a process might do
# otherwise is left to one.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

mkdir tmp && export TMPDIR=$TEST_DIR/tmp
prog=fibers$$

# timeless: but for how long it took.
timeless() {
	sed 's/ in [0-9.]* s, [0-9]* a second//; s/\.\(auto\|never\)\.schedule/.schedule/'
}
# both NAME PROG ARGS: the same with fibers and without.
both() {
	local name=$1 how

	shift
	for how in auto never; do
		timeout 300 foresee explore -q --time 250 --jobs 1 --all --budget-runs 150 --fibers $how --schedule "$name.$how.schedule" "$@" \
			2>&1 </dev/null | timeless >"$name.$how"
	done
}
work() {
	local name=$1

	foresee-cc -g -O1 -pthread "$SRC/tests/programs/explore/$name.c" -o "$name" 2>/dev/null
	foresee-cc -g -O1 -pthread -DFIXED "$SRC/tests/programs/explore/$name.c" -o "$name.good" 2>/dev/null
	both "$name.dpor" --strategy dpor "./$name"
	both "$name.good.random" --strategy random "./$name.good"
}
export -f timeless both work

# Every program of which the explorer knows what is wrong, and their mended twins.
(cd "$SRC/tests/programs/explore" && ls *.c | sed 's/\.c$//' | grep -vxE 'counts|hostile') >names
xargs -P 2 -n 1 bash -c 'work "$1"' work <names
while read -r name; do
	for what in "$name.dpor" "$name.good.random"; do
		has "$what.auto" '^explored [0-9]+ schedules: ' "$what: is explored"
		is "$(cat "$what.auto")" "$(cat "$what.never")" "$what: the same as by processes"
	done
done <names

# did KIND WHAT [KNOWN]: its runs are regular, or they are not, and the reason; what is known of all schedules.
did() {
	run timeout 300 foresee explore --time 250 --jobs 1 --strategy dpor --budget-runs 300 ./$prog "$2"
	has err "^foresee: fibers did $1" "$2: by fibers, or not"
	mv err said
	both "$2" --strategy dpor ./$prog "$2"
	has "$2.auto" ": no failure; ${3:-these are all that make a difference, [0-9]+ orders?\$}" "$2: explored, as far as that goes"
	is "$(cat "$2.auto")" "$(cat "$2.never")" "$2: the same as by processes"
}
foresee-cc -g -O1 -pthread "$SRC/tests/programs/fibers.c" -o $prog || exit 2
for what in nothing errno key allocate jump mask nest deep alloca stacks number print buffer detached many; do
	did '[1-9][0-9]* runs; [0-9]+ were done, or done again, by a process$' $what
done
did '0 runs; .*; not by fibers: system call [0-9]+$' file
did '0 runs; .*; not by fibers: system call 9$' map
did '0 runs; .*; not by fibers: system call [0-9]+$' pipe
did '0 runs; .*; not by fibers: system call 13$' signal
did '0 runs; .*; not by fibers: system call [0-9]+$' alarm
did '0 runs; .*; not by fibers: system call [0-9]+$' cancel
did '0 runs; .*; not by fibers: system call [0-9]+$' fork 'others are left$'
did '0 runs; .*; not by fibers: a thread or lock that is not of the plain kind$' attribute
did '0 runs; .*; not by fibers: a thread or lock that is not of the plain kind$' robust
did '0 runs; .*; not by fibers: much memory written to$' deeper
# (The unwinder is loaded, if it is not there yet.)
did '[0-9]+ runs; .*' leave

# C++: thread-local objects are made and destroyed, exceptions are caught, in every run anew.
cat >objects.cc <<'END'
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
static std::atomic<int> made, gone;
struct counted {
	std::string name = "a string that is too long to lie in the object itself";
	counted() { made++; }
	~counted() { gone++; }
};
static thread_local counted mine;
static counted global;
static std::mutex m;
static std::vector<int> all;
static void works(int i)
{
	try {
		if (mine.name.empty())
			return;
		throw std::runtime_error("caught");
	} catch (const std::exception &) {
		std::lock_guard<std::mutex> held(m);
		all.push_back(i);
	}
}
int main()
{
	auto shared = std::make_shared<int>(1);
	std::thread a(works, 1), b([shared] { works(*shared + 1); });
	a.join();
	b.join();
	return made == 3 && gone == 2 && all.size() == 2 && shared.use_count() == 1 ? 0 : 1;
}
END
if foresee-c++ -g -O1 -pthread objects.cc -o objects 2>/dev/null; then
	run timeout 300 foresee explore --time 250 --jobs 1 --strategy random --budget-runs 40 ./objects
	has out 'explored 40 schedules .*: no failure; ' "objects: no failure"
	both objects --strategy random ./objects
	is "$(cat objects.auto)" "$(cat objects.never)" "objects: the same as by processes"
fi

# Memory that can be written to is called as if it were code: the program crashes, and nothing hangs.
cat >astray.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char data[64] = { 1 };
static int set;
static void *sets(void *arg)
{
	pthread_mutex_lock(&m);
	data[0] = set = 1;
	pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t t;
	int was;
	pthread_create(&t, NULL, sets, NULL);
	pthread_mutex_lock(&m);
	was = set;
	pthread_mutex_unlock(&m);
	if (was)
		((void (*)(void))data)();
	pthread_join(t, NULL);
	return 0;
}
END
foresee-cc -g -O1 -w -pthread astray.c -o astray || exit 2
both astray --strategy dpor ./astray
has astray.auto '^1  killed by signal 11' "data is called: the program is killed"
is "$(cat astray.auto)" "$(cat astray.never)" "data is called: the same as by processes"
# Code that can be written to is left to processes.
foresee-cc -g -O1 -pthread -Wl,-z,execstack "$SRC/tests/programs/fibers.c" -o $prog.x || exit 2
run timeout 300 foresee explore --time 250 --jobs 1 --strategy dpor --budget-runs 300 ./$prog.x nothing
has out ': no failure; these are all' "a stack that may be code: explored"
is "$(grep 'fibers did [1-9]' err)" "" "a stack that may be code: not by fibers"

run foresee explore -q --fibers often ./$prog nothing
is "$status" 2 "--fibers: refused"
has err "no such choice: 'often'; auto or never" "--fibers: why"

# Nobody is left when the explorer is killed.
foresee explore -q --strategy random --budget-runs 100000000 --time 200 ./$prog nothing >out 2>err </dev/null &
pid=$!
for ((i = 0; i < 200; i++)); do
	pgrep -f "^./$prog " >/dev/null && break
	sleep 0.1
done
sleep 1
kill -KILL $pid
{ wait $pid; } 2>/dev/null
for ((i = 0; i < 100; i++)); do
	pgrep -f "^./$prog " >/dev/null || break
	sleep 0.1
done
is "$(pgrep -f "^./$prog ")" "" "killed: no process is left"
done_testing
