/*
 * A text trace, a line `%%', a witness for it: parsed, written, read back to the same, and
 * checked by every model, twice to the same verdict.  One of a property has its spec along, which is
 * bound to the trace and run.
 *
 * Checks that must hold: strict certifies no more than dep, and without values no more than with.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "spec/spec.h"
#include "trace/trace.h"
#include "witness/check.h"
#include "witness/evidence.h"
#include "witness/view.h"
#include "witness/witness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Five digits make ranges and counts that take long and teach nothing. */
static bool is_big(const uint8_t *data, size_t n)
{
	unsigned digits = 0;

	for (size_t i = 0; i < n; i++) {
		digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
		if (digits > 4)
			return true;
	}
	return false;
}

static struct trace *trace_make(const uint8_t *data, size_t n)
{
	struct trace_options opt = { .lenient = true };
	struct diag d = { { 0 } };
	struct trace *t = NULL;
	char path[64];
	int fd = memfd_create("fuzz", 0);

	assert(fd >= 0 && write(fd, data, n) == (ssize_t)n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (trace_open(path, &opt, &t, &d) != ST_OK)
		t = NULL;
	close(fd);
	return t;
}

/* The spec of a witness, and what the events are to it. */
struct watcher {
	struct spec *spec;
	struct view view;
};

static void event_take(void *arg, struct trace *t, const struct event *e)
{
	struct watcher *p = arg;

	view_see(&p->view, t, e);
}

/* What needs no trace; a witness without a spec that can be used is checked all the same. */
static void watcher_init(struct watcher *p, const uint8_t *data, size_t n, struct trace *t,
			 struct evidence_options *opt)
{
	struct diag d = { { 0 } };
	struct witness head;

	if (witness_parse((const char *)data, n, "head", NULL, &head, &d) != ST_OK)
		return;
	if (head.property && head.spec.n < 4096 &&
	    spec_parse("fuzz", head.spec.at ? head.spec.at : "", head.spec.n, &p->spec, &d) ==
		    ST_OK) {
		view_bind(&p->view, p->spec, t);
		opt->each = event_take;
		opt->each_arg = p;
	}
	witness_release(&head);
}

static void watcher_release(struct watcher *p)
{
	view_release(&p->view);
	spec_free(p->spec);
}

static bool run(struct checker *c, const struct witness *w, const struct watcher *p, bool strict,
		bool values)
{
	struct check_claim claim = { .kind = w->kind,
				     .targets = w->targets.at,
				     .ntargets = (uint32_t)w->targets.n,
				     .order = w->order.at,
				     .norder = w->order.n,
				     .stray = w->has_stray ? w->stray.at : NULL,
				     .nstray = w->stray.n,
				     .strict = strict,
				     .values = values,
				     .view = p->view.spec ? &p->view : NULL,
				     .property = w->property };
	struct check_verdict v, again;

	checker_run(c, &claim, &v);
	checker_run(c, &claim, &again);
	assert(v.certified == again.certified && v.pos == again.pos && !strcmp(v.what, again.what));
	assert(v.tainted.n == again.tainted.n && v.stray.n == again.stray.n);
	assert(v.certified || v.what[0]);
	assert(!v.certified || !strict || (!v.dep && v.tainted.n == 0));
	check_verdict_release(&v);
	check_verdict_release(&again);
	return v.certified;
}

static void round_trip(const struct witness *w, const struct evidence *ev)
{
	struct strbuf text = { 0 };
	struct witness back;
	struct diag d = { { 0 } };
	enum status st;

	witness_format(w, ev, &text);
	st = witness_parse(strbuf_str(&text), text.n, "back", ev, &back, &d);
	assert(st == ST_OK && back.dep == w->dep && back.values == w->values);
	assert(back.order.n <= w->order.n && back.targets.n == w->targets.n);
	assert(!back.property == !w->property &&
	       (!w->property || strcmp(back.property, w->property) == 0));
	assert(back.spec.n == w->spec.n &&
	       (w->spec.n == 0 || memcmp(back.spec.at, w->spec.at, w->spec.n) == 0));
	assert(back.order.n == 0 || memcmp(back.order.at, w->order.at, back.order.n * 8) == 0);
	witness_release(&back);
	strbuf_release(&text);
}

static void witness_try(const struct evidence *ev, const struct watcher *p, const uint8_t *data,
			size_t n)
{
	struct diag d = { { 0 } };
	struct witness w;
	struct checker *c;

	if (witness_parse((const char *)data, n, "fuzz", ev, &w, &d) != ST_OK) {
		assert(d.message[0]);
		return;
	}
	round_trip(&w, ev);
	c = checker_new(ev);
	if (run(c, &w, p, true, false)) {
		bool dep = run(c, &w, p, false, false), values = run(c, &w, p, true, true);

		assert(dep && values);
	}
	run(c, &w, p, false, true);
	checker_free(c);
	witness_release(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct evidence_options opt = { .digest = true, .values = true };
	const uint8_t *middle = memmem(data, size, "\n%%\n", 4);
	struct evidence *ev = NULL;
	struct watcher p = { 0 };
	struct diag d = { { 0 } };
	struct trace *t;

	if (!middle || is_big(data, (size_t)(middle - data)))
		return 0;
	t = trace_make(data, (size_t)(middle - data));
	if (!t)
		return 0;
	watcher_init(&p, middle + 4, size - (size_t)(middle + 4 - data), t, &opt);
	if (evidence_load(t, &opt, &ev, &d) == ST_OK) {
		witness_try(ev, &p, middle + 4, size - (size_t)(middle + 4 - data));
	}
	watcher_release(&p);
	evidence_free(ev);
	trace_close(t);
	return 0;
}
