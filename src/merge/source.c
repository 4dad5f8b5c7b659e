/*
 * A recording as a source of events: blocks, control stream, merger, and what
 * names things, put together.
 */

#include "recording/blocks.h"
#include "recording/control.h"
#include "recording/inputs.h"
#include "merge/follow.h"
#include "merge/portion.h"
#include "merge/merge.h"
#include "names/first.h"
#include "names/labels.h"
#include "names/objects.h"
#include "trace/source.h"
#include "recording/stacks.h"

struct binary {
	struct trace_source base; /* first */
	struct texts notes;
	struct blocks blocks;
	struct control control;
	struct stacks stacks;
	struct objects objects;
	struct labels labels;
	struct first *first;
	struct portion portion;
	struct inputs inputs;
	struct merge *merge;
	struct event ending; /* a FREE or THREAD_END whose object goes with the next event */
	bool has_ending;
	uint32_t max_tid;
	struct follow *follow; /* or NULL */
};

static struct binary *self(const struct trace_source *s)
{
	return (struct binary *)s;
}

static enum status binary_next(struct trace_source *s, struct event *e, struct diag *d)
{
	struct binary *b = self(s);
	enum status st;

	if (b->has_ending)
		objects_event(&b->objects, &b->ending);
	b->has_ending = false;
	if (b->follow && (st = follow_look(b->follow, d)) != ST_OK)
		return st;
	st = merge_next(b->merge, e, d);
	if (st == ST_AGAIN)
		follow_wait(b->follow);
	if (st != ST_OK)
		return st;
	if (e->site >= b->control.program.site_count)
		e->site = 0; /* so that tables of site_count entries will do */
	if (b->control.program.tests_at.n > e->site)
		program_test(&b->control.program, e);
	if ((e->op == EVENT_READ || e->op == EVENT_RMW) && !(e->flags & EVENT_REREAD) &&
	    program_looks(&b->control.program, e->site))
		e->flags |= EVENT_LOOKS;
	if (e->tid > b->max_tid)
		b->max_tid = e->tid;
	if (e->op == EVENT_FORK && e->peer > b->max_tid)
		b->max_tid = e->peer;
	if (e->op == EVENT_FREE || e->op == EVENT_THREAD_END) {
		b->ending = *e;
		b->has_ending = true;
	} else {
		objects_event(&b->objects, e);
	}
	return ST_OK;
}

static void binary_close(struct trace_source *s)
{
	struct binary *b = self(s);

	merge_free(b->merge);
	portion_release(&b->portion);
	objects_release(&b->objects);
	first_free(b->first);
	labels_release(&b->labels);
	stacks_release(&b->stacks);
	inputs_release(&b->inputs);
	control_release(&b->control);
	blocks_close(&b->blocks);
	texts_release(&b->notes);
	follow_free(b->follow);
	mem_free(b);
}

/* Who waited for the process knows best how it ended; the program itself can only tell a good end. */
static void end_get(const struct format_file *head, const struct control *c, struct trace_end *out)
{
	*out = (struct trace_end){ .hung = head->ended & FORMAT_ENDED_HUNG,
				   .asked = head->ended & FORMAT_ENDED_ASKED,
				   .became = head->ended & FORMAT_ENDED_BECAME };
	if (head->ended & FORMAT_ENDED_KILLED)
		out->signal = head->end_signal;
	else if (!(head->ended & FORMAT_ENDED_EXITED) && !c->ended)
		out->signal = head->fault_signal;
	if (out->signal && out->signal == head->fault_signal)
		out->fault_tid = head->fault_tid;
	out->known = out->signal || (head->ended & FORMAT_ENDED_EXITED) || c->exit_status >= 0;
	out->status = out->signal			  ? 128 + out->signal
		      : head->ended & FORMAT_ENDED_EXITED ? head->end_status
							  : c->exit_status;
}

static void binary_info(const struct trace_source *s, struct trace_info *out)
{
	const struct binary *b = self(s);

	out->form = TRACE_BINARY;
	out->complete = b->control.ended && !b->control.trouble && !b->blocks.damaged &&
			!b->portion.ends && !merge_is_damaged(b->merge);
	out->full = b->blocks.head.flags & FORMAT_FULL;
	out->partial = b->blocks.head.flags & FORMAT_PARTIAL;
	out->locks_only = b->blocks.head.flags & FORMAT_LOCKS;
	out->code = b->blocks.head.flags & FORMAT_CODE;
	out->blind = b->blocks.head.flags & FORMAT_BLIND;
	out->late = b->portion.cut != 0;
	out->from_cut = b->portion.cut;
	out->ncuts = b->control.cuts.n;
	out->version = b->blocks.head.version;
	out->tests = b->control.program.tests_at.n > 0;
	out->bytes = b->control.bytes + merge_bytes(b->merge);
	out->program = b->control.program.path;
	out->arguments = b->control.program.arguments;
	out->narguments = b->control.program.narguments;
	out->directory = b->control.program.directory;
	out->options = b->control.program.options;
	out->exit_status = b->control.exit_status;
	if (!b->portion.ends)
		end_get(&b->blocks.head, &b->control, &out->end);
	out->nnotes = (uint32_t)b->notes.n;
	out->notes = (const char *const *)b->notes.at;
}

static const char *binary_thread_name(const struct trace_source *s, uint32_t tid)
{
	return labels_thread(&self(s)->labels, tid);
}

/* An operation that a part of the recording answers. */
#define ASK(type, name, params, answer)     \
	static type binary_##name params    \
	{                                   \
		struct binary *b = self(s); \
                                            \
		return answer;              \
	}
#define PROGRAM (&b->control.program)

ASK(uint32_t, site_count, (const struct trace_source *s), PROGRAM->site_count)
ASK(bool, site, (const struct trace_source *s, uint32_t site, struct trace_site *out),
    program_site(PROGRAM, site, out))
ASK(uint32_t, stack, (const struct trace_source *s, uint32_t stack, const uint32_t **sites),
    stacks_get(&b->stacks, stack, sites))
ASK(uint32_t, thread_count, (const struct trace_source *s), b->max_tid)
ASK(const char *, thread_label, (const struct trace_source *s, uint32_t tid),
    merge_label(b->merge, tid))
ASK(const char *, object_name, (struct trace_source * s, uint64_t addr),
    objects_name(&b->objects, addr))
ASK(const char *, object_own, (struct trace_source * s, uint64_t addr),
    objects_own(&b->objects, addr))
ASK(const char *, object_range, (struct trace_source * s, uint64_t addr),
    objects_range(&b->objects, addr))
ASK(uint64_t, object_id, (struct trace_source * s, uint64_t addr), objects_id(&b->objects, addr))
ASK(const char *, object_given, (struct trace_source * s, uint64_t addr),
    objects_given(&b->objects, addr))
ASK(const char *, object_benign, (struct trace_source * s, uint64_t addr),
    objects_benign(&b->objects, addr))
ASK(const struct program *, program, (const struct trace_source *s), PROGRAM)
ASK(enum trace_first, first, (struct trace_source * s, uint64_t addr, uint8_t *byte),
    first_byte(b->first, PROGRAM, addr, byte))
ASK(bool, extent, (struct trace_source * s, uint64_t addr, uint64_t *from, uint64_t *len),
    first_extent(b->first, PROGRAM, addr, from, len))
ASK(bool, hides, (const struct trace_source *s, uint64_t addr, uint64_t len),
    program_hides(PROGRAM, addr, len))
ASK(bool, unsteady, (const struct trace_source *s, uint64_t addr, uint64_t len),
    program_unsteady(PROGRAM, addr, len))

static size_t binary_inputs(const struct trace_source *s, const struct trace_input **out,
			    const uint8_t **bytes)
{
	const struct inputs *in = &self(s)->inputs;

	*out = in->at.at;
	*bytes = in->bytes.at;
	return in->at.n;
}

static void binary_follow_end(struct trace_source *s)
{
	if (self(s)->follow)
		follow_end(self(s)->follow);
}

static const struct trace_source_ops binary_ops = {
	.next = binary_next,
	.close = binary_close,
	.info = binary_info,
	.site_count = binary_site_count,
	.site = binary_site,
	.stack = binary_stack,
	.thread_count = binary_thread_count,
	.thread_name = binary_thread_name,
	.thread_label = binary_thread_label,
	.object_name = binary_object_name,
	.object_own = binary_object_own,
	.object_range = binary_object_range,
	.object_id = binary_object_id,
	.object_given = binary_object_given,
	.object_benign = binary_object_benign,
	.program = binary_program,
	.first = binary_first,
	.extent = binary_extent,
	.hides = binary_hides,
	.unsteady = binary_unsteady,
	.inputs = binary_inputs,
	.follow_end = binary_follow_end,
};

enum status binary_source_open(const char *path, const struct trace_options *opt,
			       struct trace_source **out, struct diag *d)
{
	struct binary *b = mem_zalloc(sizeof(*b));
	bool follows = opt && opt->follow;
	enum status st;

	/* Leniency is about text: a damaged recording is always read as far as it goes. */
	st = blocks_open(&b->blocks, path, &b->notes, d);
	if (st != ST_OK) {
		texts_release(&b->notes);
		mem_free(b);
		return st;
	}
	b->base.ops = &binary_ops;
	control_read(&b->control, &b->blocks, &b->notes);
	if (!follows)
		blocks_end(&b->blocks, b->control.ended);
	portion_choose(&b->portion, &b->blocks, &b->control, opt ? opt->from_cut : 0,
		       opt ? opt->to_cut : 0);
	stacks_init(&b->stacks);
	labels_init(&b->labels);
	objects_init(&b->objects, &b->control.program,
		     b->blocks.head.flags & (FORMAT_LOCKS | FORMAT_CODE), b->portion.cut != 0);
	b->first = first_new(b->portion.cut != 0);
	b->merge = merge_new(&b->blocks, &b->control, &b->portion, &b->stacks, &b->notes);
	if (opt && opt->inputs)
		merge_keep_inputs(b->merge, &b->inputs);
	if (follows) {
		struct follow_parts parts = { &b->blocks, &b->control, &b->objects, b->merge,
					      &b->notes };

		b->follow = follow_new(path, &parts);
	}
	if (follows && b->portion.cut != 0) {
		diag_set(d,
			 "the beginning of '%s' was dropped or is not asked for: it cannot be "
			 "followed",
			 path);
		binary_close(&b->base);
		return ST_BAD_INPUT;
	}
	*out = &b->base;
	return ST_OK;
}
