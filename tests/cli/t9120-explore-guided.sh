#!/usr/bin/env bash
# Searches that warnings of a first run guide: the spacecraft, whose environment has nothing to do with its
# deadlock, with as many runs as it takes (nothing here is by chance); and print --dependencies of it.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

cp "$SRC/examples/spacecraft.c" . && foresee-cc -g -O1 -pthread spacecraft.c -o spacecraft || exit 2

# explore STRATEGY OPTIONS... -- ARGS...: of the spacecraft.
explore() {
	local strategy=$1 options=()

	shift
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	run timeout 300 foresee explore -q --strategy "$strategy" "${options[@]}" ./spacecraft "${@:2}"
}

# ---- found in its window ----

for how in late early; do
	explore guided -- 40 10 2 $how
	is "$status" 1 "$how: a failure"
	has out '^1  deadlock, in a schedule of [0-9]* steps with 1 preemption$' "$how: the deadlock"
	has out '^explored 1 schedules in .*: 2 failures; others are left$' "$how: in the run that was predicted, with its race"
	is "$(grep -A1 'lost wakeup of.*(predicted, certified)' out | grep -c '^    confirmed by schedule 1$')" 2 "$how: as was predicted"
	has out '^    not looked for$' "$how: the others"
	has out '^  then each thread runs on while it can: [0-9]* more steps$' "$how: only the window is shown"
	is "$(grep -c 'objects' out)" 0 "$how: and nothing of the environment"
done
explore guided -- 40 200 2
has out '^explored 1 schedules' "however much the environment does"
run timeout 60 foresee replay spacecraft.schedule
is "$status" 0 "its schedule runs again"
has out '^deadlock, in a schedule of' "with everybody"
explore auto -- 40 10 2
has out '^explored 1 schedules' "it comes first by default"

# ---- all of the window ----

explore guided --all -- 40 10 2
is "$status" 1 "--all: failures"
has out '^explored 48 schedules in .*: 6 failures; others are left$' \
	"two that were predicted; 31 orders, of which 15 hang and go on with everybody"
is "$(grep -c '^[0-9]  deadlock, in a schedule of [0-9]* steps with 1 preemption$' out)" 2 "--all: two deadlocks"
is "$(grep -A1 'lost wakeup of' out | grep -c '^    confirmed by schedule [0-9]*$')" 2 "both lost wakeups are confirmed"
is "$(grep -A1 'data race on .*(predicted, certified)' out | grep -c '^    confirmed by schedule [0-9]*$')" 2 \
	"both predicted races"
is "$(grep -A1 'data race on .*(warning)' out | grep -c '^    confirmed by schedule [0-9]*$')" 2 "and two that were warnings"
${CC:-cc} -O1 -o flatten "$SRC/tests/cli/flatten.c" || exit 2
explore guided -f json -- 40 10 2
./flatten <out >flat
for want in '.failures.0.outcome="deadlock"' '.failures.0.strategy="guided"' '.warnings.0.kind="race"' \
	'.warnings.0.window.0=1' '.warnings.0.window.1=42' '.warnings.0.window.2=43' '.warnings.0.run=1' \
	'.warnings.0.forced=true' '.warnings.1.forced=false' '.warnings.1.run=0' \
	'.warnings.3.kind="lost-wakeup"' '.warnings.3.run=1' '.warnings.3.tried=false' '.warnings.3.complete=false'; do
	if grep -qxF -- "$want" flat; then pass "JSON: $want"; else fail "JSON: $want" && note flat 80; fi
done

# ---- what was predicted is run as it was predicted ----

# The deadlock comes first, and behind it there is so much that a search which turns back from the end of a run
# does not come to it.  The block is split by an order, not by an end.
cat >early.c <<'EOT'
#include <pthread.h>
#include <foresee.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
static int x, n;
static int get(void)
{
	pthread_mutex_lock(&m);
	int was = n;
	pthread_mutex_unlock(&m);
	return was;
}
static void set(int to)
{
	pthread_mutex_lock(&m);
	n = to;
	pthread_mutex_unlock(&m);
}
static void *run(void *arg)
{
	pthread_mutex_t *first = arg ? &a : &b, *second = arg ? &b : &a;
	if (arg != &x) {
		pthread_mutex_lock(first);
		pthread_mutex_lock(second);
		pthread_mutex_unlock(second);
		pthread_mutex_unlock(first);
	}
	FORESEE_ATOMIC_BEGIN("add");
	set(get() + 1);
	FORESEE_ATOMIC_END();
	for (int i = 0; i < 50; i++) {
		pthread_mutex_lock(&m);
		x++;
		pthread_mutex_unlock(&m);
	}
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, argc > 1 ? (void *)&x : i ? (void *)&a : NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
EOT
foresee-cc -g -O1 -pthread early.c -o early || exit 2
run timeout 60 foresee explore -q --strategy guided --budget-runs 5 ./early
is "$status" 1 "a deadlock in the beginning"
has out '^1  deadlock, in a schedule of [0-9]* steps with 1 preemption$' "is found"
is "$(grep -A1 'deadlock.*(predicted, certified)' out | grep -c '^    confirmed by schedule [12]$')" 1 "as was predicted"
run timeout 60 foresee explore -q --strategy guided --budget-runs 3 ./early apart
is "$(grep -A1 'atomicity of add.*(predicted, certified)' out | grep -c '^    confirmed by schedule [12]$')" 1 "a block is split"

# ---- without a window ----

explore dpor -- 40 10 2
is "$status:$(grep -c '^explored 3 schedules' out)" "1:1" "without a window, when the tasks come last"
explore dpor --budget-runs 60 -- 40 10 2 early
is "$status" 3 "and when they come first it is lost in the environment"

# ---- nothing to be found ----

explore guided -- 40 10 2 fixed
is "$status" 3 "fixed: no failure, and no proof"
hasnt out 'warned of' "fixed: nothing to look for"
has out '^explored 0 schedules .*: no failure; others are left$' "fixed: nothing was run"
explore auto --budget-runs 300 -- 40 10 2 fixed
is "$status" 3 "fixed: none by the others either"
cat >apart.c <<'EOT'
#include <pthread.h>
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *arg)
{
	for (int i = 0; i < (arg ? 2 : 1); i++) {
		pthread_mutex_lock(&m);
		x++;
		pthread_mutex_unlock(&m);
	}
	if (!arg)
		x = 7;
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, i ? &x : NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return x < 0;
}
EOT
foresee-cc -g -O1 -pthread apart.c -o apart || exit 2
run timeout 120 foresee explore -q --strategy guided ./apart
is "$status" 1 "a window of all threads"
has out '^    confirmed by schedule [0-9]*$' "its race is shown"
has out '2 failures; these are all that make a difference' "and is all there is"
has out '^    refuted: all schedules were run, and none shows it$' "what nobody has seen is refuted"

# ---- by a recording, and in windows of one's own ----

foresee record -q -o apart.foresee ./apart || exit 2
run timeout 120 foresee explore -q --strategy guided --from apart.foresee ./apart
is "$status" 1 "--from: a failure"
has out '^the recording warned of:$' "--from: what guides it"
has out '^    confirmed by schedule [0-9]*$' "--from: and is shown"
has out '2 failures; these are all that make a difference' "--from: and is all there is"
run foresee explore -q --from apart.foresee ./spacecraft 4 1 1
is "$status" 2 "--from: of another program"
has err "'apart.foresee' is a recording of .*/apart, not of './spacecraft'" "--from: is refused"
explore guided --window T42,T43 -- 40 10 2 fixed
is "$status" 3 "--window: no proof"
has out '^explored 16 schedules in .*: no failure; others are left$' "--window: all orders of two tasks that are mended"
run timeout 120 foresee explore -q --strategy guided --window all ./apart
has out '2 failures; these are all that make a difference, 9 orders$' "--window all: of everybody"
hasnt out '^no run had' "--window all: no thread is missed"
run timeout 120 foresee explore -q --strategy guided --window T2,T9 ./apart
has out '^no run had the thread T9 of the window$' "--window T9: a thread that is not there"
for wrong in T0 T129 x T2, T2,,T3; do
	run foresee explore --window $wrong ./apart
	is "$status" 2 "--window $wrong: refused"
done
run foresee explore --strategy dpor --window all ./apart
is "$status" 2 "--window: of guided only"

# A lockset warning that is none: the post orders the two.
cat >handed.c <<'EOT'
#include <pthread.h>
#include <semaphore.h>
static int x;
static sem_t given;
static void *give(void *arg)
{
	x = 1;
	sem_post(&given);
	return arg;
}
static void *take(void *arg)
{
	sem_wait(&given);
	x++;
	return arg;
}
static void *apart(void *arg)
{
	return arg;
}
int main(void)
{
	void *(*const all[])(void *) = { give, take, apart };
	pthread_t t[3];
	sem_init(&given, 0, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, all[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return x != 2;
}
EOT
foresee-cc -g -O1 -pthread handed.c -o handed || exit 2
run timeout 120 foresee explore -q --strategy guided ./handed
is "$status" 3 "a warning that is none: no failure"
has out 'data race on x, .*\(warning\)$' "it is looked for"
has out '^    not found in its window of 3 of 4 threads \(complete, [0-9]* runs?\)$' "and not found in all of its window"

# ---- why these threads ----

foresee record -q -o fixed.foresee ./spacecraft 4 10 2 fixed || exit 2
run foresee print --dependencies fixed.foresee
is "$status" 0 "--dependencies"
sed -n '/^T6$/,/^T7$/p' out >planner
has planner '^  is made by T1$' "the planner is made by main"
has planner '^  reads what T7 writes  *.*event.count.*  spacecraft.c:[0-9]* in next_event$' "and reads what the executive writes"
hasnt planner 'T[2345]' "the environment has nothing to do with it"
done_testing
