/*
 * The golden cases of blocks (tests/cases/atomicity) by their definitions: what tests/cases/run.sh expects of the
 * engines, and what no engine is asked.
 *
 *	blocks			T1:1-5: thread, first and last event; a condition wait cuts one in two
 *	csv, csv-data		the event at which the graph of blocks and single events has a circle; without edges of locks
 *	csv-predictable ...	some reordering has one
 *	triples-observed	patterns of one variable that are there in the recorded order
 *	triples, cycles		those of one and of two variables that some reordering shows
 *
 * A name ending in -dep stands for the dependency-aware model, as there.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "splits_naive.h"
#include "tap.h"

/* ---- the graph ---- */

struct graph {
	const struct tiny *t;
	bool locks;
	/* By events that have happened: of the first event of a node, the nodes after it at once. */
	uint32_t out[TINY_EVENTS + 1][TINY_EVENTS];
};

static int node_of(const struct tiny *t, int e)
{
	int block = tiny_block(t, e);

	return block == TINY_NONE ? e : block;
}

/* a, which came before b, orders what they are part of. */
static bool is_edge(const struct graph *g, int i, int j)
{
	const struct tiny_event *a = &g->t->at[i], *b = &g->t->at[j];

	if (a->thread == b->thread || splits_conflict(g->t, i, j) || b->takes >> i & 1)
		return true;
	if (a->op == TINY_FORK && a->obj == b->thread)
		return true;
	if ((b->op == TINY_JOIN && b->joins == i) || (b->op == TINY_WAKE && b->cause == i))
		return true;
	return g->locks && (a->op == TINY_REL || a->op == TINY_RREL) && tiny_acquires(b) &&
	       a->obj == b->obj && (a->op == TINY_REL || b->op == TINY_ACQ);
}

static bool has_circle(const uint32_t *out)
{
	uint32_t all[TINY_EVENTS];
	bool grew = true;

	memcpy(all, out, sizeof(all));
	while (grew) {
		grew = false;
		for (int i = 0; i < TINY_EVENTS; i++) {
			uint32_t was = all[i];

			for (int j = 0; j < TINY_EVENTS; j++)
				all[i] |= was >> j & 1 ? all[j] : 0;
			grew |= all[i] != was;
			if (all[i] >> i & 1)
				return true;
		}
	}
	return false;
}

/* The last of n events has happened.  True: now there is a circle. */
static bool happens(void *arg, const int *order, int n)
{
	struct graph *g = arg;
	int b = order[n - 1], to = node_of(g->t, b);
	bool more = false;

	memcpy(g->out[n], g->out[n - 1], sizeof(g->out[n]));
	for (int i = 0; i < n - 1; i++) {
		int from = node_of(g->t, order[i]);

		if (from == to || g->out[n][from] >> to & 1 || !is_edge(g, order[i], b))
			continue;
		g->out[n][from] |= 1u << to;
		more = true;
	}
	return more && has_circle(g->out[n]);
}

static void csv(const struct tiny *t, bool locks, struct strbuf *out)
{
	static struct graph g;
	int order[TINY_EVENTS];

	g = (struct graph){ .t = t, .locks = locks };
	for (int i = 0; i < t->n; i++) {
		order[i] = i;
		if (happens(&g, order, i + 1)) {
			strbuf_addf(out, "@%d", i + 1);
			return;
		}
	}
}

static void csv_predictable(const struct tiny *t, bool locks, bool strict, struct strbuf *out)
{
	static struct graph g;

	g = (struct graph){ .t = t, .locks = locks };
	strbuf_adds(out, enumerate_each(t, (struct enumerate_mode){ .strict = strict }, UINT32_MAX,
					happens, &g)
				 ? "yes"
				 : "no");
}

/* ---- patterns ---- */

static char vars[TINY_VARS][TINY_NAME]; /* of the case at hand */

struct wanted {
	struct strbuf *out;
	bool observed, strict; /* observed: in the recorded order */
	bool pairs;	       /* of two variables */
};

static void add_word(struct strbuf *out, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = strbuf_str(out); (p = strstr(p, word)) != NULL; p += n)
		if (p[n] == ' ' || p[n] == '\0')
			return;
	strbuf_addf(out, "%s%s", out->n ? " " : "", word);
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* TYPE(variable of the way out of the block, of the way back)BEGIN:OTHER; an X, which is of two blocks, by the
 * one that begins first. */
static void name_pair(const struct tiny *t, struct split p, char *out, size_t max)
{
	bool cross = p.d < p.b;

	if (cross && tiny_block(t, p.d) < tiny_block(t, p.a))
		p = (struct split){ p.d, p.c, p.b, p.a };
	snprintf(out, max, "%s(%s,%s)%d:T%d", cross ? "X" : "S", vars[t->at[p.a].obj],
		 vars[t->at[p.c].obj], tiny_block(t, p.a) + 1, t->at[p.b].thread + 1);
}

static void want(void *arg, const struct tiny *t, const struct split *p)
{
	struct wanted *w = arg;
	bool triple = p->b == p->d && (t->at[p->a].cells & t->at[p->c].cells);
	int e[3] = { p->a, p->b, p->c };
	char text[64];

	if (triple == w->pairs)
		return;
	if (w->observed ? p->b < p->a || p->c < p->d
			: !enumerate_split(t, p, (struct enumerate_mode){ .strict = w->strict }))
		return;
	qsort(e, 3, sizeof(*e), compare_ints);
	if (w->pairs)
		name_pair(t, *p, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%d-%d-%d", e[0] + 1, e[1] + 1, e[2] + 1);
	add_word(w->out, text);
}

/* ---- rows ---- */

static void blocks(const struct tiny *t, struct strbuf *out)
{
	for (int i = 0; i < t->n; i++) {
		int last = i;

		for (int k = i; k < t->n && tiny_block(t, i) == i; k++)
			if (t->at[k].thread == t->at[i].thread && tiny_block(t, k) == i)
				last = k;
		if (tiny_block(t, i) == i)
			strbuf_addf(out, "%sT%d:%d-%d", out->n ? " " : "", t->at[i].thread + 1,
				    i + 1, last + 1);
	}
}

/* False: no row of ours. */
static bool row(const struct tiny *t, const char *name, bool strict, struct strbuf *out)
{
	struct wanted w = { .out = out, .strict = strict };

	if (strcmp(name, "blocks") == 0)
		blocks(t, out);
	else if (strcmp(name, "csv") == 0 || strcmp(name, "csv-data") == 0)
		csv(t, name[3] == '\0', out);
	else if (strcmp(name, "csv-predictable") == 0 || strcmp(name, "csv-data-predictable") == 0)
		csv_predictable(t, name[4] == 'p', strict, out);
	else if (strncmp(name, "triples", 7) == 0 || strcmp(name, "cycles") == 0) {
		w.observed = strcmp(name, "triples-observed") == 0;
		w.pairs = name[0] == 'c';
		if (!w.observed && !w.pairs && name[7])
			return false;
		splits_each(t, want, &w);
	} else {
		return false;
	}
	if (!out->n)
		strbuf_adds(out, "none");
	return true;
}

/* ---- files ---- */

/* The same words, in whatever order. */
static bool same_words(const char *a, const char *b)
{
	char text[1024];
	size_t n = 0;

	if (strlen(a) != strlen(b) || strlen(a) + 3 > sizeof(text))
		return false;
	snprintf(text, sizeof(text), " %s ", b);
	for (const char *p = a; *p; p += n + (p[n] == ' ')) {
		char word[80];

		n = strcspn(p, " ");
		snprintf(word, sizeof(word), " %.*s ", (int)n, p);
		if (!strstr(text, word))
			return false;
	}
	return true;
}

static unsigned rows;

/* A line "expect NAME WANT". */
static void expect(const struct tiny *t, const char *file, const char *line)
{
	char name[64], wanted[512] = "";
	struct strbuf got = { 0 };
	size_t n;
	bool dep;

	if (sscanf(line, "expect %63s %511[^\n]", name, wanted) != 2)
		return;
	n = strlen(name);
	dep = n > 4 && strcmp(name + n - 4, "-dep") == 0;
	if (dep)
		name[n - 4] = '\0';
	if (row(t, name, !dep, &got)) {
		rows++;
		if (!TAP_OK(same_words(strbuf_str(&got), wanted), "%s: %s%s", file, name,
			    dep ? "-dep" : ""))
			printf("# got %s, want %s\n", strbuf_str(&got), wanted);
	}
	strbuf_release(&got);
}

static void one_case(const char *path, const char *file)
{
	struct strbuf text = { 0 };
	char line[512];
	struct tiny t;
	bool parsed = false;
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (line[0] == ' ')
			strbuf_adds(&text, line + 2);
		if (strncmp(line, "expect ", 7) != 0)
			continue;
		if (!parsed && !tiny_parse(&t, strbuf_str(&text), vars))
			break; /* calls of functions: guesses are no blocks of the definition */
		parsed = true;
		expect(&t, file, line);
	}
	if (f)
		fclose(f);
	strbuf_release(&text);
}

int main(void)
{
	int root = (int)(strstr(__FILE__, "tests/unit/") - __FILE__);
	struct dirent **files;
	char path[512];
	int n;

	snprintf(path, sizeof(path), "%.*stests/cases/atomicity", root, __FILE__);
	n = scandir(path, &files, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		const char *file = files[i]->d_name, *dot = strrchr(file, '.');

		snprintf(path, sizeof(path), "%.*stests/cases/atomicity/%s", root, __FILE__, file);
		if (dot && strcmp(dot, ".case") == 0)
			one_case(path, file);
		free(files[i]);
	}
	free(n > 0 ? files : NULL);
	TAP_OK(rows >= 400, "%u expectations of %d files", rows, n);
	return tap_done();
}
