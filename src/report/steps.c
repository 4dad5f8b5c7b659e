/* Of an order, the events that its picture shows, and each of them in words. */
#include "report/report.h"

#include "report/explain_priv.h"
#include "report/frames.h"
#include "report/show.h"
#include "report/words.h"
#include "trace/trace.h"

size_t steps_choose(const struct report *r, const struct finding *f, const uint64_t *order,
		    size_t n, uint64_t out[STEPS_MOST])
{
	struct story *s = story_new(r->evidence);

	n = story_steps(s, f, order, n, out);
	story_free(s);
	return n;
}

void steps_object(const struct report *r, uint64_t pos, struct strbuf *out)
{
	struct evidence_event e = evidence_get(r->evidence, pos);

	if (e.op == EVENT_FORK || e.op == EVENT_JOIN)
		strbuf_adds(out, trace_thread_name(r->trace, e.peer));
	else if (e.name)
		strbuf_adds(out, e.name);
	else if (event_op_family(e.op) == 'A')
		words_object(r->evidence, pos, out);
}

void steps_words(const struct report *r, uint64_t pos, struct strbuf *out)
{
	struct evidence_event e = evidence_get(r->evidence, pos);

	words_thread(r->trace, e.tid, out);
	strbuf_addf(out, "  %s ", words_op(&e));
	steps_object(r, pos, out);
	strbuf_adds(out, "  ");
	show_location(r->trace, e.site, out);
}
