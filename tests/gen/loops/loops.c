/*
 * Random programs made of loops over arrays: what the pass turns into ranges, and what it must not.
 *
 *	loops [--racy | --ordered] SEED
 *
 * Each loop is a function of its own that gets its arrays as pointers, which overlap as they will.  The
 * threads run one after the other, and the program ends by printing a sum over all that it did; --racy:
 * they run at once; --ordered: they take turns, loop by loop, in a way that is not recorded (order.h).
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOPS 12
#define THREADS 3
#define CALLS 8

static uint64_t state;

static unsigned pick(unsigned n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % n;
}

static const char *const types[] = { "uint8_t", "uint16_t", "uint32_t", "uint64_t",
				     "int32_t", "int64_t",  "float",	"double" };
static const int sizes[] = { 1, 2, 4, 8, 4, 8, 4, 8 };

static const char *one_of(const char *const *from, unsigned n)
{
	return from[pick(n)];
}

/* A value of iteration i. */
static const char *value(void)
{
	static const char *const values[] = {
		"q[i]",	    "q[i] + r[i]",	    "q[i] * 3 + 1",	   "q[i] + r[i + 1]",
		"p[i] + 1", "p[i] + q[i]",	    "q[i - 1] + q[i + 1]", "q[i] + c",
		"(T)i",	    "r[i] - q[i] + c",	    "q[2 * i] + r[i]",	   "q[i] > 3 ? q[i] : r[i]",
		"q[n - i]", "q[(uint8_t)(i + 200)]"
	};

	return one_of(values, sizeof(values) / sizeof(*values));
}

/* The heads of loops over i, upwards and downwards, with several kinds of counters. */
static const char *head(void)
{
	static const char *const heads[] = {
		"for (long i = 0; i < n; i++)",
		"for (long i = n; i-- > 0;)",
		"for (int i = 0; i < (int)n; i++)",
		"for (long i = 0; i < n; i += 2)",
		"for (unsigned long i = 1; i <= (unsigned long)n; i++)",
		"for (long i = n - 1; i >= 0; i -= 3)",
		"for (long i = 0; i < 100; i++)",
		"for (uint8_t i = 0; i < (uint8_t)n; i++)",
		"for (long i = n / 2; i != n; i++)",
	};

	return one_of(heads, sizeof(heads) / sizeof(*heads));
}

static void body(void)
{
	const char *h = head();

	switch (pick(12)) {
	case 0:
		printf("\t%s\n\t\tp[i + %d] = p[i] + (T)c;\n", h, (int)pick(9) - 4);
		break;
	case 1:
		printf("\t%s\n\t\tsum += q[i * %u] * (T)(r[i] + 1);\n", h, 1 + pick(4));
		break;
	case 2:
		printf("\t%s {\n\t\tp[i] = %s;\n\t\tr[i] = %s;\n\t}\n", h, value(), value());
		break;
	case 3:
		printf("\tif (n > 0)\n\t\tdo {\n\t\t\t*p++ = (T)(*q++ + %u);\n\t\t} while (--n > 0);\n",
		       pick(9));
		break;
	case 4:
		printf("\tstruct { T x, y, z; } *v = (void *)p, *w = (void *)q;\n"
		       "\t%s\n\t\tv[i / 4].%c = w[i / 4].y + v[i / 4].%c;\n",
		       h, 'x' + pick(3), 'x' + pick(3));
		break;
	case 5:
		printf("\tstruct { T x, y; } *v = (void *)p, *w = (void *)q;\n"
		       "\tfor (long i = 0; i < n; i++) {\n\t\tv[i].x = w[i].%c + 1;\n\t\tv[i].y = w[i].x;\n\t}\n",
		       'x' + pick(2));
		break;
	case 6:
		printf("\t%s\n\t\tif (q[i] > (T)%u)\n\t\t\tp[i] = %s;\n", h, pick(5), value());
		break;
	case 7:
		printf("\tT last = 0;\n\t%s {\n\t\tlast = q[i];\n\t\tp[i] = last + c;\n\t}\n\tsum += last;\n",
		       h);
		break;
	case 8:
		printf("\tfor (long y = 1; y < 6; y++)\n\t\tfor (long x = 1; x < 30; x++)\n"
		       "\t\t\tp[y * 32 + x] = (T)(q[y * 32 - 32 + x] + q[y * 32 + 32 + x] + q[y * 32 + x - 1] + "
		       "q[y * 32 + x + 1]) / 4;\n");
		break;
	case 9:
		printf("\tlong stride = n %% 7 - 2;\n\tfor (long i = 0; i < n / 3; i++)\n\t\tsum += q[i * stride] "
		       "+ r[i];\n");
		break;
	default:
		printf("\t%s\n\t\tp[i] = (T)(%s);\n", h, value());
	}
}

static void loop(int k)
{
	unsigned type = pick(8);

	printf("#define T %s\nstatic __attribute__((noinline)) uint64_t loop%d(T *p, T *q, T *r, long n)\n"
	       "{\n\tT sum = 0, c = *r;\n\n\t(void)c;\n",
	       types[type], k);
	body();
	printf("\treturn (uint64_t)(int64_t)(sum > 1e15 || sum < -1e15 || sum != sum ? 7 : sum);\n}\n#undef T\n");
	printf("enum { SIZE%d = %d };\n\n", k, sizes[type]);
}

static void array(int k)
{
	static const int places[] = { 0, 0, 1, 2, 5, 40, 300 };

	printf(", (void *)(memory[%u] + 16384 + %d * SIZE%d)", pick(3), places[pick(7)], k);
}

static bool ordered;
static int turns[THREADS][CALLS];

/* Which call comes when, of all that the threads make. */
static void deal(void)
{
	int made[THREADS] = { 0 };

	for (int n = 0; n < THREADS * CALLS; n++) {
		int t = (int)pick(THREADS);

		while (made[t] == CALLS)
			t = (t + 1) % THREADS;
		turns[t][made[t]++] = n;
	}
}

static void calls(int t)
{
	static const int counts[] = { 0, 1, 2, 7, 8, 9, 30, 100, 129, 300, 1000 };

	printf("static void *thread%d(void *arg)\n{\n\tuint64_t sum = 0;\n\n", t);
	for (int i = 0; i < CALLS; i++) {
		int k = (int)pick(LOOPS);

		if (ordered)
			printf("\torder_see(%d);\n", turns[t][i]);
		printf("\tsum += loop%d((void *)(memory[%u] + 16384)", k, pick(3));
		array(k);
		array(k);
		printf(", %d);\n", counts[pick(11)]);
		if (ordered)
			printf("\torder_at(%d);\n", turns[t][i]);
	}
	printf("\tsums[%d] = sum;\n\treturn arg;\n}\n\n", t);
}

int main(int argc, char **argv)
{
	bool racy = argc > 1 && strcmp(argv[1], "--racy") == 0;

	ordered = argc > 1 && strcmp(argv[1], "--ordered") == 0;
	if (argc != 2 + (racy || ordered)) {
		fprintf(stderr, "usage: loops [--racy | --ordered] SEED\n");
		return 2;
	}
	state = strtoull(argv[argc - 1], NULL, 10) * 7919 + 17;
	deal();
	printf("%s#include <pthread.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n"
	       "static uint8_t *memory[3];\nstatic uint64_t sums[%d];\n\n",
	       ordered ? "#include \"order.h\"\n" : "", THREADS);
	for (int k = 0; k < LOOPS; k++)
		loop(k);
	for (int t = 0; t < THREADS; t++)
		calls(t);
	printf("static void *(*const threads[])(void *) = { thread0, thread1, thread2 };\n\n"
	       "int main(void)\n{\n\tpthread_t id[%d];\n\tuint64_t sum = 0;\n\n"
	       "\tfor (int i = 0; i < 3; i++) {\n\t\tuint8_t *m = memory[i] = malloc(1 << 16);\n\n"
	       "\t\tfor (int k = 0; k < 1 << 16; k++)\n\t\t\tm[k] = (uint8_t)((k * 7 + i) %% 61 / 2);\n\t}\n",
	       THREADS);
	if (racy || ordered)
		printf("\tfor (int i = 0; i < %d; i++)\n\t\tpthread_create(&id[i], NULL, threads[i], NULL);\n"
		       "\tfor (int i = 0; i < %d; i++)\n\t\tpthread_join(id[i], NULL);\n",
		       THREADS, THREADS);
	else
		printf("\tfor (int i = 0; i < %d; i++) {\n\t\tpthread_create(&id[i], NULL, threads[i], NULL);\n"
		       "\t\tpthread_join(id[i], NULL);\n\t}\n",
		       THREADS);
	printf("\tfor (int i = 0; i < 3; i++)\n\t\tfor (int k = 0; k < 1 << 16; k++)\n"
	       "\t\t\tsum = sum * 31 + memory[i][k];\n"
	       "\tfor (int i = 0; i < %d; i++)\n\t\tsum = sum * 31 + sums[i];\n"
	       "\tprintf(\"%%llx\\n\", (unsigned long long)sum);\n\treturn 0;\n}\n",
	       THREADS);
	return 0;
}
