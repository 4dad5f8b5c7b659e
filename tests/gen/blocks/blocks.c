/*
 * blocks SEED: write a random program whose threads have blocks that are meant to be atomic, with locks
 * that do not always hold them together.  The threads come one after the other, in an order that nobody
 * sees: link with tests/programs/order.c, without the pass.
 *
 * Blocks are marked by FORESEE_ATOMIC_BEGIN and _END, or are the calls of a function (FORESEE_ATOMIC).
 * Nothing waits, and a thread holds one lock at a time: every order of the threads comes to its end.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define VARIABLES 3u
#define LOCKS 2u
#define THREADS 3u

static uint64_t state;

static uint32_t below(uint32_t n)
{
	uint64_t x = state += 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return (uint32_t)((x ^ (x >> 31)) >> 32) % n;
}

/* One access, or a few that depend on each other; `a' and `b' are the thread's own. */
static void access_put(void)
{
	uint32_t v = below(VARIABLES), w = below(VARIABLES);

	switch (below(9)) {
	case 0:
	case 1:
		printf("\ta = v%u;\n", v);
		break;
	case 2:
		printf("\tv%u = a + 1;\n", v);
		break;
	case 3:
		printf("\tv%u = %u;\n", v, below(9));
		break;
	case 4:
		printf("\tv%u++;\n", v);
		break;
	case 5:
		printf("\tif (v%u < %u)\n\t\tv%u = %u;\n", v, 100 + below(9), w, below(9));
		break;
	case 6:
		printf("\tb = v%u;\n\tv%u = b;\n", v, w);
		break;
	case 7:
		printf("\tatomic_fetch_add(&n%u, 1);\n", v);
		break;
	default:
		printf("\tif (a < 50)\n\t\tatomic_store(&n%u, %u);\n", v, below(9));
	}
}

static void section_put(void)
{
	uint32_t lock = below(LOCKS), held = below(10) < 9;

	if (held)
		printf("\tpthread_mutex_lock(&m%u);\n", lock);
	for (uint32_t n = 1 + below(3); n > 0; n--)
		access_put();
	if (held)
		printf("\tpthread_mutex_unlock(&m%u);\n", lock);
}

static void function_put(uint32_t t)
{
	printf("\nFORESEE_ATOMIC static void f%u(void)\n{\n\tint a = 0, b = 0;\n\n", t);
	for (uint32_t n = 1 + below(2); n > 0; n--)
		section_put();
	printf("\t(void)a;\n\t(void)b;\n}\n");
}

static void thread_put(uint32_t t)
{
	function_put(t);
	printf("\nstatic void *t%u(void *arg)\n{\n\tint a = 0, b = 0;\n\n\torder_see(%u);\n", t, t);
	for (uint32_t n = 1 + below(3); n > 0; n--) {
		uint32_t kind = below(4);

		if (kind == 0) {
			printf("\tf%u();\n", t);
			continue;
		}
		if (kind < 3)
			printf("\tFORESEE_ATOMIC_BEGIN(\"t%u\");\n", t);
		for (uint32_t k = 1 + below(3); k > 0; k--)
			section_put();
		if (kind < 3)
			printf("\tFORESEE_ATOMIC_END();\n");
	}
	printf("\torder_at(%u);\n\t(void)a;\n\t(void)b;\n\treturn arg;\n}\n", t);
}

int main(int argc, char **argv)
{
	uint32_t threads;

	state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	threads = 2 + below(THREADS - 1);
	printf("#include <foresee.h>\n#include <pthread.h>\n#include <stdatomic.h>\n"
	       "#include \"order.h\"\n\n");
	for (uint32_t i = 0; i < LOCKS; i++)
		printf("static pthread_mutex_t m%u = PTHREAD_MUTEX_INITIALIZER;\n", i);
	for (uint32_t i = 0; i < VARIABLES; i++)
		printf("static int v%u;\nstatic atomic_int n%u;\n", i, i);
	for (uint32_t t = 0; t < threads; t++)
		thread_put(t);
	printf("\nint main(void)\n{\n\tpthread_t id[%u];\n\n", threads);
	for (uint32_t t = 0; t < threads; t++)
		printf("\tpthread_create(&id[%u], 0, t%u, 0);\n", t, t);
	for (uint32_t t = 0; t < threads; t++)
		printf("\tpthread_join(id[%u], 0);\n", t);
	printf("\treturn 0;\n}\n");
	return 0;
}
