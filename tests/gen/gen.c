/*
 * gen [OPTIONS] SEED: write a random multithreaded C program that includes prelude.h.
 *
 *	--clean		no races: what a thread touches belongs to it or to a lock it holds
 *	--serial	the workers come one after the other, in an order that nobody sees: the program
 *			has one possible order.  Link with tests/programs/order.c, without the pass.
 *	--events N	about so many, instead of some thousands
 *
 * The program has two to six workers, the first thread often being one of them.
 * A worker goes through phases; in each it runs a random block some rounds,
 * perhaps puts things into a queue or takes them out, and meets the others.
 *
 * Every program ends: loops are bounded, locks are taken in the order of their
 * ranks, in one phase a thread is on one side of one queue only and both sides
 * move the same number of things, and all workers come to every meeting.
 */
#include "gen.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define PHASES 2
#define WORKERS 6

uint32_t gen_below(struct gen *g, uint32_t n)
{
	uint64_t x = g->state += 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return (uint32_t)((x ^ (x >> 31)) >> 32) % n;
}

bool gen_chance(struct gen *g, uint32_t percent)
{
	return gen_below(g, 100) < percent;
}

const char *gen_pick(struct gen *g, const char *const *list)
{
	uint32_t n = 0;

	while (list[n])
		n++;
	return list[gen_below(g, n)];
}

void gen_put(struct gen *g, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vfprintf(g->out, format, ap);
	va_end(ap);
}

void gen_indent(struct gen *g)
{
	for (int i = 0; i < g->indent; i++)
		fputc('\t', g->out);
}

void gen_line(struct gen *g, const char *format, ...)
{
	va_list ap;

	gen_indent(g);
	va_start(ap, format);
	vfprintf(g->out, format, ap);
	va_end(ap);
	fputc('\n', g->out);
}

void gen_blank(struct gen *g)
{
	fputc('\n', g->out);
}

void gen_open(struct gen *g)
{
	gen_line(g, "{");
	g->indent++;
}

void gen_close(struct gen *g)
{
	g->indent--;
	gen_line(g, "}");
}

void gen_region_enter(struct gen *g, int n)
{
	gen_open(g);
	gen_line(g, "struct memory *before = region_enter(%d);", n);
	gen_blank(g);
}

void gen_region_leave(struct gen *g)
{
	gen_line(g, "region_leave(before);");
	gen_close(g);
}

void gen_charge(struct gen *g, double events)
{
	g->cost += g->times * events;
}

/* A loop of a fixed number of rounds, or of a number read from memory. */
static void loop(struct gen *g, enum gen_place place)
{
	uint32_t most = g->loops == 0 ? 8 : 4;
	double before = g->times;
	int i = g->loops;

	if (gen_chance(g, 40)) {
		gen_line(g, "for (u32 i%d = 0, n%d = acc & %u; i%d < n%d; i%d++) {", i, i, most - 1,
			 i, i, i);
		g->times *= most / 2;
	} else {
		uint32_t n = 1 + gen_below(g, most);

		gen_line(g, "for (u32 i%d = 0; i%d < %u; i%d++) {", i, i, n, i);
		g->times *= n;
	}
	g->loops++;
	g->indent++;
	gen_statements(g, place, 1 + (int)gen_below(g, 3));
	gen_close(g);
	g->loops--;
	g->times = before;
}

static void branch(struct gen *g, enum gen_place place)
{
	gen_indent(g);
	gen_put(g, "if (");
	gen_value(g, 1);
	gen_put(g, " %s %u) {\n", gen_chance(g, 50) ? "&" : ">", 1 + gen_below(g, 64));
	g->indent++;
	gen_statements(g, place, 1 + (int)gen_below(g, 2));
	g->indent--;
	if (gen_chance(g, 50)) {
		gen_line(g, "} else {");
		g->indent++;
		gen_statements(g, place, 1);
		g->indent--;
	}
	gen_line(g, "}");
}

static void choice(struct gen *g, enum gen_place place)
{
	uint32_t n = 2 + gen_below(g, 3);

	gen_indent(g);
	gen_put(g, "switch ((");
	gen_value(g, 1);
	gen_put(g, ") %% %u) {\n", n + 1);
	for (uint32_t i = 0; i < n; i++) {
		gen_line(g, "case %u:", i);
		g->indent++;
		gen_statements(g, place, 1);
		gen_line(g, "break;");
		g->indent--;
	}
	gen_line(g, "}");
}

static void statement(struct gen *g, enum gen_place place)
{
	uint32_t kind = gen_below(g, 20);
	bool nest = g->depth < 4;

	g->depth++;
	if (kind < 2 && nest && g->loops < 3)
		loop(g, place);
	else if (kind < 4 && nest)
		branch(g, place);
	else if (kind < 5 && nest)
		choice(g, place);
	else if (kind < 10 && nest && place != GEN_LEAF)
		gen_sync(g, place);
	else
		gen_memory(g);
	g->depth--;
}

void gen_statements(struct gen *g, enum gen_place place, int n)
{
	for (int i = 0; i < n; i++)
		statement(g, place);
}

/* Begin and end a function body with the private values every one has. */
static double body_begin(struct gen *g, const char *tmp)
{
	double before = g->cost;

	gen_put(g, "{\n");
	g->indent = 1;
	gen_line(g, "u64 tmp = %s;", tmp);
	gen_blank(g);
	g->cost = 0;
	return before;
}

static double body_end(struct gen *g, const char *result, double before)
{
	double cost = g->cost;

	gen_line(g, "%s", result);
	gen_put(g, "}\n\n");
	g->indent = 0;
	g->cost = before;
	return cost;
}

/* Functions that only touch memory; the later ones may not call the earlier,
 * for the table of pointers holds them all. */
static void write_leaves(struct gen *g)
{
	int n = 1 + (int)gen_below(g, 4);

	for (int i = 0; i < n; i++) {
		double before;

		gen_put(g, "%sstatic u64 leaf%d(u64 acc, u32 *p, u8 *q)\n",
			gen_chance(g, 50) ? "__attribute__((noinline)) " : "", i);
		before = body_begin(g, "acc ^ *p ^ *q");
		g->pointers = true;
		gen_charge(g, 2);
		gen_statements(g, GEN_LEAF, 2 + (int)gen_below(g, 4));
		g->pointers = false;
		g->leaf_cost[i] = body_end(g, "return acc + tmp;", before);
	}
	gen_put(g, "static %sleaf table[4] = { ", gen_chance(g, 50) ? "const " : "");
	for (int i = 0; i < 4; i++)
		gen_put(g, "leaf%d%s", (int)gen_below(g, (uint32_t)n), i < 3 ? ", " : " };\n\n");
	g->leaves = n;
}

/* Recursive functions; they may block, and are called with no lock held. */
static void write_walks(struct gen *g)
{
	int n = 1 + (int)gen_below(g, 2);

	for (int i = 0; i < n; i++) {
		double before;

		gen_put(g, "static u64 walk%d(u64 acc, u32 depth)\n", i);
		before = body_begin(g, "acc * 3 + depth");
		g->times = 4;
		gen_line(g, "if (depth == 0)");
		gen_line(g, "\treturn acc;");
		g->depth = 2;
		gen_statements(g, GEN_BLOCK, 1 + (int)gen_below(g, 3));
		g->depth = 0;
		g->times = 1;
		gen_line(g, "acc += walk%d(acc ^ tmp, depth - 1);", i);
		g->walk_cost[i] = body_end(g, "return acc + g64[acc & 7];", before);
	}
	g->walks = n;
}

/* Children of workers; a later one may start an earlier one. */
static void write_children(struct gen *g)
{
	int n = (int)gen_below(g, 3);

	for (int i = 0; i < n; i++) {
		double before;

		gen_put(g, "static void *child%d(void *arg)\n", i);
		before = body_begin(g, "0");
		gen_line(g, "struct frame *fr = arg;");
		gen_line(g, "u64 acc = fr->q[1];");
		gen_blank(g);
		g->frame = true;
		g->frames = false;
		gen_statements(g, GEN_TOP, 2 + (int)gen_below(g, 4));
		g->frame = false;
		gen_line(g, "fr->q[0] ^= acc;");
		if (gen_chance(g, 30))
			gen_line(g, "pthread_exit((void *)(uintptr_t)acc);");
		g->child_cost[i] = body_end(g, "return (void *)(uintptr_t)(acc + tmp);", before);
		g->children = i + 1;
	}
}

/* What one worker does at a queue in one phase. */
struct role {
	const char *call; /* NULL: nothing */
	uint32_t times;
};

static void write_phase(struct gen *g, int worker, int phase, struct role role, double budget,
			uint32_t *rounds)
{
	double before = g->cost, each;

	gen_statements(g, GEN_TOP, (int)gen_below(g, 3));
	if (g->walks > 0 && gen_chance(g, 40)) {
		uint32_t n = gen_below(g, (uint32_t)g->walks);

		gen_line(g, "acc += walk%u(acc, 4);", n);
		gen_charge(g, g->walk_cost[n]);
	}
	if (role.call) {
		gen_line(g, "for (u32 i0 = 0; i0 < %u; i0++)", role.times);
		gen_line(g, "\t%s;", role.call);
		gen_charge(g, 8 * role.times);
	}
	budget -= g->cost - before;
	before = g->cost;
	gen_line(g, "for (u32 i0 = 0; i0 < rounds[%d]; i0++) {", worker * PHASES + phase);
	g->indent++;
	g->loops = 1;
	g->depth = 1;
	gen_statements(g, GEN_BLOCK, 3 + (int)gen_below(g, 6));
	g->depth = 0;
	g->loops = 0;
	gen_close(g);
	each = g->cost - before;
	*rounds = budget <= each ? 1 : (uint32_t)(budget / (each + 1)) + 1;
	if (*rounds > 200)
		*rounds = 200;
}

static void write_worker(struct gen *g, int worker, const char *const *meetings,
			 struct role (*roles)[WORKERS], double budget, uint32_t *rounds)
{
	gen_put(g, "static void *worker%d(void *arg)\n{\n", worker);
	g->indent = 1;
	gen_line(g, "struct frame fr_ = { .q = { %d } }, *fr = &fr_;", worker);
	gen_line(g, "u64 acc = (u64)(uintptr_t)arg * %u, tmp = %u;", gen_below(g, 1000),
		 gen_below(g, 1u << 31));
	gen_blank(g);
	if (g->serial)
		gen_line(g, "order_see(%d);", worker);
	if (g->frames) {
		gen_line(g, "frames[%d] = fr;", worker);
		gen_line(g, "pthread_barrier_wait(&barrier);");
	}
	g->frame = true;
	for (int p = 0; p < PHASES; p++) {
		/* With no meeting between, the one before may still be in use. */
		if (g->clean && (p == 0 || meetings[p - 1]))
			gen_line(g, "region_take(%d);", (worker + p) % g->workers);
		write_phase(g, worker, p, roles[p][worker], budget / PHASES,
			    &rounds[worker * PHASES + p]);
		if (meetings[p])
			gen_line(g, "%s;", meetings[p]);
	}
	g->frame = false;
	if (g->frames)
		gen_line(g, "meet_gate(%d);", g->workers);
	if (g->serial)
		gen_line(g, "order_at(%d);", worker);
	gen_line(g, "return (void *)(uintptr_t)(acc ^ tmp ^ fr->q[0]);");
	gen_put(g, "}\n\n");
	g->indent = 0;
}

/* Deal the workers of a phase to the two sides of the two queues. */
static void deal_roles(struct gen *g, struct role *roles)
{
	static const char *const sides[2][2] = {
		{ "fifo_put(acc ^ i0)", "acc += fifo_get()" },
		{ "belt_put(acc + i0)", "acc ^= belt_get()" },
	};
	/* Who takes a letter out of the queue owns it. */
	static const char *const letters[2] = {
		"fifo_put((u64)(uintptr_t)letter_write(acc ^ i0, 1 + (acc & 7), i0))",
		"acc += letter_read((struct letter *)(uintptr_t)fifo_get())"
	};
	int next = (int)gen_below(g, 2);

	for (int q = 0; q < 2; q++) {
		int left = g->workers - next;
		uint32_t items = 4 * (1 + gen_below(g, 10));

		/* One or two on each side: `items' is a multiple of both. */
		for (int side = 0; side < 2 && left >= 2; side++) {
			const char *call = g->clean && q == 0 ? letters[side] : sides[q][side];
			int team = left >= 4 && gen_chance(g, 60) ? 2 : 1;

			for (int i = 0; i < team; i++)
				roles[next++] = (struct role){ call, items / (uint32_t)team };
		}
	}
}

static void write_main(struct gen *g, uint64_t seed)
{
	int first = gen_chance(g, 60); /* the first thread is worker 0 */

	gen_put(g, "int main(void)\n{\n");
	g->indent = 1;
	gen_line(g, "pthread_t t[%d];", g->workers);
	gen_line(g, "u64 sum = 0;");
	gen_blank(g);
	gen_line(g, "set_up(%d);", g->workers);
	for (int i = first; i < g->workers; i++)
		gen_line(g, "t[%d] = start(worker%d, (void *)%dUL);", i, i, i);
	if (first)
		gen_line(g, "sum += (u64)(uintptr_t)worker0(NULL);");
	gen_line(g, "for (u32 i = %d; i < %d; i++) {", first, g->workers);
	gen_line(g, "\tvoid *got;");
	gen_blank(g);
	gen_line(g, "\tpthread_join(t[i], &got);");
	gen_line(g, "\tsum += (u64)(uintptr_t)got;");
	gen_line(g, "}");
	gen_line(g, "sum ^= clean_up();");
	gen_line(g, "printf(\"seed %llu done %%llx\\n\", (unsigned long long)sum);",
		 (unsigned long long)seed);
	gen_line(g, "return 0;");
	gen_put(g, "}\n");
}

static void write_head(struct gen *g, uint64_t seed)
{
	gen_put(g, "/* Written by tests/gen/gen%s%s %llu. */\n", g->clean ? " --clean" : "",
		g->serial ? " --serial" : "", (unsigned long long)seed);
	if (g->clean)
		gen_put(g, "#define CLEAN %d\n", GEN_LOCK_RANKS);
	if (g->serial)
		gen_put(g, "#include \"order.h\"\n");
	gen_put(g, "#include \"prelude.h\"\n\n");
}

/* Where the workers meet after each phase, and what they do at the queues until then. */
static void plan_phases(struct gen *g, char (*names)[40], const char **meetings,
			struct role (*roles)[WORKERS])
{
	static const char *const ways[] = { "meet_gate(%d)", "meet_sem(%d)",
					    "pthread_barrier_wait(&barrier)" };

	for (int p = 0; p < PHASES; p++) {
		uint32_t way = gen_below(g, 3);

		if (gen_chance(g, 60)) {
			snprintf(names[p], sizeof(names[p]), ways[way], g->workers);
			meetings[p] = names[p];
		}
		/* Without a meeting, the sides of two phases would mix. */
		if (meetings[p] && (p == 0 || meetings[p - 1]) && gen_chance(g, 60))
			deal_roles(g, roles[p]);
	}
}

static void write_program(struct gen *g, uint64_t seed, double budget)
{
	char names[PHASES][40];
	const char *meetings[PHASES] = { NULL };
	struct role roles[PHASES][WORKERS] = { { { NULL, 0 } } };
	uint32_t rounds[WORKERS * PHASES] = { 0 };
	double usual = 2500 + gen_below(g, 15000);

	write_head(g, seed);
	write_leaves(g);
	write_walks(g);
	write_children(g);
	g->workers = 2 + (int)gen_below(g, WORKERS - 1);
	g->frames = gen_chance(g, 40) && !g->clean && !g->serial;
	/* Who waits for the others would wait for ever if they came later. */
	if (g->serial)
		g->children = 0;
	else
		plan_phases(g, names, meetings, roles);
	if (budget == 0)
		budget = usual;
	for (int w = 0; w < g->workers; w++)
		write_worker(g, w, meetings, roles, budget / g->workers, rounds);
	gen_put(g, "const u32 rounds[] = { ");
	for (int i = 0; i < g->workers * PHASES; i++)
		gen_put(g, "%u, ", rounds[i]);
	gen_put(g, "};\n\n");
	write_main(g, seed);
}

static bool number(const char *text, uint64_t *out)
{
	char *end;

	*out = strtoull(text, &end, 10);
	return *text != '\0' && *end == '\0';
}

int main(int argc, char **argv)
{
	struct gen g = { .out = stdout, .held = -1, .times = 1 };
	uint64_t seed, events = 0;
	int i = 1;

	for (; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--clean") == 0)
			g.clean = true;
		else if (strcmp(argv[i], "--serial") == 0)
			g.serial = true;
		else if (strcmp(argv[i], "--events") != 0 || ++i == argc ||
			 !number(argv[i], &events))
			break;
	}
	if (i != argc - 1 || !number(argv[i], &seed)) {
		fprintf(stderr, "usage: gen [--clean] [--serial] [--events N] SEED\n");
		return 2;
	}
	g.state = seed * 0x2545f4914f6cdd1du + 1;
	write_program(&g, seed, (double)events);
	return fflush(stdout) == 0 ? 0 : 2;
}
