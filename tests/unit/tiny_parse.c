/*
 * Tiny traces from text: the inverse of tiny_print, with any names but those of threads.  Of what doc/STD.md has, accesses of whole
 * variables, locks, threads, waits, channels, blocks, and what the random traces say of values.
 */
#include "tiny.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum names { NAMES_VARS, NAMES_LOCKS, NAMES_CONDS, NAMES_CHANNELS, NAMES_KINDS };

struct parse {
	struct tiny *t;
	const char *at; /* what comes next */
	char names[NAMES_KINDS][TINY_EVENTS][TINY_NAME];
	bool good;
};

static size_t word(const struct parse *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_')
		n++;
	return n;
}

/* The number of the name that comes next; it may be a new one. */
static int name(struct parse *p, enum names kind, int most)
{
	char(*list)[TINY_NAME] = p->names[kind];
	size_t n = word(p);
	int i = 0;

	while (i < most && list[i][0] && (strncmp(list[i], p->at, n) != 0 || list[i][n] != '\0'))
		i++;
	p->good = p->good && n > 0 && n < TINY_NAME && i < most;
	if (!p->good)
		return 0;
	memcpy(list[i], p->at, n);
	p->at += n;
	return i;
}

static bool skip(struct parse *p, const char *text)
{
	size_t n = strlen(text);

	if (strncmp(p->at, text, n) != 0)
		return false;
	p->at += n;
	return true;
}

static int integer(struct parse *p)
{
	char *end;
	long n = strtol(p->at, &end, 10);

	p->good = p->good && end != p->at && n >= -100 && n <= 100;
	p->at = end;
	return (int)n;
}

/* T1 is 0. */
static int thread(struct parse *p)
{
	int i = skip(p, "T") ? integer(p) - 1 : -1;

	p->good = p->good && i >= 0 && i < TINY_THREADS;
	if (p->good && i >= p->t->nthreads)
		p->t->nthreads = i + 1;
	return p->good ? i : 0;
}

static void operation(struct parse *p, struct tiny_event *e)
{
	static const char *const names[] = {
#define X(id, text) [TINY_##id] = text,
		TINY_OPS(X)
#undef X
	};
	size_t n = word(p);

	/* Atomics may be written like this, too. */
	if (n == 2 && p->at[0] == 'a') {
		e->order = TINY_SEQ_CST;
		p->at++;
		n--;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strncmp(names[i], p->at, n) != 0 || names[i][n] != '\0')
			continue;
		e->op = (enum tiny_op)i;
		if (e->op == TINY_RMW)
			e->order = TINY_SEQ_CST;
		p->at += n;
		return;
	}
	p->good = false;
}

static void operand(struct parse *p, struct tiny_event *e)
{
	if (!skip(p, "("))
		return;
	if (tiny_is_access(e)) {
		e->obj = name(p, NAMES_VARS, TINY_VARS);
		e->cells = 3u << 2 * e->obj;
	} else if (tiny_uses(e) || e->op == TINY_TRYFAIL) {
		e->obj = name(p, NAMES_LOCKS, TINY_LOCKS);
	} else if (e->op == TINY_FORK || e->op == TINY_JOIN) {
		e->obj = thread(p);
	} else if (e->op == TINY_GIVE || e->op == TINY_TAKE) {
		e->obj = name(p, NAMES_CHANNELS, TINY_CHANNELS);
	} else if (e->op == TINY_PARK || e->op == TINY_WAKE || tiny_signals(e)) {
		e->obj = name(p, NAMES_CONDS, TINY_CONDS);
		if (e->op == TINY_PARK && skip(p, ","))
			e->lock = name(p, NAMES_LOCKS, TINY_LOCKS);
	} else {
		p->good = false;
	}
	p->good = p->good && skip(p, ")");
}

/* Behind ':' or '?'. */
static void comparison(struct parse *p, struct tiny_event *e)
{
	static const char *const cmps[] = { "eq:", "ne:", "lt:", "le:", "gt:", "ge:" };

	for (int i = 0; i < 6; i++) {
		if (!skip(p, cmps[i]))
			continue;
		e->cmp = TINY_EQ + i;
		e->with = integer(p);
		return;
	}
	p->good = false;
}

static void feeds(struct parse *p, struct tiny_event *e)
{
	do {
		int i = integer(p) - 1;

		p->good = p->good && i >= 0 && i <= p->t->n;
		if (!p->good)
			return;
		if (e->op == TINY_WAKE)
			e->cause = i;
		else
			e->feeds |= 1u << i;
		if (!skip(p, ":"))
			continue;
		comparison(p, e);
		e->tested |= 1u << i;
	} while (skip(p, ","));
}

static void marks(struct parse *p, struct tiny_event *e)
{
	while (p->good && *p->at && *p->at != '|' && *p->at != '\n') {
		if (skip(p, "~")) {
			e->free = true;
		} else if (skip(p, "?")) {
			comparison(p, e);
		} else if (skip(p, "<")) {
			feeds(p, e);
		} else if (skip(p, "=")) {
			p->t->values = true;
			e->seen = e->stored = integer(p);
			if (skip(p, ">"))
				e->stored = integer(p);
		} else if (skip(p, "@relaxed")) {
			e->order = TINY_RELAXED;
		} else if (skip(p, "@seq_cst")) {
			e->order = TINY_SEQ_CST;
		} else if (skip(p, "!reread")) {
			e->reread = true;
		} else if (!skip(p, "!rwlock")) {
			p->good = false;
		}
	}
}

static void event(struct parse *p)
{
	struct tiny_event *e = &p->t->at[p->t->n];

	p->good = p->t->n < TINY_EVENTS;
	if (!p->good)
		return;
	*e = (struct tiny_event){ .cause = TINY_NONE };
	e->thread = thread(p);
	p->good = p->good && skip(p, "|");
	operation(p, e);
	if (p->good)
		operand(p, e);
	marks(p, e);
	e->loc = p->t->n + 1;
	if (p->good && skip(p, "|"))
		e->loc = integer(p);
	p->good = p->good && (*p->at == '\n' || *p->at == '\0');
	p->t->n++;
}

bool tiny_parse(struct tiny *t, const char *text, char (*vars)[TINY_NAME])
{
	struct parse p = { .t = t, .at = text, .good = true };

	memset(t, 0, sizeof(*t));
	while (p.good && *p.at) {
		if (*p.at != '#' && *p.at != '\n')
			event(&p);
		p.at += strcspn(p.at, "\n");
		skip(&p, "\n");
	}
	if (p.good)
		tiny_settle(t);
	memcpy(vars, p.names[NAMES_VARS], TINY_VARS * sizeof(*vars));
	return p.good;
}
