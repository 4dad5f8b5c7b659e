#!/usr/bin/env bash
# What the locks of a deadlock are called, and what is said of a hang that no analysis explains.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

cat >locks.c <<'EOT'
#include <pthread.h>
#include <stdlib.h>

struct row { long n; pthread_mutex_t lock; };
static pthread_mutex_t forks[3], grid[2][3];
static struct row table[4];
static struct { pthread_mutex_t in, out; } box;

static struct row *row_new(void)
{
	struct row *r = malloc(sizeof(*r));
	pthread_mutex_init(&r->lock, NULL);
	return r;
}

static pthread_mutex_t *one, *other;

static void take(pthread_mutex_t *a, pthread_mutex_t *b)
{
	pthread_mutex_lock(a);
	pthread_mutex_lock(b);
	pthread_mutex_unlock(b);
	pthread_mutex_unlock(a);
}

static void *forth(void *arg) { take(one, other); return arg; }
static void *back(void *arg) { take(other, one); return arg; }

/* One after the other: the deadlock does not happen. */
static void both(void)
{
	pthread_t t;
	pthread_create(&t, NULL, forth, NULL);
	take(other, one);
	pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

	switch (argc > 1 ? argv[1][0] : 'a') {
	case 'a': one = &forks[0]; other = &forks[2]; break;
	case 'g': one = &grid[0][2]; other = &grid[1][0]; break;
	case 't': one = &table[1].lock; other = &table[3].lock; break;
	case 'b': one = &box.in; other = &box.out; break;
	case 'h': one = &row_new()->lock; other = &row_new()->lock; break;
	case 'l': one = &left; other = &right; break;
	}
	both();
	(void)back;
	return 0;
}
EOT
ok "builds" foresee-cc -g -O1 -pthread locks.c -o locks
# The run may hang as well as not: the finding and the names are the same.
named() {
	run timeout 60 foresee run ./locks "$1"
	has out "^1  deadlock of T[12] and T[12] on ($2, $3|$3, $2) +predicted, certified\$" "$4"
}
named a 'forks\[0\]' 'forks\[2\]' "elements of an array"
run foresee print --std locks.foresee
has out '\|acq\(locks\.c:forks\[2\]\)\|' "in text too"
cp out once.std
run foresee print --std once.std
same once.std out "which reads back"
run foresee check -q once.std
has out '^1  deadlock of T[12] and T[12] on .*forks\[[02]\]' "and is analysed"
run foresee print --lock-trees locks.foresee
has out '^ +forks\[0\] +1 time' "lock trees"
echo 'deadlock:lock:forks[[]2[]]' >rules
run foresee check --suppress rules locks.foresee
is "$status" 0 "a suppression by element"
echo 'deadlock:lock:forks*' >rules
run foresee check --suppress rules locks.foresee
is "$status" 0 "and of all elements"
named g 'grid\[0\]\[2\]' 'grid\[1\]\[0\]' "of two dimensions"
named t 'table\[1\]\.lock' 'table\[3\]\.lock' "in structs of an array"
named b 'box\.in' 'box\.out' "in a struct"
named h 'row\.lock \(heap#1\+8\)' 'row\.lock \(heap#2\+8\)' "in blocks, by who made them"
has out '^   heap#[12], heap#[12] were allocated by T1 at locks\.c:11 in row_new$' "whose making is told"
named l left right "on a stack"
has out '^   left is a local variable of T1: locks\.c:4[0-9] in main$' "whose declaration is told"

# Locks in blocks go by their path, the same in every event, by each compiler and at each level.
cat >paths.c <<'EOT'
#include <pthread.h>
#include <stdlib.h>

struct only { pthread_mutex_t m; };
struct account { long balance; pthread_mutex_t lock; pthread_cond_t changed; };
struct bank { int n; pthread_mutex_t *locks; struct account *first; struct only in; };
static struct account *accounts[2];
static struct bank *bank;
static pthread_mutex_t *loose;

static __attribute__((noinline)) void take(pthread_mutex_t *m)
{
	pthread_mutex_lock(m); // none
	pthread_mutex_unlock(m); // none
}

static __attribute__((noinline)) void enter(struct only *o)
{
	pthread_mutex_lock(&o->m); // only.m
	pthread_mutex_unlock(&o->m); // only.m
}

static void *worker(void *arg)
{
	struct account *a = arg;
	pthread_mutex_lock(&a->lock); // account.lock
	a->balance++;
	pthread_cond_signal(&a->changed); // account.changed
	pthread_mutex_unlock(&a->lock); // account.lock
	return arg;
}

int main(int argc, char **argv)
{
	struct { long n; pthread_mutex_t in; } box = { 0 };
	pthread_t t;

	accounts[0] = calloc(1, sizeof(struct account));
	accounts[1] = calloc(1, sizeof(struct account));
	bank = calloc(1, sizeof(*bank));
	bank->locks = calloc(4, sizeof(pthread_mutex_t));
	loose = calloc(4, sizeof(pthread_mutex_t));
	bank->first = accounts[1];
	pthread_mutex_lock(&box.in); // box.in
	pthread_mutex_unlock(&box.in); // box.in
	take(loose);
	enter(&bank->in);
	pthread_mutex_lock(&accounts[argc & 1]->lock); // account.lock
	pthread_mutex_unlock(&accounts[argc & 1]->lock); // account.lock
	pthread_mutex_lock(&bank->first->lock); // account.lock
	while (bank->first->balance)
		pthread_cond_wait(&bank->first->changed, &bank->first->lock); // account.changed
	pthread_mutex_unlock(&bank->first->lock); // account.lock
	pthread_mutex_lock(&bank->locks[argc]); // bank.locks[]
	pthread_mutex_unlock(&bank->locks[argc]); // bank.locks[]
	pthread_mutex_lock(&loose[argc]); // loose[]
	pthread_mutex_unlock(&loose[argc]); // loose[]
	pthread_create(&t, NULL, worker, accounts[0]);
	pthread_join(t, NULL);
	(void)argv;
	return 0;
}
EOT
awk '/ \/\/ / { print $NF, "paths.c:" NR }' paths.c >want
. "$SRC/tests/cli/compilers.sh"
for v in $LLVMS; do
	for level in 0 1 2; do
		FORESEE_LLVM=$v foresee-cc -g -O$level -pthread paths.c -o paths &&
			foresee record -q -o paths.foresee ./paths
		foresee print --sites paths.foresee | awk '
			$2 == "call" {
				name = $4 ~ /^\*/ ? "none" : $4
				place = $4 ~ /^paths/ ? $4 : $5
				if (place in seen || $4 == place)
					next
				seen[place]
				print name, place
			}' | sort -t: -k2n >got
		same want got "$v -O$level: paths"
	done
done
run foresee print paths.foresee
has out ' lock +account\.lock \(heap#[12]\+8\) ' "in print"
has out ' lock +heap#5 +paths\.c:13 in take' "what comes through one function has none"
run foresee print --lock-trees paths.foresee
has out '^  account\.lock \(heap#1\+8\) ' "in lock trees"

cat >bank.cc <<'EOT'
#include <memory>
#include <mutex>
#include <thread>

struct Account { long balance = 0; std::mutex m; };

static void transfer(Account &a, Account &b)
{
	std::lock_guard<std::mutex> one(a.m);
	std::lock_guard<std::mutex> other(b.m);
	a.balance--;
	b.balance++;
}

int main()
{
	auto a = std::make_unique<Account>(), b = std::make_unique<Account>();
	std::thread t([&] { transfer(*a, *b); });
	t.join();
	std::thread u([&] { transfer(*a, *b); });
	transfer(*b, *a);
	u.join();
}
EOT
for level in 0 2; do
	ok "C++ builds at -O$level" foresee-c++ -g -O$level -pthread bank.cc -o bank
	run timeout 60 foresee run ./bank
	named='Account\.m \(heap#[12]\+8\)'
	has out "^1  deadlock of T[13] and T[13] on $named, $named +predicted, certified\$" "C++ at -O$level"
	has out "^       waits for  $named  bank\.cc:10 in transfer" "with its place"
	hasnt out ' heap#[12]\+8 ' "and by no other name"
done
for rule in 'deadlock:lock:Account.m' '*:lock:Account.m*' 'deadlock:lock:heap#1+8'; do
	echo "$rule" >rules
	run foresee check -q --suppress rules bank.foresee
	is "$status" 0 "suppressed by $rule"
done
run foresee check -q -a patterns bank.foresee
has out "^1  deadlock of T[13] and T[13] on $named, $named +warning\$" "the same in a warning"
run foresee print --std bank.foresee
hasnt out 'Account\.m' "text has no paths"

# Without instrumentation the symbols of the program are the names, though it was built for the run.
run timeout 60 foresee run --locks-only locks.c
has out '^1  deadlock of T[12] and T[12] on forks(\+80)?, forks(\+80)? +warning$' "names with --locks-only"
has out ' locks\.c:2[0-9] in take$' "and places"

# A hang of one thread alone, and one that the analysis does not explain.
cat >again.c <<'EOT'
#include <pthread.h>
#include <stdlib.h>

struct door { long n; pthread_mutex_t lock, other; pthread_cond_t open; };
static struct door *door;
static int ready;

static void *sleeper(void *arg)
{
	pthread_mutex_lock(&door->lock);
	pthread_mutex_lock(&door->other);
	__atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);
	pthread_cond_wait(&door->open, &door->other);
	return arg;
}

static void enter(struct door *d)
{
	pthread_mutex_lock(&d->lock);
	d->n++;
}

int main(int argc, char **argv)
{
	pthread_t t;
	door = calloc(1, sizeof(*door));
	if (argc > 1) {
		pthread_create(&t, NULL, sleeper, NULL);
		while (!__atomic_load_n(&ready, __ATOMIC_SEQ_CST))
			;
	} else {
		pthread_mutex_lock(&door->lock);
	}
	enter(door);
	(void)argv;
	return 0;
}
EOT
foresee-cc -g -O1 -pthread again.c -o again
run timeout 60 foresee run ./again
has out '^1  deadlock of T1 with itself on door\.lock \(heap#1\+8\) +predicted, certified$' "with itself"
has out '^   T1  holds +door\.lock \(heap#1\+8\)  again\.c:3[0-9] in main$' "what it holds"
has out '^       waits for  door\.lock \(heap#1\+8\)  again\.c:19 in enter$' "and waits for"
has out '^   door\.lock \(heap#1\+8\) is not recursive; ' "and why"
if command -v python3 >/dev/null; then
	foresee check -f json again.foresee | python3 -c '
import json, sys
f = json.load(sys.stdin)["findings"][0]
print(f["threads"], f["object"], len(f["places"]), f["places"][0]["holds"])' >got
	echo "['T1'] ['door.lock (heap#1+8)'] 1 ['door.lock (heap#1+8)']" >want
	same want got "in JSON"
fi
run timeout 60 foresee run -a races ./again sleeper
has out '^1  hang: T1 and T2 wait for ever .* it happened$' "a hang is a finding"
has out '^   T1  waits for door\.lock \(heap#1\+8\), which T2 holds' "by the names of what is waited for"
has out '^   T2  waits for a signal of door\.open \(heap#1\+88\)' "of each thread"
done_testing
