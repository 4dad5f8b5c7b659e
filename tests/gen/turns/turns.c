/*
 * Random programs in which threads race, and always in the same order.
 *
 *	turns SEED [ROUNDS]
 *
 * The threads take turns, in which they do a few things each to shared variables, several of them in one
 * word.  Whose turn it is stands in a variable that only inline assembler touches, of which the pass sees no
 * access; so no call, and no synchronisation, ends what the recorder may leave out.
 *
 * With ROUNDS some of what they do is done in loops of up to so many rounds, with loops of few in them: then reads are
 * repeated with other things between, writes too.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 3
#define TURNS 24
#define VARIABLES 8

static uint64_t state;

static unsigned pick(unsigned n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % n;
}

/* v0 to v3 are one word, v4 and v5 another. */
static const char prelude[] =
	"#include <pthread.h>\n#include <stdatomic.h>\n#include <string.h>\n\n"
	"static struct { char v0, v1; short v2; int v3; int v4, v5; long v6, v7; char a[40], b[40]; } s;\n"
	"static atomic_int flag;\n"
	"static pthread_mutex_t lock[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };\n"
	"static int turn;\n\n"
	"static void wait_for(int n)\n{\n"
	"\tint *p = &turn;\n"
	"\t__asm__ volatile(\"1: cmpl %1, (%0)\\n\\tje 2f\\n\\tmovl $24, %%eax\\n\\tsyscall\\n\\tjmp 1b\\n2:\"\n"
	"\t\t\t : : \"r\"(p), \"r\"(n) : \"rax\", \"rcx\", \"r11\", \"cc\");\n}\n\n"
	"static void hand_over(int n)\n{\n"
	"\tint *p = &turn;\n"
	"\t__asm__ volatile(\"movl %1, (%0)\" : : \"r\"(p), \"r\"(n));\n}\n\n";

/* Mostly the thread's favourite: what is read again and again. */
static unsigned variable(unsigned favourite)
{
	return pick(2) ? favourite : pick(VARIABLES);
}

static void act(unsigned v, unsigned rounds);

/* A few things, again and again. */
static void loop(unsigned v, unsigned rounds)
{
	printf("\tfor (int n%u = %u; n%u > 0; n%u--) {\n", rounds, 2 + pick(rounds - 1), rounds,
	       rounds);
	for (unsigned k = 2 + pick(2); k > 0; k--)
		act(variable(v), rounds > 3 ? 3 : 0);
	printf("\t}\n");
}

/* Something to do with variable v and others; rounds: perhaps so often. */
static void act(unsigned v, unsigned rounds)
{
	unsigned w = pick(VARIABLES), c = pick(4);

	switch (pick(rounds ? 15 : 13)) {
	case 0:
		printf("\ts.v%u = %u;\n", v, c);
		break;
	case 1:
		printf("\tl += s.v%u;\n", v);
		break;
	case 2:
		printf("\tif (s.v%u == %u)\n\t\ts.v%u = %u;\n", v, c, w, pick(4));
		break;
	case 3:
		printf("\ts.v%u++;\n", v);
		break;
	case 4:
		printf("\ts.v%u = s.v%u + 1;\n", v, w);
		break;
	case 5:
		printf("\tfor (int i = 0; i < %u; i++)\n\t\tl += s.v%u;\n", 2 + pick(4), v);
		break;
	case 6:
		printf("\tif (s.v%u > %u)\n\t\tl += s.v%u;\n", v, c, w);
		break;
	case 7:
		printf("\tfor (int i = 0; i < 3; i++)\n\t\ts.v%u = s.v%u;\n", v, w);
		break;
	case 8:
		printf("\tmemcpy(s.%c + %u, s.%c, %u);\n", 'a' + pick(2), pick(9), 'a' + pick(2),
		       1 + pick(30));
		break;
	case 9:
		printf("\tl += s.%c[%u];\n", 'a' + pick(2), pick(40));
		break;
	case 10:
		printf("\ts.%c[%u] = %u;\n", 'a' + pick(2), pick(40), c);
		break;
	case 11:
		printf("\tatomic_store_explicit(&flag, %u, memory_order_%s);\n", c,
		       pick(2) ? "release" : "relaxed");
		break;
	case 13:
	case 14:
		loop(v, rounds);
		break;
	default:
		printf("\tif (atomic_load_explicit(&flag, memory_order_%s) == %u)\n\t\tl++;\n",
		       pick(2) ? "acquire" : "relaxed", c);
	}
}

static void thread(unsigned t, const unsigned owner[TURNS], unsigned rounds)
{
	unsigned favourite = pick(VARIABLES);

	printf("static void *thread%u(void *arg)\n{\n\tlong l = 0;\n\n", t);
	for (unsigned n = 0; n < TURNS; n++) {
		bool locked = pick(4) == 0;
		unsigned m = pick(2);

		if (owner[n] != t)
			continue;
		printf("\twait_for(%u);\n", n);
		if (locked)
			printf("\tpthread_mutex_lock(&lock[%u]);\n", m);
		for (unsigned k = 1 + pick(4); k > 0; k--)
			act(variable(favourite), rounds);
		if (locked)
			printf("\tpthread_mutex_unlock(&lock[%u]);\n", m);
		printf("\thand_over(%u);\n", n + 1);
	}
	printf("\treturn (char *)arg + l;\n}\n\n");
}

int main(int argc, char **argv)
{
	unsigned owner[TURNS], rounds = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;

	if (argc < 2 || argc > 3 || (argc == 3 && rounds < 2)) {
		fprintf(stderr, "usage: turns SEED [ROUNDS]\n");
		return 2;
	}
	state = strtoull(argv[1], NULL, 10) * 7919 + 17;
	for (unsigned n = 0; n < TURNS; n++)
		owner[n] = pick(THREADS);
	fputs(prelude, stdout);
	for (unsigned t = 0; t < THREADS; t++)
		thread(t, owner, rounds);
	printf("int main(void)\n{\n\tpthread_t id[%u];\n\tvoid *(*const body[])(void *) = { thread0, thread1, thread2 };\n\n"
	       "\tfor (int i = 0; i < %u; i++)\n\t\tpthread_create(&id[i], NULL, body[i], NULL);\n"
	       "\tfor (int i = 0; i < %u; i++)\n\t\tpthread_join(id[i], NULL);\n\treturn 0;\n}\n",
	       THREADS, THREADS, THREADS);
	return 0;
}
