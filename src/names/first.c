/*
 * Two tables by address.  When a library is loaded where another one lay, their variables overlap, or
 * the variables of one overlap the code of the other.  Whose bytes a read saw first cannot be told
 * then, so the answer for such bytes is that they are unknown.
 */
#include "names/first.h"

#include "names/program.h"

struct piece {
	uint64_t addr, end;
	const uint8_t *bytes; /* nbytes; up to nseen they are zero, behind that not known */
	uint32_t nbytes, nseen;
};

struct first {
	bool late;
	size_t nglobals, nsteady; /* of the program, when the tables were made */
	VEC(struct piece) globals;
	VEC(struct piece) steady;
};

struct first *first_new(bool late)
{
	struct first *f = mem_zalloc(sizeof(*f));

	f->late = late;
	return f;
}

void first_free(struct first *f)
{
	if (!f)
		return;
	VEC_RELEASE_ALL(&f->globals, &f->steady);
	mem_free(f);
}

static int piece_order(const void *x, const void *y)
{
	const struct piece *a = x, *b = y;

	return SORT_ORDER(a->addr, b->addr) ?: SORT_ORDER(a->end, b->end);
}

static bool piece_is_same(const struct piece *a, const struct piece *b)
{
	return a->addr == b->addr && a->end == b->end && a->nseen == b->nseen &&
	       a->nbytes == b->nbytes &&
	       (a->nbytes == 0 || memcmp(a->bytes, b->bytes, a->nbytes) == 0);
}

/* Several units may list the same variable.  Variables that overlap in any other way become one piece
 * of unknown bytes. */
static void globals_settle(struct first *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->globals.n; i++) {
		const struct piece *p = &f->globals.at[i];
		struct piece *before = n ? &f->globals.at[n - 1] : NULL;

		if (before && piece_is_same(before, p))
			continue;
		if (before && p->addr < before->end) {
			before->end = p->end > before->end ? p->end : before->end;
			before->nseen = before->nbytes = 0;
			continue;
		}
		f->globals.at[n++] = *p;
	}
	f->globals.n = n;
}

/* Merges pieces that overlap, because piece_find looks at only one. */
static void steady_settle(struct first *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->steady.n; i++) {
		const struct piece *p = &f->steady.at[i];
		struct piece *before = n ? &f->steady.at[n - 1] : NULL;

		if (!before || p->addr > before->end)
			f->steady.at[n++] = *p;
		else if (p->end > before->end)
			before->end = p->end;
	}
	f->steady.n = n;
}

static void tables_make(struct first *f, const struct program *program)
{
	VEC_CLEAR(&f->globals);
	VEC_CLEAR(&f->steady);
	for (size_t i = 0; i < program->globals.n; i++) {
		const struct program_global *g = &program->globals.at[i];

		if (g->size != 0)
			*VEC_PUSH(&f->globals) =
				(struct piece){ g->addr, g->addr + g->size, g->initial, g->ninitial,
						g->nseen };
	}
	for (size_t i = 0; i < program->steady.n; i++)
		*VEC_PUSH(&f->steady) = (struct piece){ .addr = program->steady.at[i].addr,
							.end = program->steady.at[i].addr +
							       program->steady.at[i].size };
	SORT_VEC(&f->globals, piece_order);
	SORT_VEC(&f->steady, piece_order);
	globals_settle(f);
	steady_settle(f);
	f->nglobals = program->globals.n;
	f->nsteady = program->steady.n;
}

/* The last piece that does not begin after addr, if it reaches so far. */
static const struct piece *piece_find(const struct piece *at, size_t n, uint64_t addr)
{
	size_t past = SEARCH_PAST(i, 0, n, at[i].addr <= addr);

	return past != 0 && addr < at[past - 1].end ? &at[past - 1] : NULL;
}

/* The variable at addr; NULL: there is none. */
static const struct piece *global_find(struct first *f, const struct program *program,
				       uint64_t addr)
{
	if (f->nglobals != program->globals.n || f->nsteady != program->steady.n)
		tables_make(f, program);
	return piece_find(f->globals.at, f->globals.n, addr);
}

bool first_extent(struct first *f, const struct program *program, uint64_t addr, uint64_t *from,
		  uint64_t *len)
{
	const struct piece *p = global_find(f, program, addr);

	if (!p)
		return false;
	*from = p->addr;
	*len = p->end - p->addr;
	return true;
}

enum trace_first first_byte(struct first *f, const struct program *program, uint64_t addr,
			    uint8_t *byte)
{
	const struct piece *p = global_find(f, program, addr);

	p = f->late ? NULL : p;
	if (piece_find(f->steady.at, f->steady.n, addr))
		return p ? TRACE_FIRST_UNKNOWN : TRACE_FIRST_STEADY;
	if (!p || addr - p->addr >= p->nseen)
		return TRACE_FIRST_UNKNOWN;
	*byte = addr - p->addr < p->nbytes ? p->bytes[addr - p->addr] : 0;
	return TRACE_FIRST_BYTE;
}
