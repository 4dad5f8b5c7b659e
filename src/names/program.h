/*
 * What a recording says of the program: its strings, the sites in its code, its variables, the
 * memory that nobody writes to.  All of it stands in the control stream (doc/TRACE_FORMAT.md section
 * 4) and is read whole before the first event.
 *
 * Ownership: the caller owns the struct; strings live as long as `text'.
 */
#ifndef NAMES_PROGRAM_H
#define NAMES_PROGRAM_H

#include "trace/trace.h"

struct images;
struct wire;

#define PROGRAM_SITES_MAX (1u << 26) /* site numbers; higher ones are damage */

struct program_site {
	uint32_t number;
	uint32_t file, function, variable; /* string ids of the recording */
	struct trace_site is;		   /* but for these */
};

/* What the reads of a site are compared with. */
struct program_tests {
	uint32_t first, n; /* in tests */
	bool bad;	   /* it does not say */
};

struct program_global {
	uint64_t addr, size;
	uint32_t unit;	  /* its first site number, which is no site */
	const char *name; /* "total", "file.c:total" for a static one, "file.c:f.calls"; or NULL */
	const char *type; /* C-like; or NULL */
	const char *file; /* as the compiler was given it; or NULL */
	const char *layout; /* as in capture/hooks.h; or NULL */
	/* The first nseen bytes when the unit came; of these the first ninitial are here, the rest
	 * are zero.  Nothing is known of those behind. */
	const uint8_t *initial;
	uint32_t ninitial, nseen;
};

/* String ids of the recording. */
struct program_names {
	uint32_t name, type, file, layout;
};

struct program_memory {
	uint64_t addr, size;
};

struct program {
	struct intern *text;
	struct map strings; /* string id of the recording, to intern id */
	const char *path;   /* of the executable, or NULL */
	/* How it was started: its arguments, each ended by a zero byte; where, NULL not known; what was
	 * asked of the recorder, one a line. */
	const char *arguments, *directory, *options;
	size_t narguments; /* bytes */
	VEC(struct program_site) sites;
	struct map site_at;		    /* site number, to index in sites */
	VEC(struct program_tests) tests_at; /* by site number, as far as some have tests */
	VEC(struct predicate) tests;
	VEC(bool) looks;       /* by site number, as far as some only ask */
	uint32_t site_count;   /* highest number + 1 */
	struct images *images; /* of --locks-only: these have sites and variables too */
	uint32_t unit;	       /* the one whose tables are being read */
	VEC(struct program_global) globals;
	VEC(struct program_names) global_names; /* beside globals */
	VEC(struct program_memory) steady;	/* nobody writes to it while the program runs */
	/* Memory that was allocated without an ALLOC; told: the recording lists all such memory. */
	VEC(struct program_memory) hidden;
	bool hidden_told;
	VEC(struct program_memory) unsteady; /* may change without a record */
};

void program_init(struct program *p);
/* Begins anew, for a recording that has grown.  Strings that were given out stay good. */
void program_reset(struct program *p);
void program_release(struct program *p);

/* The payload of one control record.  False: its kind says nothing of the program. */
bool program_take(struct program *p, unsigned kind, struct wire *w);
/* All records have been taken. */
void program_settle(struct program *p);

/* The rest of a payload as text, up to its first zero byte. */
const char *program_text(struct program *p, struct wire *w);
/* As trace_site, trace_hides and trace_unsteady. */
bool program_site(const struct program *p, uint32_t number, struct trace_site *out);
/* Fills in the tests of an event, by its site, which tests_at has. */
void program_test(const struct program *p, struct event *e);
/* The site only asks (EVENT_LOOKS). */
static inline bool program_looks(const struct program *p, uint32_t site)
{
	return site < p->looks.n && p->looks.at[site];
}
bool program_hides(const struct program *p, uint64_t addr, uint64_t len);
bool program_unsteady(const struct program *p, uint64_t addr, uint64_t len);

#endif /* NAMES_PROGRAM_H */
