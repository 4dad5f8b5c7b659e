/*
 * Expressions and statements on plain memory, of all sizes and alignments.
 */
#include "gen.h"

/* A constant, or bits of acc or of the innermost loop counter: never of shared
 * memory directly, which the compiler might read twice. */
void gen_index(struct gen *g, uint32_t n)
{
	switch (gen_below(g, 4)) {
	case 0:
		if (g->loops > 0) {
			gen_put(g, "i%d & %u", g->loops - 1, n - 1);
			break;
		}
		/* fall through */
	case 1:
		gen_put(g, "(acc >> %u) & %u", gen_below(g, 20), n - 1);
		break;
	default:
		gen_put(g, "%u", gen_below(g, n));
	}
}

static void element(struct gen *g, const char *array, uint32_t n)
{
	gen_put(g, "%s[", array);
	gen_index(g, n);
	gen_put(g, "]");
}

static void raw_at(struct gen *g, const char *type)
{
	gen_put(g, "*(%s *)(%s + (", type, gen_chance(g, 70) ? "raw" : "raw2");
	gen_index(g, gen_chance(g, 50) ? 32 : 256);
	gen_put(g, "))");
}

/* An lvalue of 1 << log bytes, unsigned. */
static void place(struct gen *g, int log)
{
	static const char *const globals[] = { "g8", "g16", "g32", "g64" };
	static const char *const volatiles[] = { "vol8", "vol16", "vol32", "vol64" };
	static const char *const unaligned[] = { "u8", "u16u", "u32u", "u64u" };
	static const char *const packed[] = { "c", "b", "d", "e" };
	static const char *const parts[] = { "b", "w", "d", "q" };
	static const char *const nodes[] = { "tag[5]", "half", "value", "key" };

	gen_charge(g, 1);
	switch (gen_below(g, 9)) {
	case 0:
		element(g, volatiles[log], 4);
		break;
	case 1:
		raw_at(g, unaligned[log]);
		break;
	case 2:
		element(g, "pk", 4);
		gen_put(g, ".%s", packed[log]);
		break;
	case 3:
		element(g, "un", 8);
		gen_put(g, ".");
		if (log == 3)
			gen_put(g, "q");
		else
			element(g, parts[log], 8u >> log);
		break;
	case 4:
		gen_charge(g, 1);
		element(g, "heap", 4);
		gen_put(g, "->%s%s", log != 1 && gen_chance(g, 30) ? "next->" : "", nodes[log]);
		break;
	case 5:
		element(g, "bg", 4);
		gen_put(g, ".%s", log == 0 ? "b[6]" : log == 1 ? "w" : log == 2 ? "d" : "q[2]");
		break;
	case 6:
		if (g->frames && !g->pointers) {
			gen_charge(g, 1);
			gen_put(g, "frames[%u]->", gen_below(g, (uint32_t)g->workers));
			element(g, parts[log], log == 3 ? 2 : 4);
			break;
		}
		if (g->frame) {
			gen_put(g, "fr->");
			element(g, parts[log], log == 3 ? 2 : 4);
			break;
		}
		/* fall through */
	case 7:
		if (g->pointers && (log == 2 || log == 0)) {
			gen_put(g, "%s", log == 2 ? "*p" : "*q");
			break;
		}
		if (log == 3 && gen_chance(g, 30)) {
			element(g, "own", 4);
			break;
		}
		/* fall through */
	default:
		element(g, globals[log], 8);
	}
}

static void read_place(struct gen *g)
{
	static const char *const casts[] = { "(u64)",	       "(u64)",		 "(u64)(int8_t)",
					     "(u64)(int16_t)", "(u64)(int32_t)", NULL };

	gen_put(g, "%s", gen_pick(g, casts));
	place(g, (int)gen_below(g, 4));
}

void gen_value(struct gen *g, int depth)
{
	static const char *const operators[] = { "+", "-", "*", "^", "&", "|", NULL };

	if (depth > 0 && gen_chance(g, 60)) {
		gen_put(g, "(");
		gen_value(g, depth - 1);
		switch (gen_below(g, 8)) {
		case 0:
			gen_put(g, " >> %u)", gen_below(g, 30));
			return;
		case 1:
			gen_put(g, " / %u)", 1 + gen_below(g, 9));
			return;
		case 2:
			gen_put(g, " > %u ? acc : ", gen_below(g, 100));
			break;
		default:
			gen_put(g, " %s ", gen_pick(g, operators));
		}
		gen_value(g, depth - 1);
		gen_put(g, ")");
		return;
	}
	switch (gen_below(g, 5)) {
	case 0:
		gen_put(g, "%uu", gen_below(g, gen_chance(g, 50) ? 10 : 1u << 31));
		break;
	case 1:
		gen_put(g, "acc");
		break;
	case 2:
		gen_put(g, "tmp");
		break;
	default:
		read_place(g);
	}
}

static void assign(struct gen *g)
{
	static const char *const operators[] = { "=", "=", "+=", "-=", "^=", "|=", "&=", NULL };

	gen_indent(g);
	if (gen_chance(g, 40)) {
		gen_put(g, "acc %s ", gen_chance(g, 70) ? "+=" : "^=");
	} else {
		const char *how = gen_pick(g, operators);

		place(g, (int)gen_below(g, 4));
		gen_put(g, " %s ", how);
		if (how[0] != '=')
			gen_charge(g, 1);
	}
	gen_value(g, 2);
	gen_put(g, ";\n");
}

/* Bit fields, floating point, vectors, 16 bytes, whole structs. */
static void odd_type(struct gen *g)
{
	static const char *const fields[] = { "a", "b", "c", "d", "e", NULL };
	static const char *const structs[] = { "un", "bg", "pk", "bt", "real", "wide", NULL };
	const char *name;

	gen_charge(g, 4);
	gen_indent(g);
	switch (gen_below(g, 10)) {
	case 0:
		element(g, "bt", 4);
		gen_put(g, ".%s += acc & 7", gen_pick(g, fields));
		break;
	case 1:
		gen_put(g, "acc += ");
		element(g, "bt", 4);
		gen_put(g, ".%s", gen_pick(g, fields));
		break;
	case 2:
		element(g, "real", 4);
		gen_put(g, " = ");
		element(g, "real", 4);
		gen_put(g, " * 0.5f + (float)(acc & 255)");
		break;
	case 3:
		gen_put(g, "acc += ");
		element(g, "wide", 4);
		gen_put(g, " > %u.5", gen_below(g, 50));
		break;
	case 4:
		element(g, "wide", 4);
		gen_put(g, " = (double)(tmp & 1023) + ");
		element(g, "real", 4);
		break;
	case 5:
		gen_put(g, "longest[%u] = longest[%u] / 2 + %u", gen_below(g, 2), gen_below(g, 2),
			gen_below(g, 9));
		break;
	case 6:
		gen_put(g, "*(v4 *)(raw + (acc & 15) * 16) %s *(v4 *)(raw2 + %u)",
			gen_chance(g, 50) ? "=" : "+=", 16 * gen_below(g, 16));
		break;
	case 7:
		gen_put(g, "*(v4q *)(raw + (tmp & 7) * 32) ^= *(v4q *)(raw + %u)",
			32 * gen_below(g, 8));
		break;
	case 8:
		raw_at(g, "u128u");
		gen_put(g, " += (u128)acc << %u", gen_below(g, 64));
		break;
	default:
		name = gen_pick(g, structs);
		element(g, name, 4);
		gen_put(g, " = ");
		element(g, name, 4);
	}
	gen_put(g, ";\n");
}

/* memcpy and friends; lengths and places may depend on what was read. */
static void ranges(struct gen *g)
{
	uint32_t most = gen_chance(g, 70) ? 32 : 128;
	uint32_t shift = gen_below(g, 16);

	gen_charge(g, most / 6);
	gen_indent(g);
	switch (gen_below(g, 9)) {
	case 0:
		gen_put(g, "memcpy(raw + (");
		gen_index(g, 128);
		gen_put(g, "), raw2 + (");
		gen_index(g, 128);
		gen_put(g, "), (acc >> %u) & %u)", shift, most - 1);
		break;
	case 1:
		gen_put(g, "memcpy(raw2 + %u, raw + (tmp & 127), %u)", gen_below(g, 128),
			1 + gen_below(g, most));
		break;
	case 2:
	case 3:
		gen_put(g, "memmove(raw + (");
		gen_index(g, 128);
		gen_put(g, "), raw + (");
		gen_index(g, 128);
		gen_put(g, "), (acc >> %u) & %u)", shift, most - 1);
		break;
	case 4:
		gen_put(g, "memset(%s + (acc & 127), (int)(tmp & 255), (acc >> %u) & %u)",
			gen_chance(g, 50) ? "raw" : "raw2", shift, most - 1);
		break;
	case 5:
		gen_put(g, "memset(&un[%u], %u, sizeof(un[0]) * %u)", gen_below(g, 4),
			gen_below(g, 256), 1 + gen_below(g, 4));
		break;
	case 6:
		gen_put(g, "acc += (u64)memcmp(raw + %u, raw2 + (acc & 63), %u) >> 31",
			gen_below(g, 128), 1 + gen_below(g, most));
		break;
	case 7:
		gen_put(g, "acc += strlen(text + (acc & 31))");
		break;
	default:
		if (gen_chance(g, 50))
			gen_put(g, "snprintf(text, 1 + (acc & 31), \"%%x\", (u32)tmp)");
		else
			gen_put(g, "strncpy(text + (acc & 15), text + 32, 1 + (tmp & 15))");
	}
	gen_put(g, ";\n");
}

static void call(struct gen *g)
{
	uint32_t n;

	gen_charge(g, 3);
	switch (gen_below(g, 8)) {
	case 0:
		gen_line(g, "acc += by_value(bg[acc & 3], acc);");
		return;
	case 1:
		gen_line(g, "bg[tmp & 3] = by_return(acc);");
		return;
	case 2:
		gen_indent(g);
		gen_put(g, "acc ^= many(2, ");
		gen_value(g, 1);
		gen_put(g, ", tmp);\n");
		return;
	case 3:
		gen_line(g, "acc += leap(acc & 7, &g32[%u]);", gen_below(g, 8));
		gen_charge(g, 10);
		return;
	default:
		if (g->leaves == 0)
			return;
	}
	n = gen_below(g, (uint32_t)g->leaves);
	gen_charge(g, g->leaf_cost[n]);
	gen_indent(g);
	if (gen_chance(g, 40)) {
		/* Any leaf may be called: those in scope cost about the same. */
		gen_put(g, "acc = table[(acc >> %u) & 3](acc, ", gen_below(g, 8));
	} else {
		gen_put(g, "acc += leaf%u(tmp, ", n);
	}
	gen_put(g, "&%s[", gen_chance(g, 50) ? "g32" : "un[1].d");
	gen_index(g, 2);
	gen_put(g, "], raw + (");
	gen_index(g, 64);
	gen_put(g, "));\n");
}

void gen_memory(struct gen *g)
{
	uint32_t kind = gen_below(g, 20);

	if (kind < 10)
		assign(g);
	else if (kind < 13)
		odd_type(g);
	else if (kind < 15)
		ranges(g);
	else if (kind < 17 && !g->pointers)
		call(g);
	else if (kind < 18)
		gen_line(g, "tmp = tmp * 6364136223846793005u + (acc >> 3);");
	else
		gen_atomic(g);
}
