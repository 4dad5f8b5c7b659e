/* Between csp.c (the text), csp_names.c (identifiers), csp_sync.c (who waits for whom) and csp_strict.c. */
#ifndef EXPORT_CSP_PRIV_H
#define EXPORT_CSP_PRIV_H

#include "compare/csp.h"
#include "export/csp.h"
#include "order/model.h"

/* A member of a datatype. */
struct csp_name {
	char *id;   /* an identifier of CSPM, of no other thing; NULL: it is not in the trace */
	char *real; /* what the trace calls it */
};

struct csp_names {
	struct csp_name *thread; /* [nthreads]: by tid */
	struct csp_name *lock, *sem, *cell;
	uint32_t nthreads;
	struct texts used; /* every identifier so far */
};

void csp_names_init(struct csp_names *n, const struct model *m, const struct csp_options *opt);
void csp_names_release(struct csp_names *n, const struct model *m);
/* Thread or variable (the cell) that is called so; UINT32_MAX: none is. */
uint32_t csp_names_find(const struct csp_name *names, uint32_t n, const char *word, size_t length);

struct csp_writer {
	const struct model *m;
	const struct csp_options *opt;
	const struct csp *net;
	struct csp_names names;
	struct strbuf *out;
	struct csp_checks checks;
	bool single;		       /* the only check has names without its number */
	VEC(struct model_guard) edges; /* from, to: what a hard edge joins; numbered from 1 */
	bool *is_forked;	       /* by tid */
	bool *is_shared;	       /* by lock: some thread reads it */
};

/* What there is to wait for. */
void csp_sync_find(struct csp_writer *w);
/* Declarations: datatypes of threads, locks, semaphores, and their channels. */
void csp_sync_declare(const struct csp_writer *w);
/* FORK, JOIN, MUTEX ..., SYNC, Sync. */
void csp_sync_write(const struct csp_writer *w);
/* The communications that the event is, each with " -> " behind it; accesses are none. */
void csp_sync_event(const struct csp_writer *w, uint32_t e, struct strbuf *out);
/* Those of edges: what must have come, what others wait for. */
void csp_sync_takes(const struct csp_writer *w, uint32_t e, struct strbuf *out);
void csp_sync_gives(const struct csp_writer *w, uint32_t e, struct strbuf *out);

/* "NAME = TEXT\n", with line breaks behind arrows. */
void csp_equation(const struct csp_writer *w, const char *name, const char *text);
/* "-- ..." of an event. */
void csp_event_comment(const struct csp_writer *w, const char *what, uint32_t e);

enum status csp_strict_write(struct csp_writer *w, struct diag *d) ST_CHECKED;

/* Events of a thread, in order: those of its chain that are its own. */
#define CSP_EACH_EVENT(w, t, e)                                              \
	for (uint32_t e = 1; e <= (w)->m->n; e++)                            \
		if ((w)->m->event[e].tid != (t) || !(w)->names.thread[t].id) \
			continue;                                            \
		else

#endif /* EXPORT_CSP_PRIV_H */
