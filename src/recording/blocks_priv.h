/* Scanning a recording for its blocks (blocks_scan.c), for the index of them (blocks.c). */
#ifndef RECORDING_BLOCKS_PRIV_H
#define RECORDING_BLOCKS_PRIV_H

#include "recording/blocks.h"

/* Bytes read, fewer than n only at the end of the file. */
uint64_t blocks_read_at(const struct blocks *b, uint64_t offset, void *into, uint64_t n);
/* b->size as it is now. */
bool blocks_size_take(struct blocks *b);
void blocks_damage(struct blocks *b, const char *what, uint64_t offset);

/* Finds all chunks, in no order; blocks_scan_clear forgets them. */
void blocks_scan_file(struct blocks *b);
void blocks_scan_clear(struct blocks *b);

#endif /* RECORDING_BLOCKS_PRIV_H */
