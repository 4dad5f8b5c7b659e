#include "report/words.h"

#include <ctype.h>

#include "report/cycle.h"
#include "report/frames.h"
#include "report/show.h"

void words_thread(const struct trace *t, uint32_t tid, struct strbuf *out)
{
	const char *label = trace_thread_label(t, tid);

	strbuf_adds(out, trace_thread_name(t, tid));
	if (label)
		strbuf_addf(out, " \"%s\"", label);
}

const char *words_op(const struct evidence_event *e)
{
	static const char *const atomic[EVENT_NOPS] = {
		[EVENT_READ] = "atomic read",
		[EVENT_WRITE] = "atomic write",
		[EVENT_RMW] = "atomic update",
	};
	static const char *const words[EVENT_NOPS] = {
		[EVENT_RMW] = "update",	       [EVENT_BAR_IN] = "arrive at",
		[EVENT_BAR_OUT] = "leave",     [EVENT_SEM_POST] = "post",
		[EVENT_SEM_WAIT] = "wait for", [EVENT_FREE] = "free",
		[EVENT_COND_REQ] = "wait on",  [EVENT_PARK] = "wait on",
		[EVENT_WAKE] = "woken by",     [EVENT_RACQ] = "lock to read",
		[EVENT_RREL] = "unlock",       [EVENT_TRYFAIL] = "fail to lock",
		[EVENT_REQ] = "lock",	       [EVENT_RREQ] = "lock to read",
		[EVENT_JOINING] = "join",
	};
	unsigned life = event_op_life(e->op);

	if (e->op == EVENT_FREE && e->flags & EVENT_SCOPE)
		return "end";
	if (e->flags & EVENT_ATOMIC && atomic[e->op])
		return atomic[e->op];
	if (words[e->op])
		return words[e->op];
	return life & EVENT_LIFE_MAKES	? "init"
	       : life & EVENT_LIFE_ENDS ? "destroy"
					: show_op(e->op);
}

const char *words_target(const struct evidence_event *e)
{
	if (cycle_is_join(e))
		return "join";
	if (cycle_is_wait(e))
		return "wait";
	if (cycle_is_lock(e))
		return e->op == EVENT_RACQ || e->op == EVENT_RREQ ? "read lock" : "lock";
	return show_op(e->op);
}

const char *words_brief(const char *name)
{
	const char *colon = strrchr(name, ':');
	const char *dot = strchr(name, '.');

	return colon && dot && dot < colon ? colon + 1 : name;
}

/* `variable' is `name', or a part of it: "audit" and "audit.total", "table[3]" and "table[]". */
static bool is_part(const char *variable, const char *name)
{
	size_t n = trace_object_whole(name);

	return strncmp(variable, name, n) == 0 &&
	       (variable[n] == '\0' || strchr(".[-", variable[n]));
}

/* What the site says, when that is a name: not *p, not p[3] of a stack's pointer. */
static const char *site_variable(const struct evidence *ev, const struct evidence_event *e)
{
	struct trace_site p;

	if (e->op == EVENT_FREE || !trace_site(evidence_trace(ev), e->site, &p) || !p.variable)
		return NULL;
	return isalpha((unsigned char)p.variable[0]) || p.variable[0] == '_' ? p.variable : NULL;
}

/* A variable of a function goes by its own name, not by its place on a stack. */
static const char *local_variable(const struct evidence *ev, const struct evidence_object *o)
{
	struct trace_site p;

	if (!o->local || !trace_site(evidence_trace(ev), o->alloc.site, &p))
		return NULL;
	return p.variable;
}

/* The name of what lies at the event's address, as well as it is known now. */
static void name_format(const struct evidence *ev, const struct evidence_event *e,
			struct strbuf *out)
{
	struct evidence_object o = { 0 };
	const char *local;

	if (!evidence_object(ev, e->pos, &o) || !o.name) {
		/* The reader stands elsewhere now, but what has a name does not move. */
		strbuf_adds(out, trace_object_name(evidence_trace(ev), e->addr));
		if (trace_object_is_anonymous(strbuf_str(out))) {
			strbuf_clear(out);
			strbuf_adds(out, "memory");
		}
		return;
	}
	local = local_variable(ev, &o);
	strbuf_adds(out, local ? local : o.name);
	if (local && o.alloc.addr != e->addr)
		strbuf_addf(out, "+%" PRIu64, e->addr - o.alloc.addr);
}

void words_object(const struct evidence *ev, uint64_t pos, struct strbuf *out)
{
	STRBUF_SCOPED whole = { 0 };
	struct evidence_object o;
	const char *variable, *name;
	struct evidence_event e = evidence_get(ev, pos);

	if (event_op_family(e.op) != 'A' && e.name) {
		strbuf_adds(out, e.name);
		return;
	}
	if (evidence_object(ev, pos, &o) && o.given) {
		strbuf_adds(out, o.given);
		return;
	}
	variable = site_variable(ev, &e);
	name_format(ev, &e, &whole);
	name = words_brief(strbuf_str(&whole));
	if (!variable)
		strbuf_adds(out, strbuf_str(&whole));
	else if (trace_object_is_anonymous(name) || strcmp(name, "memory") == 0 ||
		 is_part(variable, name))
		strbuf_adds(out, variable);
	else
		strbuf_addf(out, "%s (%s)", strbuf_str(&whole), variable);
}

static void pair_subject(const struct evidence *ev, const struct finding *f, struct strbuf *out)
{
	uint64_t best = f->events[0];
	struct evidence_event e;

	for (uint32_t i = f->nevents; i-- > 0;) {
		e = evidence_get(ev, f->events[i]);
		if (event_op_family(e.op) != 'A') {
			best = f->events[i]; /* an object, which has a name of its own */
			break;
		}
		if (site_variable(ev, &e))
			best = f->events[i];
	}
	words_object(ev, best, out);
}

void words_objects(const struct evidence *ev, const struct finding *f, struct words_objects *out)
{
	struct evidence_event park;
	struct cycle c;

	out->n = 0;
	if (finding_is_end(f))
		return;
	cycle_find(ev, f, &c);
	for (uint32_t i = 0; i < c.n; i++) {
		const struct evidence_event *e = &c.at[i].request;
		const char *name = cycle_is_lock(e)				  ? e->name
				   : cycle_is_wait(e) && cycle_park(ev, e, &park) ? park.name
										  : NULL;

		if (name)
			out->at[out->n++] = name;
	}
}

#define NAMES 4 /* of a finding, in one line */

void words_subject(const struct evidence *ev, const struct finding *f, struct strbuf *out)
{
	struct words_objects o;

	if (f->property || f->subject) {
		strbuf_adds(out, f->property ? f->property : f->subject);
		return;
	}
	if (finding_is_about_memory(f)) {
		pair_subject(ev, f, out);
		return;
	}
	words_objects(ev, f, &o);
	if (o.n == 0)
		strbuf_adds(out, f->kind == FINDING_LOST_WAKEUP ? "a condition" : "a lock");
	for (uint32_t i = 0; i < o.n && i < NAMES; i++)
		strbuf_addf(out, "%s%s", i ? ", " : "", words_brief(o.at[i]));
	if (o.n > NAMES)
		strbuf_addf(out, " and %" PRIu32 " more", o.n - NAMES);
}

const char *words_block_name(const struct evidence *ev, uint64_t first)
{
	struct evidence_event e = evidence_get(ev, first);

	if (e.op == EVENT_BEGIN || e.op == EVENT_ENTER)
		return e.name;
	return e.flags & EVENT_ENTERED ? trace_atomic_at(evidence_trace(ev), e.site, e.stack)
				       : NULL;
}

void words_block(const struct evidence *ev, uint64_t first, struct strbuf *out)
{
	struct evidence_event e = evidence_get(ev, first);
	const char *name = words_block_name(ev, first);
	STRBUF_SCOPED place = { 0 };

	frames_brief(evidence_trace(ev), e.site, e.stack, NULL, &place);
	strbuf_adds(out, name ? name : place.n ? "the block" : "a block");
	if (!place.n)
		return;
	if (name)
		strbuf_addf(out, e.op == EVENT_BEGIN ? " (block at %s)" : " (call, from %s on)",
			    strbuf_str(&place));
	else
		strbuf_addf(out, " at %s", strbuf_str(&place));
}

/* The innermost function of the one that the other lies in as well; NULL: not known. */
static const char *common_function(const struct frames *one, const struct frames *other)
{
	for (size_t i = 0; i < one->at.n; i++) {
		const char *f = one->at.at[i].function;

		for (size_t k = 0; f && k < other->at.n; k++)
			if (other->at.at[k].function && strcmp(f, other->at.at[k].function) == 0)
				return f;
	}
	return NULL;
}

void words_guess(const struct evidence *ev, uint64_t a, uint64_t c, struct strbuf *out)
{
	struct evidence_event x = evidence_get(ev, a), y = evidence_get(ev, c);
	VEC_SCOPED struct frames one = { 0 }, other = { 0 };
	const char *function;

	frames_get(evidence_trace(ev), x.site, x.stack, &one);
	frames_get(evidence_trace(ev), y.site, y.stack, &other);
	function = common_function(&one, &other);
	strbuf_addf(out, "%s (a guess)", function ? function : "what looks like a block");
}

static void add_frame_names(const struct frames *frames, struct suppress_names *out)
{
	for (size_t i = 0; i < frames->at.n; i++) {
		if (frames->at.at[i].function)
			*VEC_PUSH(&out->functions) = frames->at.at[i].function;
		if (frames->at.at[i].file)
			*VEC_PUSH(&out->files) = frames->at.at[i].file;
	}
}

/* What a suppression may call an access. */
static void add_access_names(const struct evidence *ev, const struct evidence_event *e,
			     struct suppress_names *out)
{
	struct evidence_object o;
	struct trace_site p;

	if (trace_site(evidence_trace(ev), e->site, &p) && p.variable)
		*VEC_PUSH(&out->variables) = p.variable;
	if (!evidence_object(ev, e->pos, &o) || !o.name)
		return;
	*VEC_PUSH(&out->variables) = o.name;
	*VEC_PUSH(&out->variables) = words_brief(o.name);
	if (o.given)
		*VEC_PUSH(&out->variables) = o.given;
	if (local_variable(ev, &o))
		*VEC_PUSH(&out->variables) = local_variable(ev, &o);
}

/* A lock by its path alone, and by its block alone. */
static void add_parts(const struct evidence *ev, const struct evidence_event *e,
		      struct suppress_names *out)
{
	struct evidence_object o;

	if (!e->path)
		return;
	*VEC_PUSH(&out->variables) = e->path;
	if (evidence_object(ev, e->pos, &o) && o.name)
		*VEC_PUSH(&out->variables) = o.name;
}

static void add_lock_names(const struct evidence *ev, const struct finding *f,
			   struct suppress_names *out)
{
	struct evidence_event e, park;
	struct words_objects o;

	words_objects(ev, f, &o);
	for (uint32_t i = 0; i < o.n; i++) {
		*VEC_PUSH(&out->variables) = o.at[i];
		*VEC_PUSH(&out->variables) = words_brief(o.at[i]);
	}
	for (uint32_t i = 0; i < f->nevents; i++) {
		e = evidence_get(ev, f->events[i]);
		if (cycle_is_lock(&e))
			add_parts(ev, &e, out);
		else if (cycle_is_wait(&e) && cycle_park(ev, &e, &park))
			add_parts(ev, &park, out);
	}
}

void words_names(const struct evidence *ev, const struct finding *f, const char *subject,
		 struct suppress_names *out)
{
	const struct trace *t = evidence_trace(ev);
	VEC_SCOPED struct frames frames = { 0 };
	struct evidence_event e;

	out->property = f->property;
	if (!f->property)
		*VEC_PUSH(&out->variables) = subject;
	if (!f->property && !finding_is_end(f) && !finding_is_about_memory(f))
		add_lock_names(ev, f, out);
	for (uint32_t i = 0; i < f->nevents; i++) {
		e = evidence_get(ev, f->events[i]);
		if (event_op_family(e.op) == 'A')
			add_access_names(ev, &e, out);
		frames_get(t, e.site, e.stack, &frames);
		add_frame_names(&frames, out);
	}
}

void words_names_release(struct suppress_names *names)
{
	VEC_RELEASE_ALL(&names->variables, &names->functions, &names->files);
}
