/*
 * Atomic operations of all kinds, sizes and orders, on atomic objects and on
 * plain memory that is also accessed in other ways.
 */
#include "gen.h"

static const char *const load_orders[] = { "__ATOMIC_RELAXED", "__ATOMIC_CONSUME",
					   "__ATOMIC_ACQUIRE", "__ATOMIC_SEQ_CST", NULL };
static const char *const store_orders[] = { "__ATOMIC_RELAXED", "__ATOMIC_RELEASE",
					    "__ATOMIC_SEQ_CST", NULL };
static const char *const rmw_orders[] = { "__ATOMIC_RELAXED", "__ATOMIC_ACQUIRE",
					  "__ATOMIC_RELEASE", "__ATOMIC_ACQ_REL",
					  "__ATOMIC_SEQ_CST", NULL };
static const char *const cas_orders[] = {
	"__ATOMIC_RELAXED, __ATOMIC_RELAXED", "__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE",
	"__ATOMIC_RELEASE, __ATOMIC_RELAXED", "__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE",
	"__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST", NULL
};

static const unsigned sizes[] = { 8, 16, 32, 64 };

/* A pointer to an aligned plain object. */
static void target(struct gen *g, int log)
{
	static const char *const parts[] = { "b", "w", "d" };

	switch (gen_below(g, 3)) {
	case 0:
		gen_put(g, "&g%u[", sizes[log]);
		gen_index(g, 8);
		break;
	case 1:
		gen_put(g, "&un[");
		gen_index(g, 8);
		if (log == 3) {
			gen_put(g, "].q");
			return;
		}
		gen_put(g, "].%s[", parts[log]);
		gen_index(g, 8u >> log);
		break;
	default:
		gen_put(g, "raw_u%u(", sizes[log]);
		gen_index(g, 128u >> log);
		gen_put(g, ")");
		return;
	}
	gen_put(g, "]");
}

static void compare(struct gen *g, int log)
{
	bool weak = gen_chance(g, 50);

	gen_charge(g, 2);
	gen_line(g, "u%u want = (u%u)%s;", sizes[log], sizes[log],
		 gen_chance(g, 50) ? "acc" : "tmp");
	gen_indent(g);
	gen_put(g, "if (__atomic_compare_exchange_n(");
	target(g, log);
	gen_put(g, ", &want, (u%u)(acc + %u), %d, %s))\n", sizes[log], gen_below(g, 9), weak,
		gen_pick(g, cas_orders));
	gen_line(g, "\tacc += 2;");
	gen_line(g, "else");
	gen_line(g, "\tacc ^= want;");
}

/* A loop that ends because somebody's exchange must succeed. */
static void compare_loop(struct gen *g, int log)
{
	uint32_t at = gen_below(g, 4);

	gen_charge(g, 2);
	gen_line(g, "u%u want = atomic_load(&a%u[%u]);", sizes[log], sizes[log], at);
	gen_line(g, "while (!atomic_compare_exchange_%s(&a%u[%u], &want, (u%u)(want * 3 + %u)))",
		 gen_chance(g, 60) ? "weak" : "strong", sizes[log], at, sizes[log],
		 gen_below(g, 5));
	gen_line(g, "\tacc++;");
}

static void fetch(struct gen *g, int log)
{
	static const char *const operators[] = { "fetch_add",  "fetch_sub", "fetch_and",
						 "fetch_or",   "fetch_xor", "fetch_nand",
						 "exchange_n", "fetch_add", NULL };

	gen_charge(g, 1);
	gen_indent(g);
	if (gen_chance(g, 70))
		gen_put(g, "acc += ");
	gen_put(g, "__atomic_%s(", gen_pick(g, operators));
	target(g, log);
	gen_put(g, ", (u%u)%s, %s);\n", sizes[log], gen_chance(g, 50) ? "acc" : "tmp",
		gen_pick(g, rmw_orders));
}

static void c11(struct gen *g, int log)
{
	gen_charge(g, 1);
	gen_indent(g);
	switch (gen_below(g, 6)) {
	case 0:
		gen_put(g, "a%u[%u] += acc", sizes[log], gen_below(g, 4));
		break;
	case 1:
		gen_put(g, "acc += a%u[%u]++", sizes[log], gen_below(g, 4));
		break;
	case 2:
		gen_put(g, "areal = areal * 0.5 + %u", gen_below(g, 9));
		break;
	case 3:
		gen_put(g, "atomic_store_explicit(&a%u[%u], (u%u)acc, memory_order_release)",
			sizes[log], gen_below(g, 4), sizes[log]);
		break;
	case 4:
		gen_put(g, "acc ^= atomic_load_explicit(&a%u[%u], memory_order_acquire)",
			sizes[log], gen_below(g, 4));
		break;
	default:
		gen_put(g, "acc += swap16(&pair[%u], acc & 3)", gen_below(g, 2));
	}
	gen_put(g, ";\n");
}

/* Whoever finds the flag clear does something and clears it. */
static void flag(struct gen *g)
{
	uint32_t n = gen_below(g, 2);

	gen_charge(g, 3);
	gen_line(g, "if (!atomic_flag_test_and_set(&flags[%u])) {", n);
	g->indent++;
	if (g->clean)
		gen_region_enter(g, GEN_LOCK_RANKS + (int)n);
	gen_line(g, "g64[%u] += acc;", n);
	if (g->clean)
		gen_region_leave(g);
	gen_line(g, "atomic_flag_clear(&flags[%u]);", n);
	gen_close(g);
}

/* Plain memory handed over by a release and an acquire, or by fences. */
static void news(struct gen *g)
{
	uint32_t n = gen_below(g, 4);

	gen_charge(g, 4);
	if (gen_chance(g, 30))
		gen_line(g, "news_publish(%u, acc, %u);", n, gen_below(g, 2));
	else
		gen_line(g, "acc += news_read(%u, acc, %u);", n, gen_below(g, 2));
}

void gen_atomic(struct gen *g)
{
	int log = (int)gen_below(g, 4);

	if (g->clean && gen_chance(g, 25)) {
		news(g);
		return;
	}
	switch (gen_below(g, 10)) {
	case 0:
		gen_open(g);
		compare(g, log);
		gen_close(g);
		break;
	case 1:
		gen_open(g);
		compare_loop(g, log);
		gen_close(g);
		break;
	case 2:
	case 3:
		fetch(g, log);
		break;
	case 4:
		gen_charge(g, 1);
		gen_indent(g);
		gen_put(g, "__atomic_store_n(");
		target(g, log);
		gen_put(g, ", (u%u)acc, %s);\n", sizes[log], gen_pick(g, store_orders));
		break;
	case 5:
		gen_charge(g, 1);
		gen_indent(g);
		gen_put(g, "acc += __atomic_load_n(");
		target(g, log);
		gen_put(g, ", %s);\n", gen_pick(g, load_orders));
		break;
	case 6:
		gen_charge(g, 1);
		gen_line(g, "__atomic_%s_fence(%s);", gen_chance(g, 80) ? "thread" : "signal",
			 gen_pick(g, rmw_orders));
		break;
	case 7:
		flag(g);
		break;
	default:
		c11(g, log);
	}
}
