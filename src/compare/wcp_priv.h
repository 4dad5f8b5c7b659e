/*
 * The two memories of WCP: what sections of a lock did to a cell, and the order of the sections
 * themselves.
 */
#ifndef COMPARE_WCP_PRIV_H
#define COMPARE_WCP_PRIV_H

#include "order/stamp.h"

/* --- deeds: accesses of a cell inside sections of a lock ---------------------- */

/*
 * Releases of the sections with such an access.  Sections in write mode are ordered, so of those by
 * chains other than t the latest knows all the others: the latest of all, and the latest
 * by a chain other than its own, serve every t.  Sections in read mode are not; there one
 * for each chain is kept.
 */
struct wcp_releases {
	struct stamp latest, other;
};

struct wcp_shared {
	VEC(struct stamp) by[2]; /* reads, writes; one for each chain */
};

/* There are many, seldom in the cache: what a read needs comes first. */
struct wcp_deed {
	struct wcp_releases writes;
	uint32_t section; /* the section that has it in its list, there at `item' */
	uint32_t item;
	struct wcp_shared *shared; /* NULL: none in read mode */
	struct wcp_releases reads;
	uint32_t life; /* counts DROPs of the cell */
	uint32_t lock, cell;
	uint32_t next; /* of the same cell; 0 end */
};

struct wcp_deeds {
	struct stamps *stamps;	 /* borrowed */
	struct map index;	 /* lock, cell: index in at */
	VEC(struct wcp_deed) at; /* [0] unused */
	VEC(uint32_t) first;	 /* [cell]: 0 none */
};

void wcp_deeds_release(struct wcp_deeds *d);
/* Its index; made when absent. */
uint32_t wcp_deeds_find(struct wcp_deeds *d, uint32_t lock, uint32_t cell);
void wcp_deeds_split(struct wcp_deeds *d, uint32_t from, uint32_t to);
void wcp_deeds_drop(struct wcp_deeds *d, uint32_t cell);

/* A section of chain `by->chain' with such accesses ends at `by'. */
void wcp_deed_release(struct wcp_deeds *d, uint32_t deed, const struct stamp *by, bool writes,
		      bool shared);
/* into := into joined with the releases by chains other than t of sections that have an access in
 * conflict with this one; those in read mode exclude only sections in write mode. */
void wcp_deed_join(struct wcp_deeds *d, uint32_t deed, uint32_t t, bool writes, bool shared,
		   struct stamp *into);

/* --- queues: sections that a later release may come after --------------------- */

#define WCP_QUEUE_MOST 65536u

struct wcp_turn {
	uint32_t chain, acquired; /* time of the acquire */
	struct stamp release;
	bool fused; /* several in one: acquire of the first, release of the last */
};

struct wcp_queue {
	VEC(struct wcp_turn) at;
	uint64_t base;	      /* number of at[0] */
	VEC(uint64_t) cursor; /* [chain]: the first turn it has not passed */
	size_t tidy_at;	      /* when so long, look for what all have passed */
};

/* Chains that were joined: [chain], true until it is forked again. */
struct wcp_gone {
	VEC(bool) at;
};

void wcp_queue_release(struct wcp_queue *q);
/* False when turns had to be taken together to stay within WCP_QUEUE_MOST. */
bool wcp_queue_push(struct stamps *stamps, struct wcp_queue *q, const struct wcp_turn *turn,
		    const struct wcp_gone *gone, uint32_t nchains);
/* Chain t releases: past := past joined with the releases of all turns whose acquire it knows. */
void wcp_queue_pass(struct stamps *stamps, struct wcp_queue *q, uint32_t t, struct stamp *past);

#endif /* COMPARE_WCP_PRIV_H */
