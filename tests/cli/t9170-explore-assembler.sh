#!/usr/bin/env bash
# Inline assembler in programs that are explored: an operand in memory is a step, and who waits by such instructions waits
# for a change of it.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

explore() {
	run timeout 120 foresee explore -q --time 60 "$@"
}

cat >own.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <string.h>
static unsigned lock, neighbour;
static int x, *nobody;
static const char *how;
static unsigned load(unsigned *p)
{
	unsigned v;
	__asm__ __volatile__("movl %1, %0" : "=r"(v) : "m"(*p) : "memory");
	return v;
}
static void store(unsigned *p, unsigned v)
{
	__asm__ __volatile__("movl %1, %0" : "=m"(*p) : "r"(v) : "memory");
}
static unsigned swap(unsigned *p, unsigned v)
{
	__asm__ __volatile__("xchgl %0, %1" : "+m"(*p), "+r"(v)::"memory");
	return v;
}
/* Pointers that lead nowhere. */
static void odd(void)
{
	__asm__ __volatile__("prefetcht0 %0" ::"m"(*nobody) : "memory");
	__asm__ __volatile__("" ::"r"(nobody), "r"((char *)nobody + 1) : "memory");
}
static void take(void)
{
	if (strcmp(how, "torn") == 0) { /* not atomic */
		while (load(&lock))
			;
		store(&lock, 1);
		return;
	}
	while (swap(&lock, 1))
		while (load(&lock))
			;
}
static void *adds(void *arg)
{
	odd();
	take();
	x = x + 1;
	store(&lock, 0);
	return arg;
}
static void *reads(void *arg)
{
	unsigned v;
	int a, b;
	do {
		while ((v = load(&lock)) & 1)
			;
		a = __atomic_load_n(&x, __ATOMIC_RELAXED);
		b = __atomic_load_n(&neighbour, __ATOMIC_RELAXED);
	} while (load(&lock) != v);
	assert(a == b);
	return arg;
}
static void *writes(void *arg)
{
	__asm__ __volatile__("lock; incl %0" : "+m"(lock)::"memory", "cc");
	__atomic_store_n(&x, 1, __ATOMIC_RELAXED);
	if (strcmp(how, "early") == 0)
		__asm__ __volatile__("lock; incl %0" : "+m"(lock)::"memory", "cc");
	__atomic_store_n(&neighbour, 1, __ATOMIC_RELAXED);
	if (strcmp(how, "early") != 0)
		__asm__ __volatile__("lock; incl %0" : "+m"(lock)::"memory", "cc");
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t, u;
	int spins;

	how = argc > 1 ? argv[1] : "";
	spins = strcmp(how, "swap") == 0 || strcmp(how, "torn") == 0;
	pthread_create(&t, NULL, spins ? adds : writes, NULL);
	pthread_create(&u, NULL, spins ? adds : reads, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(!spins || x == 2);
	return 0;
}
END
for version in $FORESEE_LLVMS; do
	FORESEE_LLVM=$version foresee-cc -g -O1 -pthread own.c -o own || exit 2
	for how in swap sequence; do
		for fibers in auto never; do
			explore --strategy dpor --fibers $fibers ./own $how
			is "$status" 0 "LLVM $version, $how, fibers $fibers: explored to the end"
			has out ': no failure; these are all that make a difference, [0-9]{2,} orders, if loops' "LLVM $version, $how, fibers $fibers: each order"
		done
	done
	for how in torn early; do
		explore ./own $how
		is "$status" 1 "LLVM $version, $how: found"
		has out '^1  killed by signal 6 \(Aborted\), ' "LLVM $version, $how: what"
		has out '^ +[0-9]+ .*update lock' "LLVM $version, $how: by what steps"
		run timeout 60 foresee replay own.schedule
		is "$status" 0 "LLVM $version, $how: again"
	done
done

# The same without assembler: what was read before a loop began is not of the loop.
cat >sequence.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_uint sequence;
static atomic_int a, b;
static void *writes(void *arg)
{
	sequence++;
	a = 1;
	b = 1;
	sequence++;
	return arg;
}
static void *reads(void *arg)
{
	unsigned v;
	int p, q;
	do {
		while ((v = sequence) & 1)
			;
		p = a;
		q = b;
	} while (sequence != v);
	assert(p == q);
	return arg;
}
int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, writes, NULL);
	pthread_create(&u, NULL, reads, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
END
explore --strategy dpor sequence.c
is "$status" 0 "a sequence: explored to the end"
has out ': no failure; these are all that make a difference, [0-9]+ orders, if loops' "a sequence: no run without end"
done_testing
