/*
 * The control stream of a recording: places, strings, globals, cuts, and how
 * the run ended (doc/TRACE_FORMAT.md sections 4 and 5).  Read whole when the
 * trace is opened.
 *
 * Ownership: the caller owns the struct; strings live as long as it.
 */
#ifndef TRACE_CONTROL_H
#define TRACE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "trace/trace.h"

struct blocks;
struct images;
struct intern;
struct notes;

#define CONTROL_SITES_MAX (1u << 26) /* site numbers; higher ones are damage */

struct control_site {
	uint32_t number;
	uint32_t file, function, variable; /* string ids of the file */
	uint32_t line, column, size, inlined;
	uint8_t kind, flags;
	uint16_t slot;
	uint64_t feeds;
};

struct control_global {
	uint64_t addr, size;
	uint32_t unit;				 /* its first site number, which is no place */
	const char *name, *type, *file, *layout; /* each may be NULL */
	/* The first nseen bytes when the unit came; of these the first ninitial are here, the rest
	 * are zero.  Nothing is known of those behind. */
	const uint8_t *initial;
	uint32_t ninitial, nseen;
};

/* Memory that nobody writes to while the program runs. */
struct control_steady {
	uint64_t addr, size;
};

/* String ids of the file. */
struct control_names {
	uint32_t name, type, file, layout;
};

struct control_pair {
	uint32_t tid;
	uint64_t tseq;
};

struct control {
	struct intern *text;
	struct map strings; /* string id of the file, to intern id */
	VEC(struct control_site) sites;
	struct map site_at;    /* site number, to place in sites */
	uint32_t site_count;   /* highest number + 1 */
	struct images *images; /* of --locks-only: these have places and variables too */
	uint32_t unit;	       /* the one whose tables are being read */
	VEC(struct control_global) globals;
	VEC(struct control_names) global_names; /* beside globals */
	VEC(struct control_steady) steady;
	/* Memory that was given out, and no ALLOC says so; told: there is a word about it. */
	VEC(struct control_steady) hidden;
	bool hidden_told;
	/* Cut k (from 0): pairs[cuts[k]] up to the next cut's first. */
	VEC(struct control_pair) pairs;
	VEC(uint64_t) cuts;
	uint64_t cut_number; /* of the last cut */
	const char *program;
	bool ended;   /* C_END was there */
	bool trouble; /* the writer lost something, or the stream is damaged */
	int exit_status;
	uint64_t bytes;
};

void control_read(struct control *c, struct blocks *b, struct notes *notes);
/* Again, from a recording that has grown.  Strings that were given out stay good. */
void control_read_more(struct control *c, struct blocks *b, struct notes *notes);
void control_release(struct control *c);

bool control_site(const struct control *c, uint32_t number, struct trace_place *out);

#endif /* TRACE_CONTROL_H */
