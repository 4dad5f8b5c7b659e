/*
 * Writes a random C program of nested locks; and the order of a run of it that comes to its end.
 *
 *	locks [--safe] SEED ORDER >PROGRAM.c
 *
 * The program is made by running it: at each step some thread of the simple model below does
 * something that it can do now, and that becomes the next line of this thread.  So a run in the
 * order of ORDER (lines of the program, one operation each) never blocks, though others may hang.
 *
 * With --safe no run hangs, by construction.  Either a blocking acquire is of a lock above all
 * that the thread holds (what was got by a try or within a time may lie anywhere), or only who has
 * the gate takes a second lock.  Nobody waits, joins or signs off while he holds a lock, and
 * everybody who waits has a flag of his own that is set before the signal.
 *
 * A line of the program looks like
 *
 *	GATE(57, pthread_mutex_lock(&m[1]))	// gate_at(57); ...; gate_past(57)
 *
 * (gate.h), and every line is run once at most: no loops, so lines are operations.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, MUTEXES = 4, RWLOCKS = 2, LOCKS = MUTEXES + RWLOCKS, SHAKES = 6, VARS = 3 };
enum { GATE = MUTEXES - 1 };	  /* of programs with a gate */
enum { LINES = 400, BLOCKS = 3 }; /* blocks that one thread is in */

/* A handshake: a condition, its mutex and its flag. */
enum shake { UNUSED, PARKED, SET, OVER };

struct block {
	unsigned held; /* locks that were taken in it */
	int tried;     /* the lock of a try, or -1 */
};

struct thread {
	bool exists, ended, joined;
	int parent, parked; /* handshake it waits for, or -1 */
	int left;	    /* operations to come */
	struct block block[BLOCKS];
	int depth;
	struct {
		int number; /* of the line; 0: no operation */
		char text[160];
	} line[LINES];
	int lines;
};

static struct thread thread[THREADS];
static int writer[LOCKS], readers[LOCKS]; /* thread + 1; count */
static int var[VARS];
static enum shake shake[SHAKES];
static bool blind[SHAKES]; /* without a flag */
static bool safe, gated;
static int order[THREADS * LINES], orders;
static uint64_t seed;

static unsigned below(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)((seed * 0x2545f4914f6cdd1du >> 33) % n);
}

/* Lines are numbered when they are made: thread, then place. */
static int number(int t)
{
	return t * LINES + thread[t].lines + 1;
}

__attribute__((format(printf, 2, 3))) static void say(int t, const char *format, ...)
{
	struct thread *me = &thread[t];
	va_list args;

	if (me->lines == LINES)
		exit(1);
	va_start(args, format);
	vsnprintf(me->line[me->lines].text, sizeof(me->line[0].text), format, args);
	va_end(args);
	me->lines++;
}

/* An operation that does not take place in this run. */
#define MAY_DO(t, format, ...)                               \
	do {                                                 \
		int n_ = number(t);                          \
                                                             \
		thread[t].line[thread[t].lines].number = n_; \
		say(t, format, n_, ##__VA_ARGS__);           \
	} while (0)

/* And one that does, now. */
#define DO(t, ...)                           \
	do {                                 \
		order[orders++] = number(t); \
		MAY_DO(t, __VA_ARGS__);      \
	} while (0)

static unsigned held(int t)
{
	unsigned all = 0;

	for (int i = 0; i <= thread[t].depth; i++)
		all |= thread[t].block[i].held;
	return all;
}

static const char *lock_name(int l)
{
	static char name[2][16];
	static int which;

	which = !which;
	snprintf(name[which], sizeof(name[0]), l < MUTEXES ? "&m[%d]" : "&rw[%d]",
		 l < MUTEXES ? l : l - MUTEXES);
	return name[which];
}

static bool is_free(int l, bool read)
{
	return writer[l] == 0 && (read || readers[l] == 0);
}

static void take(int t, int l, bool read)
{
	if (read)
		readers[l]++;
	else
		writer[l] = t + 1;
	thread[t].block[thread[t].depth].held |= 1u << l;
}

static bool may_block_on(int t, int l)
{
	unsigned mine = held(t);

	if (!safe)
		return true;
	if (gated)
		return l == GATE ? mine == 0 : (mine == 0 || (mine >> GATE & 1));
	return mine >> l == 0;
}

static bool do_lock(int t)
{
	int l = (int)below(LOCKS);
	bool read = l >= MUTEXES && below(2);

	if ((held(t) >> l & 1) || !is_free(l, read) || !may_block_on(t, l))
		return false;
	take(t, l, read);
	if (l < MUTEXES)
		DO(t, "GATE(%d, pthread_mutex_lock(%s))", lock_name(l));
	else
		DO(t, "GATE(%d, pthread_rwlock_%slock(%s))", read ? "rd" : "wr", lock_name(l));
	return true;
}

static void release(int t, int l)
{
	if (writer[l])
		writer[l] = 0;
	else
		readers[l]--;
	thread[t].block[thread[t].depth].held &= ~(1u << l);
	DO(t, "GATE(%d, pthread_%s_unlock(%s))", l < MUTEXES ? "mutex" : "rwlock", lock_name(l));
}

/* The gate goes last: who holds a second lock must have it. */
static bool do_unlock(int t)
{
	unsigned here = thread[t].block[thread[t].depth].held;
	int l = (int)below(LOCKS);

	if (!(here >> l & 1) || thread[t].block[thread[t].depth].tried == l)
		return false;
	if (gated && l == GATE && held(t) != 1u << GATE)
		return false;
	release(t, l);
	return true;
}

static struct block *open_block(int t)
{
	struct block *b = &thread[t].block[++thread[t].depth];

	*b = (struct block){ .tried = -1 };
	return b;
}

/* What a try takes is given back at the end of its block.  With a gate, tries need none either,
 * but then nothing may be waited for: such a block must not come outside. */
static bool do_try(int t)
{
	static const char *const how[] = { "TRY", "TIMED", "TRY" };
	int l = (int)below(MUTEXES);

	if (thread[t].depth == BLOCKS - 1 || (held(t) >> l & 1) ||
	    (gated && !(held(t) >> GATE & 1)))
		return false;
	if (!is_free(l, false)) {
		DO(t, "if (GATED(%d, pthread_mutex_trylock(%s)) == 0) {", lock_name(l));
		MAY_DO(t, "GATE(%d, pthread_mutex_unlock(%s))", lock_name(l));
		say(t, "}");
		return true;
	}
	open_block(t)->tried = l;
	take(t, l, false);
	DO(t, "if (GATED(%d, %s(%s)) == 0) {", how[below(3)], lock_name(l));
	return true;
}

/* On a value that was read: the same again in every run that the recording proves possible. */
static bool do_branch(int t)
{
	int v = (int)below(VARS);

	if (thread[t].depth == BLOCKS - 1)
		return false;
	open_block(t);
	DO(t, "if (GATED(%d, x[%d]) == %d) {", v, var[v]);
	return true;
}

static bool close_block(int t)
{
	struct block *b = &thread[t].block[thread[t].depth];

	if (thread[t].depth == 0 || (b->held & ~(b->tried < 0 ? 0 : 1u << b->tried)))
		return false;
	if (b->tried >= 0)
		release(t, b->tried);
	thread[t].depth--;
	say(t, "}");
	return true;
}

static bool do_access(int t)
{
	int v = (int)below(VARS);

	switch (below(3)) {
	case 0:
		DO(t, "r = GATED(%d, x[%d]);", v);
		break;
	case 1:
		var[v] = (int)below(3);
		DO(t, "GATE(%d, x[%d] = %d)", v, var[v]);
		break;
	default: /* where a value goes that nobody looks at */
		DO(t, "GATE(%d, y[%d] = r)", v);
	}
	return true;
}

/* Others wait for what a thread does here, so it must not depend on anything. */
static bool may_meet(int t)
{
	return thread[t].depth == 0 && (!safe || held(t) == 0);
}

static void do_release(int t, int h)
{
	DO(t, "GATE(%d, pthread_mutex_unlock(&cm[%d]))", h);
}

/* Begins to wait, when there is somebody to wake it. */
static bool do_park(int t)
{
	int h = (int)below(SHAKES), awake = 0;

	for (int i = 0; i < THREADS; i++)
		awake += thread[i].exists && !thread[i].ended && thread[i].parked < 0;
	if (!may_meet(t) || shake[h] != UNUSED || awake < 2)
		return false;
	blind[h] = !safe && below(3) == 0;
	shake[h] = PARKED;
	thread[t].parked = h;
	DO(t, "GATE(%d, pthread_mutex_lock(&cm[%d]))", h);
	if (!blind[h]) {
		DO(t, "f = GATED(%d, flag[%d]);", h);
		say(t, "if (!f) {");
	}
	DO(t, "WAIT(%d, pthread_cond_wait(&c[%d], &cm[%d]))", h, h);
	return true;
}

/* After the signal: in the same order as the lines, so this comes when t runs again. */
static void unpark(int t)
{
	int h = thread[t].parked;

	thread[t].parked = -1;
	if (!blind[h]) {
		DO(t, "f = GATED(%d, flag[%d]);", h);
		say(t, "}");
	}
	do_release(t, h);
}

static bool do_wait_for_flag(int t)
{
	int h = (int)below(SHAKES);

	if (!may_meet(t) || shake[h] != SET)
		return false;
	shake[h] = OVER;
	DO(t, "GATE(%d, pthread_mutex_lock(&cm[%d]))", h);
	DO(t, "f = GATED(%d, flag[%d]);", h);
	say(t, "if (!f)");
	MAY_DO(t, "WAIT(%d, pthread_cond_wait(&c[%d], &cm[%d]))", h, h);
	do_release(t, h);
	return true;
}

/* Sets the flag of one who waits or will wait; or signals once more for nothing. */
static bool do_signal(int t)
{
	int h = (int)below(SHAKES);
	const char *how = below(4) ? "signal" : "broadcast";
	bool locked = !blind[h] || below(2);

	if (!may_meet(t) || shake[h] == SET || (shake[h] == OVER && below(3)))
		return false;
	if (locked)
		DO(t, "GATE(%d, pthread_mutex_lock(&cm[%d]))", h);
	if (!blind[h])
		DO(t, "GATE(%d, flag[%d] = 1)", h);
	DO(t, "GATE(%d, pthread_cond_%s(&c[%d]))", how, h);
	if (locked)
		do_release(t, h);
	if (shake[h] == PARKED)
		for (int i = 0; i < THREADS; i++)
			if (thread[i].exists && thread[i].parked == h)
				unpark(i);
	shake[h] = shake[h] == UNUSED ? SET : OVER;
	return true;
}

static bool do_create(int t)
{
	for (int i = 1; i < THREADS; i++) {
		if (thread[i].exists || !may_meet(t))
			continue;
		thread[i] = (struct thread){
			.exists = true, .parent = t, .parked = -1, .left = 4 + (int)below(14)
		};
		thread[i].block[0].tried = -1;
		DO(t, "GATE(%d, pthread_create(&id[%d], NULL, thread%d, NULL))", i, i);
		return true;
	}
	return false;
}

static bool do_join(int t)
{
	for (int i = 1; i < THREADS; i++) {
		if (thread[i].parent != t || !thread[i].ended || thread[i].joined || !may_meet(t))
			continue;
		thread[i].joined = true;
		DO(t, "GATE(%d, pthread_join(id[%d], NULL))", i);
		return true;
	}
	return false;
}

/* Everything is given back and every child joined: true when that is so. */
static bool finish(int t)
{
	unsigned here = thread[t].block[thread[t].depth].held;

	if (close_block(t))
		return false;
	for (int l = 0; l < LOCKS; l++) {
		if ((here >> l & 1) && thread[t].block[thread[t].depth].tried != l) {
			release(t, l);
			return false;
		}
	}
	for (int i = 1; i < THREADS; i++) {
		if (thread[i].exists && thread[i].parent == t && !thread[i].joined) {
			do_join(t);
			return false;
		}
	}
	if (t == 0 && do_create(0))
		return false;
	for (int h = 0; h < SHAKES; h++) /* somebody must */
		if (shake[h] == PARKED) {
			do_signal(t);
			return false;
		}
	return true;
}

static void step(int t)
{
	static bool (*const ops[])(
		int) = { do_lock,	   do_lock,   do_lock,	 do_lock,   do_lock,   do_unlock,
			 do_unlock,	   do_unlock, do_unlock, do_unlock, do_try,    do_branch,
			 close_block,	   do_access, do_access, do_park,   do_signal, do_signal,
			 do_wait_for_flag, do_create, do_join };

	if (thread[t].left <= 0) {
		thread[t].ended = finish(t);
		return;
	}
	thread[t].left--;
	for (int tries = 0; tries < 10; tries++)
		if (ops[below(sizeof(ops) / sizeof(ops[0]))](t))
			return;
}

/* False: nobody could go on.  Then this is no program. */
static bool simulate(void)
{
	memset(thread, 0, sizeof(thread));
	memset(writer, 0, sizeof(writer));
	memset(readers, 0, sizeof(readers));
	memset(shake, 0, sizeof(shake));
	memset(blind, 0, sizeof(blind));
	memset(var, 0, sizeof(var));
	orders = 0;
	thread[0] = (struct thread){
		.exists = true, .parked = -1, .left = 4 + (int)below(10), .joined = true
	};
	thread[0].block[0].tried = -1;
	gated = safe && below(2);
	do_create(0);
	do_create(0);
	for (int steps = 0; steps < 2000; steps++) {
		int t = (int)below(THREADS);

		if (thread[0].ended)
			return true;
		if (thread[t].exists && !thread[t].ended && thread[t].parked < 0)
			step(t);
	}
	return false;
}

static void print_thread(int t)
{
	printf("\nstatic void *thread%d(void *arg)\n{\n\tint r = 0, f = 0;\n\n", t);
	for (int i = 0; i < thread[t].lines; i++) {
		if (thread[t].line[i].number)
			printf("#line %d\n", thread[t].line[i].number);
		printf("\t%s\n", thread[t].line[i].text);
	}
	printf("\t(void)r, (void)f;\n\treturn arg;\n}\n");
}

int main(int argc, char **argv)
{
	FILE *f;

	safe = argc == 4 && strcmp(argv[1], "--safe") == 0;
	if (argc != 3 + safe)
		return 2;
	seed = strtoull(argv[1 + safe], NULL, 10) * 0x9e3779b97f4a7c15u + 1;
	while (!simulate())
		;
	printf("#include \"gate.h\"\n\n"
	       "static pthread_mutex_t m[%d], cm[%d];\nstatic pthread_rwlock_t rw[%d];\n"
	       "static pthread_cond_t c[%d];\nstatic int x[%d], y[%d], flag[%d];\n"
	       "static pthread_t id[%d];\n",
	       MUTEXES, SHAKES, RWLOCKS, SHAKES, VARS, VARS, SHAKES, THREADS);
	for (int t = THREADS - 1; t >= 0; t--)
		if (thread[t].exists)
			print_thread(t);
	printf("\nint main(void)\n{\n\tpthread_mutex_t *all[] = { m, cm };\n\n\t(void)all;\n"
	       "\tgate_begin();\n\tthread0(NULL);\n\treturn 0;\n}\n");
	f = fopen(argv[2 + safe], "w");
	if (!f)
		return 2;
	for (int i = 0; i < orders; i++)
		fprintf(f, "%d\n", order[i]);
	return fclose(f) != 0;
}
