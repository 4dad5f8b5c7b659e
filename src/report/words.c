#include "report/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "finding/finding.h"
#include "report/show.h"

#define DEEPEST_INLINING \
	64 /* a recording may say anything, also that a site is inlined into itself */

static void add_site(const struct trace *t, uint32_t site, struct words_frames *out)
{
	struct trace_place p;

	for (int depth = 0; depth < DEEPEST_INLINING && site != 0; depth++) {
		if (!trace_site(t, site, &p))
			return;
		*VEC_PUSH(&out->at) = p;
		site = p.inlined;
	}
}

void words_frames(const struct trace *t, uint32_t site, uint32_t stack, struct words_frames *out)
{
	const uint32_t *sites;
	uint32_t n = trace_stack(t, stack, &sites);

	VEC_CLEAR(&out->at);
	add_site(t, site, out);
	for (uint32_t i = 0; i < n; i++)
		add_site(t, sites[i], out);
}

void words_thread(const struct trace *t, uint32_t tid, struct strbuf *out)
{
	const char *label = trace_thread_label(t, tid);

	strbuf_adds(out, trace_thread_name(t, tid));
	if (label)
		strbuf_addf(out, " \"%s\"", label);
}

/* As compilers do: what lies below us is named from here. */
static const char *relative(const char *file)
{
	static char here[4096];
	size_t n;

	if (!here[0] && !getcwd(here, sizeof(here)))
		return file;
	n = strlen(here);
	return n > 1 && strncmp(file, here, n) == 0 && file[n] == '/' ? file + n + 1 : file;
}

void words_place(const struct trace_place *p, struct strbuf *out)
{
	if (p->file && p->line)
		strbuf_addf(out, "%s:%" PRIu32, relative(p->file), p->line);
	else if (p->file)
		strbuf_adds(out, relative(p->file));
	else if (p->line)
		strbuf_addf(out, "%" PRIu32, p->line);
	else if (!p->function)
		strbuf_adds(out, "?");
	if (p->function)
		strbuf_addf(out, "%sin %s", p->file || p->line ? " " : "", p->function);
}

void words_line(const struct trace *t, uint32_t site, struct strbuf *out)
{
	struct trace_place p;

	if (site == 0 || !trace_site(t, site, &p))
		return;
	if (p.line)
		strbuf_addf(out, ":%" PRIu32, p.line);
	else if (p.file || p.function)
		strbuf_adds(out, p.file ? p.file : p.function);
}

const char *words_op(const struct evidence_event *e)
{
	bool atomic = (e->flags & EVENT_ATOMIC) != 0;

	switch (e->op) {
	case EVENT_READ:
		return atomic ? "atomic read" : "read";
	case EVENT_WRITE:
		return atomic ? "atomic write" : "write";
	case EVENT_RMW:
		return atomic ? "atomic update" : "update";
	default:
		return show_op(e->op);
	}
}

const char *words_brief(const char *name)
{
	const char *colon = strrchr(name, ':');
	const char *dot = strchr(name, '.');

	return colon && dot && dot < colon ? colon + 1 : name;
}

/* The object's own name says less than the site: a block, a stack, an address. */
static bool is_anonymous(const char *name)
{
	return strncmp(name, "0x", 2) == 0 || strchr(name, '#') || strchr(name, ' ');
}

/* `variable' is `name', or a part of it: "audit" and "audit.total", "table+8" and "table[]". */
static bool is_part(const char *variable, const char *name)
{
	size_t n = strcspn(name, "+");

	return strncmp(variable, name, n) == 0 &&
	       (variable[n] == '\0' || strchr(".[-", variable[n]));
}

/* What the site says, when that is a name: not *p, not p[3] of a stack's pointer. */
static const char *site_variable(const struct evidence *ev, const struct evidence_event *e)
{
	struct trace_place p;

	if (e->op == EVENT_FREE || !trace_site(evidence_trace(ev), e->site, &p) || !p.variable)
		return NULL;
	return isalpha((unsigned char)p.variable[0]) || p.variable[0] == '_' ? p.variable : NULL;
}

void words_object(const struct evidence *ev, uint64_t pos, struct strbuf *out)
{
	struct evidence_object o = { 0 };
	struct evidence_event e;
	const char *variable, *name;

	evidence_get(ev, pos, &e);
	variable = site_variable(ev, &e);
	if (!evidence_object(ev, pos, &o) || !o.name) {
		/* The reader stands elsewhere now, but what has a name does not move. */
		o.name = trace_object_name(evidence_trace(ev), e.addr);
		if (is_anonymous(o.name))
			o.name = variable ? variable : "memory";
	}
	name = words_brief(o.name);
	if (!variable)
		strbuf_adds(out, o.name);
	else if (is_anonymous(name) || is_part(variable, name))
		strbuf_adds(out, variable);
	else
		strbuf_addf(out, "%s (%s)", o.name, variable);
}

void words_subject(const struct evidence *ev, const struct finding *f, struct strbuf *out)
{
	uint64_t best = f->events[0];
	struct evidence_event e;

	for (uint32_t i = f->nevents; i-- > 0;) {
		evidence_get(ev, f->events[i], &e);
		if (site_variable(ev, &e))
			best = f->events[i];
	}
	words_object(ev, best, out);
}

static void add_frame_names(const struct words_frames *frames, struct suppress_names *out)
{
	for (size_t i = 0; i < frames->at.n; i++) {
		if (frames->at.at[i].function)
			*VEC_PUSH(&out->functions) = frames->at.at[i].function;
		if (frames->at.at[i].file)
			*VEC_PUSH(&out->files) = frames->at.at[i].file;
	}
}

void words_names(const struct evidence *ev, const struct finding *f, const char *subject,
		 struct suppress_names *out)
{
	const struct trace *t = evidence_trace(ev);
	struct words_frames frames = { 0 };
	struct evidence_object o;
	struct evidence_event e;
	struct trace_place p;

	*VEC_PUSH(&out->variables) = subject;
	for (uint32_t i = 0; i < f->nevents; i++) {
		evidence_get(ev, f->events[i], &e);
		if (trace_site(t, e.site, &p) && p.variable)
			*VEC_PUSH(&out->variables) = p.variable;
		if (evidence_object(ev, f->events[i], &o) && o.name) {
			*VEC_PUSH(&out->variables) = o.name;
			*VEC_PUSH(&out->variables) = words_brief(o.name);
		}
		words_frames(t, e.site, e.stack, &frames);
		add_frame_names(&frames, out);
	}
	VEC_RELEASE(&frames.at);
}

void words_names_release(struct suppress_names *names)
{
	VEC_RELEASE(&names->variables);
	VEC_RELEASE(&names->functions);
	VEC_RELEASE(&names->files);
}
