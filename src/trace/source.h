/*
 * What a form of trace must offer.  trace.c finds the form from the file's
 * first bytes, opens the source, and from then on only passes calls through.
 *
 * A source embeds struct trace_source as its first member.  Every operation
 * means what the trace_* function of the same name in trace/trace.h says; the
 * source numbers `pos' from 1.
 */
#ifndef TRACE_SOURCE_H
#define TRACE_SOURCE_H

#include "trace/trace.h"

struct program;
struct trace_source;

struct trace_source_ops {
	enum status (*next)(struct trace_source *s, struct event *e, struct diag *d);
	void (*close)(struct trace_source *s); /* frees s */
	void (*info)(const struct trace_source *s, struct trace_info *out);
	uint32_t (*site_count)(const struct trace_source *s);
	bool (*site)(const struct trace_source *s, uint32_t site, struct trace_site *out);
	/* NULL: all are empty. */
	uint32_t (*stack)(const struct trace_source *s, uint32_t stack, const uint32_t **sites);
	uint32_t (*thread_count)(const struct trace_source *s);
	const char *(*thread_name)(const struct trace_source *s, uint32_t tid);
	const char *(*thread_label)(const struct trace_source *s, uint32_t tid); /* NULL: none */
	const char *(*object_name)(struct trace_source *s, uint64_t addr);
	/* NULL: as object_name. */
	const char *(*object_own)(struct trace_source *s, uint64_t addr);
	const char *(*object_range)(struct trace_source *s, uint64_t addr);
	uint64_t (*object_id)(struct trace_source *s, uint64_t addr);
	const char *(*object_given)(struct trace_source *s, uint64_t addr);  /* NULL: never */
	const char *(*object_benign)(struct trace_source *s, uint64_t addr); /* NULL: never */
	/* Recordings: what names/variables.c looks things up in.  NULL: there is none. */
	const struct program *(*program)(const struct trace_source *s);
	/* Recordings; NULL: nothing is known. */
	enum trace_first (*first)(struct trace_source *s, uint64_t addr, uint8_t *byte);
	bool (*extent)(struct trace_source *s, uint64_t addr, uint64_t *from, uint64_t *len);
	bool (*hides)(const struct trace_source *s, uint64_t addr, uint64_t len);
	bool (*unsteady)(const struct trace_source *s, uint64_t addr, uint64_t len);
	/* NULL: there are none. */
	size_t (*inputs)(const struct trace_source *s, const struct trace_input **out,
			 const uint8_t **bytes);
	/* Text: the address that stands for a variable or lock, now or when it comes.  0: there are
	 * no numbers left.  NULL: names have no addresses. */
	uint64_t (*name_address)(struct trace_source *s, const char *name, bool lock);
	/* trace_plain_address.  NULL: addresses are what they are. */
	uint64_t (*plain_address)(const struct trace_source *s, uint64_t addr);
	/* trace_follow_end.  NULL: it does not grow. */
	void (*follow_end)(struct trace_source *s);
};

struct trace_source {
	const struct trace_source_ops *ops;
};

struct trace_source *trace_source(struct trace *t);

/* A recording (merge/source.c).  opt may be NULL in both. */
enum status binary_source_open(const char *path, const struct trace_options *opt,
			       struct trace_source **out, struct diag *d) ST_CHECKED;

/* STD and #fmt 1 text; path "-" is standard input (text/std_read.c). */
enum status std_source_open(const char *path, const struct trace_options *opt,
			    struct trace_source **out, struct diag *d) ST_CHECKED;

#endif /* TRACE_SOURCE_H */
