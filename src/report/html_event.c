#include "report/html_priv.h"
#include "report/show.h"

#define HELD 16 /* locks of an event */

void html_value(const struct evidence *ev, const struct evidence_event *e, struct strbuf *out)
{
	const uint8_t *bytes = event_op_family(e->op) == 'A' && e->op != EVENT_FREE
				       ? evidence_bytes(ev, e->pos)
				       : NULL;

	if (bytes && !strbuf_add_number(out, bytes, e->len))
		strbuf_addf(out, "(%" PRIu64 " bytes)", e->len);
}

/* What the page draws it as. */
static char class_of(const struct evidence_event *e)
{
	switch (e->op) {
	case EVENT_READ:
		return 'r';
	case EVENT_WRITE:
		return 'w';
	case EVENT_RMW:
		return 'u';
	case EVENT_ACQ:
	case EVENT_RACQ:
		return 'a';
	case EVENT_REL:
	case EVENT_RREL:
		return 'l';
	case EVENT_REQ:
	case EVENT_RREQ:
		return 'q';
	case EVENT_FORK:
		return 'f';
	case EVENT_JOIN:
	case EVENT_JOINING:
		return 'j';
	case EVENT_SIGNAL:
	case EVENT_BROADCAST:
	case EVENT_SEM_POST:
	case EVENT_GIVE:
		return 'g'; /* something that another may take up */
	case EVENT_WAKE:
	case EVENT_SEM_WAIT:
	case EVENT_TAKE:
		return 't';
	default:
		return 'o';
	}
}

static void name_json(struct html *h, const struct evidence_event *e)
{
	STRBUF_SCOPED name = { 0 };

	if (event_op_family(e->op) == 'A')
		words_object(h->x.ev, e->pos, &name);
	else if (e->name)
		strbuf_adds(&name, words_brief(e->name));
	else if (e->peer)
		words_thread(h->r->trace, e->peer, &name);
	if (name.n)
		json_signed(&h->j, "n", html_name(h, name.at));
}

static void held_json(struct html *h, uint64_t pos)
{
	uint64_t acquires[HELD];
	size_t n = evidence_held(h->x.ev, pos, acquires, HELD);
	struct evidence_event e;

	if (n == 0)
		return;
	json_open(&h->j, "h", '[');
	for (size_t i = 0; i < n && i < HELD; i++) {
		e = evidence_get(h->x.ev, acquires[i]);
		json_open(&h->j, NULL, '[');
		json_number(&h->j, NULL, e.object);
		json_signed(&h->j, NULL, html_name(h, e.name ? words_brief(e.name) : "a lock"));
		json_close(&h->j, ']');
	}
	json_close(&h->j, ']');
}

void html_event(struct html *h, const struct html_event *at)
{
	struct evidence_event e = evidence_get(h->x.ev, at->pos);
	STRBUF_SCOPED value = { 0 };
	int64_t stack = html_stack(h, &e, 0);
	uint64_t from = evidence_from(h->x.ev, at->pos);

	html_thread(h, e.tid);
	json_open(&h->j, NULL, '{');
	json_number(&h->j, "p", e.pos);
	json_number(&h->j, "t", e.tid);
	json_string(&h->j, "c", (char[]){ class_of(&e), '\0' });
	json_signed(&h->j, "o", html_name(h, words_op(&e)));
	name_json(h, &e);
	html_value(h->x.ev, &e, &value);
	if (value.n)
		json_string(&h->j, "v", value.at);
	if (stack >= 0)
		json_signed(&h->j, "s", stack);
	if (e.object)
		json_number(&h->j, "x", e.object);
	if (at->variable >= 0)
		json_signed(&h->j, "y", at->variable);
	if (e.peer) {
		html_thread(h, e.peer);
		json_number(&h->j, "e", e.peer);
	}
	if (from)
		json_number(&h->j, "f", from);
	if (at->matters)
		json_number(&h->j, "m", 1);
	if (at->tainted)
		json_number(&h->j, "d", 1);
	if (at->label)
		json_string(&h->j, "l", at->label);
	held_json(h, at->pos);
	json_close(&h->j, '}');
}
