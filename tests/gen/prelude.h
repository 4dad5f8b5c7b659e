/*
 * What every generated program shares: the memory its threads fight over, and
 * the few protocols that need more than a line.  gen.c writes the rest.
 *
 * Races on plain memory are wanted.  What must hold all the same, so that each
 * program ends and is valid at -O0 and -O2: indices are bounded by masks of
 * local values, pointers in shared memory are always valid, and every blocking
 * operation is one that somebody will end.
 */
#ifndef GEN_PRELUDE_H
#define GEN_PRELUDE_H

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#define SOMETIMES __attribute__((unused)) static

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef unsigned __int128 u128;

/* Accesses at any address. */
typedef u16 u16u __attribute__((aligned(1), may_alias));
typedef u32 u32u __attribute__((aligned(1), may_alias));
typedef u64 u64u __attribute__((aligned(1), may_alias));
typedef u128 u128u __attribute__((aligned(1), may_alias));
typedef u32 v4 __attribute__((vector_size(16), may_alias));
typedef u64 v4q __attribute__((vector_size(32), may_alias));

struct packed {
	u8 a;
	u16 b;
	u8 c;
	u32 d;
	u64 e;
} __attribute__((packed));

union pun {
	u64 q;
	u32 d[2];
	u16 w[4];
	u8 b[8];
	float f;
	double g;
};

struct bits {
	u32 a : 3, b : 7, c : 22;
	u64 d : 40, e : 24;
};

struct big {
	u64 q[3];
	u32 d;
	u16 w;
	u8 b[7];
};

struct node {
	u64 key;
	u32 value;
	u16 half;
	u8 tag[6];
	struct node *next;
};

/* The stack memory a worker or a child's parent shares. */
struct frame {
	u64 q[2];
	u32 d[4];
	u16 w[4];
	u8 b[8];
};

typedef u64 (*leaf)(u64 acc, u32 *p, u8 *q);

#define RAW 256

/* The arrays that statements touch: X(type, name, elements).  heap is set before the threads
 * start, and the last byte of text stays 0. */
#define MEMORY(X)                          \
	X(_Alignas(32) u8, raw, RAW + 64)  \
	X(_Alignas(32) u8, raw2, RAW + 64) \
	X(u8, g8, 8)                       \
	X(u16, g16, 8)                     \
	X(u32, g32, 8)                     \
	X(u64, g64, 8)                     \
	X(volatile u8, vol8, 4)            \
	X(volatile u16, vol16, 4)          \
	X(volatile u32, vol32, 4)          \
	X(volatile u64, vol64, 4)          \
	X(float, real, 4)                  \
	X(double, wide, 4)                 \
	X(long double, longest, 2)         \
	X(struct packed, pk, 4)            \
	X(union pun, un, 8)                \
	X(struct bits, bt, 4)              \
	X(struct big, bg, 4)               \
	X(struct node *, heap, 4)          \
	X(char, text, 64)

#ifdef CLEAN
#include "clean.h"
#else
#define X(type, name, n) SOMETIMES type name[n];
MEMORY(X)
#undef X
#endif

SOMETIMES struct frame *frames[8];
SOMETIMES _Alignas(16) u128 pair[2];

SOMETIMES _Atomic u8 a8[4];
SOMETIMES _Atomic u16 a16[4];
SOMETIMES _Atomic u32 a32[4];
SOMETIMES _Atomic u64 a64[4];
SOMETIMES _Atomic double areal;
SOMETIMES atomic_flag flags[2];
SOMETIMES _Thread_local u64 own[4];

SOMETIMES pthread_mutex_t normal[3], recursive[2], checked;
SOMETIMES pthread_rwlock_t rw[2];
SOMETIMES pthread_spinlock_t spin[2];
SOMETIMES sem_t binary[2];
SOMETIMES mtx_t c11, c11rec;
SOMETIMES pthread_cond_t idle; /* nobody waits here without a deadline */
SOMETIMES pthread_once_t once[2] = { PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT };
SOMETIMES once_flag c11once = ONCE_FLAG_INIT;

/* raw as aligned words; functions, so that the compiler trusts the type. */
SOMETIMES u8 *raw_u8(u32 i)
{
	return &raw[i];
}

SOMETIMES u16 *raw_u16(u32 i)
{
	return (u16 *)(void *)raw + i;
}

SOMETIMES u32 *raw_u32(u32 i)
{
	return (u32 *)(void *)raw + i;
}

SOMETIMES u64 *raw_u64(u32 i)
{
	return (u64 *)(void *)raw + i;
}

/* How often each worker goes round in each phase; known when all is written. */
extern const u32 rounds[];

/* A moment `us' microseconds from now; 0 is long past. */
SOMETIMES struct timespec deadline(u32 us)
{
	struct timespec t = { 0, 0 };

	if (us) {
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += us * 1000;
		if (t.tv_nsec >= 1000000000) {
			t.tv_nsec -= 1000000000;
			t.tv_sec++;
		}
	}
	return t;
}

SOMETIMES void *get_memory(size_t n)
{
	void *p = malloc(n);

	if (!p)
		abort();
	return p;
}

/* --- meeting points: all workers, once per use --- */

struct gate {
	pthread_mutex_t m;
	pthread_cond_t c;
	u32 arrived, generation;
};

SOMETIMES struct gate gate = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };
SOMETIMES pthread_barrier_t barrier;
SOMETIMES sem_t arrived, seen_all, leave;
SOMETIMES _Atomic u32 present;

SOMETIMES void meet_gate(u32 n)
{
	u32 mine;

	pthread_mutex_lock(&gate.m);
	mine = gate.generation;
	if (++gate.arrived == n) {
		gate.arrived = 0;
		gate.generation++;
		pthread_cond_broadcast(&gate.c);
	}
	while (gate.generation == mine)
		pthread_cond_wait(&gate.c, &gate.m);
	pthread_mutex_unlock(&gate.m);
}

/* The last to arrive tells the others, hears from each, and lets them go: a
 * fast thread can thus not take what is meant for a slow one. */
SOMETIMES void meet_sem(u32 n)
{
	if (atomic_fetch_add(&present, 1) == n - 1) {
		for (u32 i = 0; i < n - 1; i++)
			sem_post(&seen_all);
		for (u32 i = 0; i < n - 1; i++)
			while (sem_wait(&arrived) != 0)
				;
		atomic_store(&present, 0);
		for (u32 i = 0; i < n - 1; i++)
			sem_post(&leave);
	} else {
		while (sem_wait(&seen_all) != 0)
			;
		sem_post(&arrived);
		while (sem_wait(&leave) != 0)
			;
	}
}

/* --- queues: in a phase as many puts as gets, a thread does only one of both --- */

struct fifo {
	pthread_mutex_t m;
	pthread_cond_t room, filled;
	u64 slot[3];
	u32 head, used;
};

SOMETIMES struct fifo fifo = {
	PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, { 0 }, 0, 0
};

SOMETIMES void fifo_put(u64 v)
{
	pthread_mutex_lock(&fifo.m);
	while (fifo.used == 3)
		pthread_cond_wait(&fifo.room, &fifo.m);
	fifo.slot[(fifo.head + fifo.used++) % 3] = v;
	pthread_cond_signal(&fifo.filled);
	pthread_mutex_unlock(&fifo.m);
}

SOMETIMES u64 fifo_get(void)
{
	u64 v;

	pthread_mutex_lock(&fifo.m);
	while (fifo.used == 0) {
		struct timespec t = deadline(100);

		if (pthread_cond_timedwait(&fifo.filled, &fifo.m, &t) != 0 && fifo.used == 0)
			pthread_cond_wait(&fifo.filled, &fifo.m);
	}
	v = fifo.slot[fifo.head];
	fifo.head = (fifo.head + 1) % 3;
	fifo.used--;
	pthread_cond_signal(&fifo.room);
	pthread_mutex_unlock(&fifo.m);
	return v;
}

struct belt {
	sem_t room, filled;
	mtx_t m;
	u32 slot[4], head, tail;
};

SOMETIMES struct belt belt;

SOMETIMES void belt_put(u64 v)
{
	while (sem_wait(&belt.room) != 0)
		;
	mtx_lock(&belt.m);
	belt.slot[belt.tail++ % 4] = (u32)v;
	mtx_unlock(&belt.m);
	sem_post(&belt.filled);
}

SOMETIMES u64 belt_get(void)
{
	u64 v;

	while (sem_wait(&belt.filled) != 0)
		;
	mtx_lock(&belt.m);
	v = belt.slot[belt.head++ % 4];
	mtx_unlock(&belt.m);
	sem_post(&belt.room);
	return v;
}

/* --- a mailbox: whoever takes a letter out owns it and frees it --- */

struct letter {
	u32 length;
	u8 body[];
};

SOMETIMES pthread_mutex_t mail_lock = PTHREAD_MUTEX_INITIALIZER;
SOMETIMES struct letter *mail[4]; /* guarded by mail_lock */
SOMETIMES u32 mails;
SOMETIMES _Atomic(struct letter *) courier; /* handed over by exchange alone */

SOMETIMES struct letter *letter_write(u64 v, u32 length, u32 how)
{
	struct letter *l = NULL;
	size_t n = sizeof(*l) + length;

	switch (how & 3) {
	case 0:
		l = malloc(n);
		break;
	case 1:
		l = calloc(1, n);
		break;
	case 2:
		l = aligned_alloc(16, (n + 15) & ~(size_t)15);
		break;
	case 3:
		l = malloc(sizeof(*l));
		if (l)
			l = realloc(l, n);
		break;
	}
	if (!l)
		abort();
	l->length = length;
	for (u32 i = 0; i < length; i++)
		l->body[i] = (u8)(v >> (i & 7));
	return l;
}

SOMETIMES u64 letter_read(struct letter *l)
{
	u64 v = 0;

	if (!l)
		return 1;
	for (u32 i = 0; i < l->length; i++)
		v = v * 31 + l->body[i];
	free(l);
	return v;
}

SOMETIMES void mail_put(u64 v, u32 length, u32 how)
{
	struct letter *l = letter_write(v, length, how);

	pthread_mutex_lock(&mail_lock);
	if (mails < 4) {
		mail[mails++] = l;
		l = NULL;
	}
	pthread_mutex_unlock(&mail_lock);
	free(l);
}

SOMETIMES u64 mail_get(void)
{
	struct letter *l = NULL;

	pthread_mutex_lock(&mail_lock);
	if (mails > 0)
		l = mail[--mails];
	pthread_mutex_unlock(&mail_lock);
	return letter_read(l);
}

/* --- odd calls --- */

__attribute__((unused, noinline)) static u64 by_value(struct big b, u64 v)
{
	b.q[v % 3] += v;
	return b.q[0] ^ b.q[1] ^ b.q[2] ^ b.d ^ b.b[v % 7];
}

__attribute__((unused, noinline)) static struct big by_return(u64 v)
{
	const struct big parts = { .q = { v, v + 1, v * 3 }, .d = (u32)v, .w = 7 };
	struct big b;

	memset(&b, 0, sizeof(b)); /* who is given it by value reads its padding too */
	memcpy(b.q, parts.q, sizeof(b.q));
	b.d = parts.d;
	b.w = parts.w;
	b.b[v % 7] = (u8)v;
	return b;
}

__attribute__((unused, noinline)) static u64 many(int n, ...)
{
	va_list ap;
	u64 v = 0;

	va_start(ap, n);
	while (n-- > 0)
		v = v * 7 + va_arg(ap, u64);
	va_end(ap);
	return v;
}

/* Come back out of `depth' frames at once. */
__attribute__((unused, noinline)) static void dive(jmp_buf *back, u32 depth, u32 *seen)
{
	*seen += depth;
	if (depth == 0)
		longjmp(*back, 1);
	dive(back, depth - 1, seen);
	*seen ^= 1; /* never reached; keeps the frame */
}

__attribute__((unused, noinline)) static u64 leap(u32 depth, u32 *seen)
{
	jmp_buf back;

	if (setjmp(back) == 0)
		dive(&back, depth, seen);
	return *seen;
}

__attribute__((unused, noinline, target("cx16"))) static u64 swap16(u128 *p, u64 v)
{
	u128 old = ((u128)v << 64) | (v * 3);

	return (u64)__sync_val_compare_and_swap(p, old & 1 ? old : 0, old);
}

SOMETIMES void once_a(void)
{
	g64[7] += 3;
	raw[RAW + 1] = 5;
}

SOMETIMES void once_b(void)
{
	bg[3].q[1] = g64[7];
}

/* --- start and end --- */

SOMETIMES pthread_t start(void *(*body)(void *), void *arg)
{
	pthread_t t;

	if (pthread_create(&t, NULL, body, arg) != 0)
		abort();
	return t;
}

SOMETIMES void set_up(u32 workers)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	for (u32 i = 0; i < 3; i++)
		pthread_mutex_init(&normal[i], NULL);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	for (u32 i = 0; i < 2; i++) {
		pthread_mutex_init(&recursive[i], &a);
		pthread_rwlock_init(&rw[i], NULL);
		pthread_spin_init(&spin[i], PTHREAD_PROCESS_PRIVATE);
		sem_init(&binary[i], 0, 1);
	}
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checked, &a);
	pthread_mutexattr_destroy(&a);
	mtx_init(&c11, mtx_plain);
	mtx_init(&c11rec, mtx_plain | mtx_recursive);
	pthread_cond_init(&idle, NULL);
	pthread_barrier_init(&barrier, NULL, workers);
	sem_init(&arrived, 0, 0);
	sem_init(&seen_all, 0, 0);
	sem_init(&leave, 0, 0);
	sem_init(&belt.room, 0, 4);
	sem_init(&belt.filled, 0, 0);
	mtx_init(&belt.m, mtx_plain);
#ifdef CLEAN
	regions_fill();
#else
	for (u32 i = 0; i < 4; i++) {
		heap[i] = get_memory(sizeof(*heap[i]));
		*heap[i] = (struct node){ .key = i * 77, .value = i, .next = heap[0] };
	}
	memset(text, 'a', sizeof(text) - 1);
#endif
}

SOMETIMES u64 clean_up(void)
{
	u64 v = g64[0] ^ un[0].q ^ raw[3];

	while (mails > 0)
		v += mail_get();
	v += letter_read(atomic_exchange(&courier, NULL));
#ifdef CLEAN
	v ^= regions_sum();
#else
	for (u32 i = 0; i < 4; i++) {
		v ^= heap[i]->key;
		free(heap[i]);
	}
#endif
	for (u32 i = 0; i < 3; i++)
		pthread_mutex_destroy(&normal[i]);
	pthread_barrier_destroy(&barrier);
	pthread_rwlock_destroy(&rw[0]);
	sem_destroy(&binary[0]);
	mtx_destroy(&c11);
	pthread_cond_destroy(&idle);
	return v;
}

#endif /* GEN_PRELUDE_H */
