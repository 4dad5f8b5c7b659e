/* Slots of a file that is followed (relay_slots.c), and what both files of the relay share. */
#ifndef LINK_RELAY_PRIV_H
#define LINK_RELAY_PRIV_H

#include "link/relay.h"

/* What of a thread has been sent. */
struct relay_thread {
	uint32_t next; /* the first chunk that has not been sent whole */
	uint32_t sent; /* bytes of that one */
	uint64_t hash; /* of those bytes */
};

/* Room for a chunk that is being written. */
struct relay_slot {
	uint64_t offset;
	uint32_t size;
	/* As of the look with number `looked'. */
	uint64_t looked;
	struct format_chunk head; /* magic 0: nothing of interest */
	uint32_t extent;	  /* bytes of whole records */
};

/* Chunks that go together (--keep). */
struct relay_area {
	uint64_t offset, length;
	uint64_t at;	     /* from offset: what comes next */
	uint32_t generation; /* 0: it is being emptied */
	uint32_t turn;	     /* the last one that was not 0 */
	bool drained;	     /* all of it was read, and another one begun since */
};

enum relay_phase { RELAY_CONTROL, RELAY_BLOCKS, RELAY_AREAS, RELAY_SLOTS, RELAY_DONE };

struct relay {
	int fd;
	struct format_file file;
	VEC(struct relay_thread) threads;
	struct map by_tid; /* to index in threads + 1 */
	VEC(struct relay_slot) slots;
	VEC(struct relay_area) areas;
	uint64_t at; /* of the next block */
	uint64_t sent, dropped;
	/* This look. */
	uint64_t looks;
	uint64_t size;
	bool last;
	enum relay_phase phase;
	uint32_t generation; /* of the area that is looked at */
	bool overrun;	     /* an area was emptied before all of it was read */
	size_t slot;
	uint8_t *bytes; /* a chunk: head and records */
};

/* Bytes read: fewer than n at the end of the file only. */
uint64_t relay_read(const struct relay *r, uint64_t offset, void *into, uint64_t n);
struct relay_thread *relay_thread(struct relay *r, uint32_t tid);
bool relay_head_is_closed(const struct format_chunk *c);

/* The chunk whose records lie behind its head in r->bytes is closed: what is left of it to send.
 * Bytes that were sent before it was closed and are others now are sent again. */
void relay_chunk_put(struct relay *r, struct relay_thread *t, struct message *m);
/* Chunks t->next .. number - 1 are gone. */
void relay_dropped_put(struct relay *r, struct relay_thread *t, uint32_t tid, uint32_t number,
		       struct message *m);

void relay_slots_add(struct relay *r, const struct format_slots *s, uint64_t offset);
/* How far each slot has come; the control stream's only when asked for by itself. */
void relay_slots_look(struct relay *r);
/* The next message about a slot; control: of the control stream, else of all from r->slot on. */
bool relay_slots_next(struct relay *r, bool control, struct message *m);

#endif /* LINK_RELAY_PRIV_H */
