#include "export/export_lattice.h"

#include <string.h>

#include "base/diag.h"
#include "monitor/watch.h"
#include "order/step.h"
#include "spec/spec.h"
#include "trace/trace.h"

bool export_lattice_kind(const char *word, enum causes_kind *out)
{
	*out = strcmp(word, "weak") == 0 ? CAUSES_WEAK : CAUSES_MVC;
	return *out == CAUSES_WEAK || strcmp(word, "mvc") == 0;
}

enum status export_lattice_bind(struct export_lattice *l, struct trace *t, struct diag *d)
{
	enum status st;

	if (!l->spec_path)
		return ST_OK;
	st = spec_read(l->spec_path, &l->spec, d);
	if (st == ST_OK)
		st = monitors_new(l->spec, &l->monitors, d);
	if (st == ST_OK)
		st = watch_bind(l->spec, t, &l->watch, d);
	return st;
}

void export_lattice_release(struct export_lattice *l)
{
	watch_free(l->watch);
	monitors_release(&l->monitors);
	spec_free(l->spec);
}

struct seeing {
	struct watch *watch;
	struct watch_items items;
};

static void see(void *arg, struct trace *t, const struct event *e)
{
	struct seeing *s = arg;

	watch_see(s->watch, t, e, &s->items);
}

enum status export_lattice_read(struct export_lattice *l, struct trace *t,
				const struct point_sink *sink, struct diag *d)
{
	struct causes_options how = { .kind = l->kind, .spec = l->spec };
	struct seeing seeing = { .watch = l->watch };
	struct step_options opt = { .see = l->watch ? see : NULL, .see_arg = &seeing };
	struct causes *c = causes_new(&how, sink);
	struct steps *s = steps_new(t, &opt);
	struct step_batch b;
	enum status st;

	while ((st = steps_next(s, &b, d)) == ST_OK) {
		causes_take(c, &b, l->watch ? &seeing.items : NULL);
		VEC_CLEAR(&seeing.items.at);
		VEC_CLEAR(&seeing.items.writes);
	}
	causes_finish(c);
	steps_free(s);
	causes_free(c);
	watch_items_release(&seeing.items);
	return st;
}
