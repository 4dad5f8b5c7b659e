/* The file of a store (store_file.c): blocks, areas and slots.  All calls may fail with ST_IO. */
#ifndef LINK_STORE_PRIV_H
#define LINK_STORE_PRIV_H

#include "link/store.h"

struct store_slot {
	uint64_t offset;
	uint32_t dirty; /* bytes behind the head that may not be 0 */
};

struct store_area {
	uint64_t offset;
	uint32_t generation;
};

struct store_file {
	int fd;
	struct format_file head;
	uint64_t end; /* where the next block goes */
	uint64_t limit, control;
	VEC(struct store_slot) slots;
	VEC(uint32_t) free;
	VEC(struct store_area) areas;
	uint64_t area_size;
	uint64_t area_at, area_end; /* room for the next chunk */
	uint32_t generation;
	uint64_t emptied;
};

enum status store_file_begin(struct store_file *f, const char *path,
			     const struct message_hello *hello, uint64_t limit, struct diag *d);
void store_file_end(struct store_file *f);

/* A closed chunk: head and records, in one piece. */
enum status store_file_append(struct store_file *f, const struct format_chunk *c, struct diag *d);

/* All closed chunks of threads are dropped. */
enum status store_file_forget(struct store_file *f, struct diag *d);

/* A slot, empty; give it back when its chunk is closed or gone. */
enum status store_file_take(struct store_file *f, uint32_t *slot, struct diag *d);
void store_file_give(struct store_file *f, uint32_t slot);
/* Its chunk shall not be seen any more. */
enum status store_file_wipe(struct store_file *f, uint32_t slot, struct diag *d);

/* Records from..from + n - 1 of the chunk in a slot; the first ones bring its head. */
enum status store_file_grow(struct store_file *f, uint32_t slot, const struct format_chunk *head,
			    const struct message_records *more, struct diag *d);
/* Its first n bytes of records. */
enum status store_file_read(const struct store_file *f, uint32_t slot, uint8_t *into, uint32_t n,
			    struct diag *d);

#endif /* LINK_STORE_PRIV_H */
