#include "monitor/reading.h"

#include "order/model.h"
#include "trace/trace.h"

enum status reading_open(struct reading *r, const char *path, const struct trace_options *how,
			 const struct spec *spec, struct diag *d)
{
	enum status st;

	*r = (struct reading){ 0 };
	st = trace_open(path, how, &r->trace, d);
	return st == ST_OK && spec ? watch_bind(spec, r->trace, &r->watch, d) : st;
}

enum status reading_begin(struct reading *r, struct trace *t, const struct spec *spec,
			  struct diag *d)
{
	*r = (struct reading){ .trace = t, .borrowed = true };
	return spec ? watch_bind(spec, t, &r->watch, d) : ST_OK;
}

enum status reading_again(struct reading *r, const struct reading *first, struct diag *d)
{
	*r = (struct reading){ 0 };
	return trace_again(first->trace, &r->trace, d);
}

void reading_end(struct reading *r)
{
	steps_free(r->steps);
	r->steps = NULL;
}

void reading_close(struct reading *r)
{
	reading_end(r);
	watch_free(r->watch);
	watch_items_release(&r->items);
	if (r->trace && !r->borrowed)
		trace_close(r->trace);
	*r = (struct reading){ 0 };
}

void reading_see(void *reading, struct trace *t, const struct event *e)
{
	struct reading *r = reading;

	if (r->watch)
		watch_see(r->watch, t, e, &r->items);
}

static void step_event(void *reading, struct trace *t, const struct event *e)
{
	struct reading *r = reading;

	if (r->see)
		r->see(r->see_arg, t, e);
	reading_see(r, t, e);
}

void reading_steps(struct reading *r, const struct step_options *opt)
{
	struct step_options how = *opt;

	assert(!r->steps);
	r->see = opt->see;
	r->see_arg = opt->see_arg;
	how.see = r->see || r->watch ? step_event : NULL;
	how.see_arg = r;
	r->steps = steps_new(r->trace, &how);
}

static void clear(struct reading *r)
{
	VEC_CLEAR(&r->items.at);
	VEC_CLEAR(&r->items.writes);
}

enum status reading_next(struct reading *r, struct step_batch *b, struct diag *d)
{
	clear(r);
	return steps_next(r->steps, b, d);
}

enum status reading_event(struct reading *r, struct event *e, struct diag *d)
{
	enum status st = trace_next(r->trace, e, d);

	clear(r);
	if (st == ST_OK)
		reading_see(r, r->trace, e);
	return st;
}

enum status reading_model(struct reading *r, struct model *m, const volatile sig_atomic_t *stop,
			  struct diag *d)
{
	struct step_batch b;
	enum status st = ST_OK;

	if (!r->steps)
		reading_steps(r, &(struct step_options){ .values = m->has_values });
	while (!(stop && *stop) && (st = reading_next(r, &b, d)) == ST_OK && model_take(m, &b))
		;
	return st;
}
