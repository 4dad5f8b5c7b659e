#include "report/lock_trees.h"

#include "predict/locktree.h"
#include "report/frames.h"
#include "report/words.h"
#include "witness/evidence.h"

#define NAME_WIDTH 40 /* at most, for what stands in columns behind the names */

static const struct locktree_thread *thread(const struct lock_trees *l, uint32_t tid)
{
	return &l->trees->threads.at[tid];
}

static bool is_shown(const struct lock_trees *l, uint32_t tid)
{
	return (l->only == 0 || l->only == tid) && locktree_has(l->trees, tid);
}

static uint32_t next(const struct lock_trees *l, uint32_t tid, uint32_t node)
{
	return locktree_after(l->trees, thread(l, tid)->root, node, false);
}

void lock_trees_init(struct lock_trees *l, const struct locktree *trees, uint32_t only)
{
	*l = (struct lock_trees){ .trees = trees, .only = only };
	for (uint32_t tid = 0; tid < trees->threads.n; tid++) {
		if (!is_shown(l, tid))
			continue;
		for (uint32_t n = next(l, tid, thread(l, tid)->root);
		     n != 0 && l->wanted.n < LOCK_TREES_LINES; n = next(l, tid, n))
			*VEC_PUSH(&l->wanted) = trees->nodes.at[n].first.pos;
	}
	SORT_VEC(&l->wanted, sort_order_u64);
}

void lock_trees_release(struct lock_trees *l)
{
	VEC_RELEASE(&l->wanted);
}

/* One printing: how many lines may still come. */
struct printing {
	const struct lock_trees *l;
	const struct evidence *ev;
	size_t left;
	struct strbuf line;
	FILE *to;
};

static void name_format(const struct printing *p, uint32_t node, struct strbuf *out)
{
	const struct locktree_node *n = &p->l->trees->nodes.at[node];
	struct evidence_event e = evidence_get(p->ev, n->first.pos);

	strbuf_addf(out, "%*s%s%s", (int)(2 * n->depth), "", e.name ? words_brief(e.name) : "?",
		    n->shared ? " for reading" : "");
}

static size_t name_width(struct printing *p, uint32_t tid)
{
	size_t width = 0, left = p->left;

	for (uint32_t n = next(p->l, tid, thread(p->l, tid)->root); n != 0 && left > 0;
	     n = next(p->l, tid, n), left--) {
		strbuf_clear(&p->line);
		name_format(p, n, &p->line);
		if (p->line.n > width)
			width = p->line.n;
	}
	return width < NAME_WIDTH ? width : NAME_WIDTH;
}

static void node_print(struct printing *p, uint32_t node, size_t width)
{
	const struct locktree_node *n = &p->l->trees->nodes.at[node];
	struct evidence_event e;

	strbuf_clear(&p->line);
	name_format(p, node, &p->line);
	strbuf_addf(&p->line, "%*s  ", p->line.n < width ? (int)(width - p->line.n) : 0, "");
	if (n->count == 0)
		strbuf_adds(&p->line, "never got it");
	else
		strbuf_addf(&p->line, "%" PRIu64 " time%s%s", n->count, WORDS_PLURAL(n->count),
			    n->ask.pos == 0 ? ", by trying" : "");
	e = evidence_get(p->ev, n->first.pos);
	strbuf_adds(&p->line, "  ");
	frames_location(evidence_trace(p->ev), e.site, e.stack, &p->line);
	while (p->line.at[p->line.n - 1] == ' ')
		p->line.at[--p->line.n] = '\0';
	fprintf(p->to, "%s\n", p->line.at);
}

static void tree_print(struct printing *p, uint32_t tid)
{
	size_t width = name_width(p, tid), missing = 0;

	for (uint32_t n = next(p->l, tid, thread(p->l, tid)->root); n != 0;
	     n = next(p->l, tid, n)) {
		if (p->left == 0) {
			missing++;
			continue;
		}
		node_print(p, n, width);
		p->left--;
	}
	if (missing)
		fprintf(p->to, "  ... %zu more\n", missing);
}

static void thread_print(struct printing *p, uint32_t tid)
{
	const struct locktree_thread *th = thread(p->l, tid);
	STRBUF_SCOPED name = { 0 };

	if (th->root == 0 || (p->l->only != 0 && p->l->only != tid))
		return;
	words_thread(evidence_trace(p->ev), tid, &name);
	if (th->broken)
		fprintf(p->to, "%s does not nest its locks (event %" PRIu64 "): it has no tree\n",
			name.at, th->broken);
	else if (th->cut)
		fprintf(p->to, "%s has too many ways to nest its locks: its tree was given up\n",
			name.at);
	else
		fprintf(p->to, "%s\n", name.at);
	if (locktree_has(p->l->trees, tid))
		tree_print(p, tid);
}

void lock_trees_print(const struct lock_trees *l, const struct evidence *ev, FILE *to)
{
	struct printing p = { .l = l, .ev = ev, .left = LOCK_TREES_LINES, .to = to };

	for (uint32_t tid = 0; tid < l->trees->threads.n && !ferror(to); tid++)
		thread_print(&p, tid);
	strbuf_release(&p.line);
}
