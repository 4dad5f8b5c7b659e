#!/usr/bin/env bash
# Programs that do not want to be explored: it is said what could not be looked at, and nothing is left
# behind, however the exploration ends.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

mkdir tmp && export TMPDIR=$TEST_DIR/tmp
prog=hostile$$
foresee-cc -g -O1 -pthread "$SRC/tests/programs/explore/hostile.c" -o $prog || exit 2

explore() {
	run timeout 300 foresee explore -q --time 200 "$@"
}

# gone NAME: no process of the program is there any more.
gone() {
	local i

	for ((i = 0; i < 100; i++)); do
		pgrep -f "^./$prog " >/dev/null || break
		sleep 0.1
	done
	is "$(pgrep -f "^./$prog ")" "" "$1: no process is left"
}

# fine WHAT: explored to the end, and nothing found.
fine() {
	explore ./$prog $1
	is "$status" 0 "$1: status"
	has out ': no failure; these are all( that make a difference, [0-9]+ orders?)?$' "$1: explored to the end"
}

explore ./$prog crash
is "$status" 1 "crash at once: found"
has out '^1  killed by signal 6 \(Aborted\), in a schedule of 0 steps with 0 preemptions$' "crash at once: what"
fine close
explore ./$prog memory
is "$status" 3 "no memory: not explored"
has out '^[0-9]+ of them were ended: .*: Cannot allocate memory$' "no memory: is said"
fine sleep
fine robust
explore --strategy random --budget-runs 1 --fibers never --jobs 1 ./$prog wide
has out '^explored 1 schedules ' "wide: explored"
hasnt out 'were ended' "wide: no step takes too long"
# A handler, or what a timer does, would post what is waited for: neither explored, nor a deadlock.
for what in alarm timer request child interrupted; do
	explore ./$prog $what
	is "$status" 3 "$what: not explored"
	has out '^[0-9]+ of them were ended: nobody could go on unless a signal comes, ' "$what: is said"
done
fine exec
explore ./$prog fork
is "$status" 3 "fork: not called complete, for the other process is not explored"
hasnt out 'these are all' "fork: nor in words"
has out '^the program has made other processes: what they do is not explored$' "fork: is said"
explore ./$prog daemon
is "$status" 3 "daemon: not called complete"
has out '^the program has made other processes: what they do is not explored$' "daemon: is said"
explore ./$prog leave
is "$status" 3 "leave: not called complete"
gone leave
explore ./$prog exit
is "$status" 1 "exit in a thread: found"
has out '^1  status 7, in a schedule of' "exit in a thread: what"

# One run takes minutes: it is given up when the time is over.
cat >long.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *adds(void *arg)
{
	for (int i = 0; i < 100000; i++) {
		for (volatile int k = 0; k < 100000; k++)
			;
		pthread_mutex_lock(&m);
		x++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, adds, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
END
foresee-cc -g -O1 -pthread long.c -o long || exit 2
for how in auto dpor random; do
	run timeout 60 foresee explore -q --time 1 --strategy $how ./long
	is "$status" 3 "a long run, $how: the budget ran out"
	has out '^explored 0 schedules in .*: no failure; others are left: time ran out$' "a long run, $how: in the middle of it"
done

# Without threads, or without input.
cat >alone.c <<'END'
#include <unistd.h>
int main(int argc, char **argv)
{
	char c;
	(void)argv;
	return argc > 1 && read(0, &c, 1) != 1;
}
END
foresee-cc -g -O1 alone.c -o alone || exit 2
explore ./alone
is "$status" 0 "no thread: all was run"
has out '^the program has made no thread: there is one schedule' "no thread: is said"
hasnt out 'reads its input' "no thread: nor does it read"
run timeout 60 foresee explore -q ./alone reads <<<text
is "$status" 1 "input: there is none in any run"
has out '^the program reads its input, in which there is nothing' "input: is said"
(ulimit -v 2000000 && foresee explore -q ./alone) >out 2>err
is "$?" 2 "few addresses: refused"
has err 'cannot reserve the shadow .*Cannot allocate memory; addresses are limited to 1953 MB \(ulimit -v\)' "few addresses: why"

# It never comes to its main.
cat >before.c <<'END'
__attribute__((constructor)) static void early(void)
{
	for (volatile int i = 0;; i++)
		;
}
int main(void)
{
	return 0;
}
END
foresee-cc -g -O1 before.c -o before || exit 2
run timeout 60 foresee explore -q --time 2 ./before
is "$status" 2 "no main: refused"
has err '^foresee: time ran out before the program was at its main' "no main: why"

# A schedule with more steps than there is room for.
{
	printf 'foresee schedule 1\nprogram %s\ndirectory .\nargument x\noutcome deadlock\n' "$PWD/$prog"
	yes 'steps 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0' | head -60000
} >long.schedule
run foresee replay long.schedule
is "$status" 2 "long schedule: refused"
has err 'more than 1048576 steps' "long schedule: why"
# Threads, choices and the end before main: runs begin there.
cat >early.c <<'END'
#include <foresee.h>
#include <pthread.h>
#include <stdlib.h>
static int x, chosen;
static void *adds(void *arg)
{
	x = x + 1;
	return arg;
}
__attribute__((constructor)) static void early(void)
{
	pthread_t t;

	chosen = FORESEE_CHOOSE(3);
	pthread_create(&t, NULL, adds, NULL);
	x = x + 1;
	pthread_join(t, NULL);
	if (chosen == 1)
		exit(0);
}
int main(void)
{
	return x != 2;
}
END
foresee-cc -g -pthread early.c -o early || exit 2
explore --strategy dpor --all ./early
has out '^1  status 1, in a schedule of' "before main: the lost update is found"
has out '; these are all that make a difference, 12 orders$' "before main: every order, for each of three values"
# What another process gets depends on where the others are.
cat >forks.c <<'END'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *locks(void *arg) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return arg; }
static void *forks(void *arg)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(pthread_mutex_trylock(&m) != 0);
	waitpid(child, &status, 0);
	if (status != 0)
		_exit(9);
	return arg;
}
int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], 0, locks, 0);
	pthread_create(&t[1], 0, forks, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
END
explore forks.c
is "$status" 1 "fork while a lock is held: found"
has out '^1  status 9, in a schedule of' "fork while a lock is held: what"

# Loops that wait by looking, under a lock or by trying.
cat >looks.c <<'END'
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static int done;
static void *does(void *arg)
{
	pthread_mutex_lock(&m);
	done = 1;
	pthread_mutex_unlock(&m);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	int is_done = 0;

	(void)argv;
	if (argc > 1)
		pthread_mutex_lock(&held);
	pthread_create(&t, 0, does, 0);
	while (!is_done) {
		pthread_mutex_lock(&m);
		is_done = done;
		pthread_mutex_unlock(&m);
		usleep(1);
	}
	while (pthread_mutex_trylock(&held) != 0)
		sched_yield();
	pthread_join(t, 0);
	return 0;
}
END
foresee-cc -g -O1 -pthread looks.c -o looks
explore ./looks
is "$status" 0 "loops that look: explored to the end"
has out 'these are all.*, if loops that read the same again and again wait for a change$' "loops that look: what is taken for granted"
explore --time 2 ./looks for ever
is "$status" 3 "loops that look for ever: not explored"
has out '^[0-9]+ of them had no end: ' "loops that look for ever: is said"
has out '^  T1 stands before: (try lock held|yield) +at .*looks.c:[0-9]+ in main$' "loops that look for ever: where"

# A program whose way is decided by a file that it changes.
cat >fickle.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int was_there;
static void *locks(void *arg)
{
	for (int i = was_there; i < 2; i++) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
	return arg;
}
int main(void)
{
	pthread_t t[2];

	was_there = unlink("there") == 0;
	if (!was_there)
		close(open("there", O_CREAT | O_WRONLY, 0600));
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, locks, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
END
explore --budget-runs 300 fickle.c
is "$status" 3 "decided by a file: not called complete"
has out '^[0-9]+ of them went another way than the run before' "decided by a file: is said"

# What code that is not seen orders, or a signal, is no race.
cat >hands.c <<'END'
static _Atomic int there;
void put(void) { there = 1; }
int has(void) { return there; }
END
gcc -shared -fPIC hands.c -o libhands.so || exit 2
cat >ordered.c <<'END'
#include <pthread.h>
#include <signal.h>
void put(void);
int has(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y, read;
static void handler(int n) { read = y + n; }
static void turn(void) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
static void *gives(void *arg) { x = 1; put(); turn(); return arg; }
static void *takes(void *arg) { turn(); turn(); return has() && x != 1 ? arg : 0; }
int main(void)
{
	pthread_t t[2];
	void *wrong;

	signal(SIGUSR1, handler);
	pthread_create(&t[0], 0, gives, 0);
	pthread_create(&t[1], 0, takes, t);
	y = 1;
	pthread_kill(t[1], SIGUSR1);
	pthread_join(t[0], 0);
	pthread_join(t[1], &wrong);
	return wrong != 0;
}
END
foresee-cc -g -O1 -pthread ordered.c -L. -lhands -Wl,-rpath,"$PWD" -o ordered || exit 2
explore --strategy dpor ./ordered
is "$status" 0 "ordered by what is no step: nothing is found"
has out '; these are all that make a difference, ' "ordered by what is no step: explored to the end"
explore --strategy random --budget-runs 100 ./ordered
has out '^explored 100 schedules ' "a handler between locks: explored"
hasnt out 'were ended' "a handler between locks: does not come between a lock's turn and its call"

# Nor is what inline assembler orders, an initialisation that an exception has left, or a holder of a robust lock who is gone.
cat >left.cpp <<'END'
#include <cerrno>
#include <mutex>
#include <pthread.h>
static volatile int flag;
static std::once_flag once;
static pthread_mutex_t robust;
static int x, tries, held;
static void left()
{
	if (tries++ == 0)
		throw 1;
}
static void try_it()
{
	try {
		std::call_once(once, left);
	} catch (int) {
	}
	if (pthread_mutex_lock(&robust) == EOWNERDEAD)
		pthread_mutex_consistent(&robust);
	held++;
}
static void *first(void *arg)
{
	x = 1;
	__asm__ volatile("lock; orl $1, %0" : "+m"(flag)::"memory", "cc");
	try_it();
	return arg;
}
static void *second(void *arg)
{
	try_it();
	return __atomic_load_n(&flag, __ATOMIC_ACQUIRE) && x != 1 ? arg : nullptr;
}
int main()
{
	pthread_t t[2];
	pthread_mutexattr_t a;
	void *wrong;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &a);
	pthread_create(&t[0], nullptr, first, nullptr);
	pthread_create(&t[1], nullptr, second, t);
	pthread_join(t[0], nullptr);
	pthread_join(t[1], &wrong);
	return wrong != nullptr;
}
END
foresee-c++ -g -O1 -pthread left.cpp -o left || exit 2
explore --strategy dpor ./left
is "$status" 0 "assembler, once and robust locks: nothing is found"
has out '; these are all that make a difference, ' "assembler, once and robust locks: explored to the end"

# A status that is meant to be.
cat >five.c <<'END'
#include <pthread.h>
static void *work(void *arg) { return arg; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); return 5; }
END
explore five.c
is "$status" 1 "status 5: is a failure"
explore --expect-status 5 five.c
is "$status" 0 "--expect-status 5: is none"
explore --expect-status 256 five.c
is "$status" 2 "--expect-status: a status is wanted"

explore --budget-runs 5 ./$prog some 127
is "$status" 3 "127 threads: begun"
hasnt out 'more than' "127 threads: not too many"
explore --budget-runs 5 ./$prog many 200
is "$status" 3 "200 threads: not explored"
has out '^[0-9]+ of them were ended: more than 128 threads, ' "200 threads: is said"
explore --budget-runs 1 ./$prog spin
is "$status" 3 "no end: not explored"
has out '^1 of them had no end: ' "no end: is said"
explore ./$prog pipe
is "$status" 1 "pipe that nobody writes to: found"
has out '^1  deadlock, in a schedule of' "pipe that nobody writes to: what"
has out 'T2 waits for descriptor [0-9]+ at .*hostile.c:[0-9]+ in from_pipe$' "pipe that nobody writes to: who"
for what in outside network; do
	explore --time 3 ./$prog $what
	is "$status" 3 "$what: not explored"
	has out '^1 of them were ended: a step took more than [0-9]+ s, in code that waits for what is not seen' "$what: is said"
	gone $what
	[ $what = network ] || cp out hung
done
has hung '^  T2 in what it calls at .*hostile.c:[0-9]+ in odd$' "outside: where"
has out '^  T2 waits for descriptor [0-9]+ at .*hostile.c:[0-9]+ in odd$' "network: where"
explore ./$prog parent
is "$status" 2 "kills what runs it: trouble"
has err '^foresee: the program has ended before a run could be made of it(;.*)?$' "kills what runs it: is said"

explore /bin/true
is "$status" 2 "not built for recording: refused"
has err "^foresee: '/bin/true' was not built for recording" "not built for recording: is said"
explore ./nowhere
is "$status" 2 "not there: refused"
is "$(ls tmp)" "" "nothing is left behind"

# stopped SIGNAL WHAT...: in the middle.
stopped() {
	local signal=$1 pid i

	shift
	env --default-signal=INT foresee explore -q --time 200 ./$prog "$@" >out 2>err </dev/null &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		pgrep -f "^./$prog " >/dev/null && break
		sleep 0.1
	done
	sleep 0.3
	kill -$signal $pid
	{ wait $pid; } 2>/dev/null
	status=$?
	gone "SIG$signal, $*"
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
done_testing
