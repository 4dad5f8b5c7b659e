/*
 * What threads of a recording are called: "T3".
 *
 * Ownership: names live as long as the struct, wherever others come to lie.
 * Threads:   any may ask, at once: proofs are checked side by side.
 */
#ifndef NAMES_LABELS_H
#define NAMES_LABELS_H

#include <pthread.h>

#include "base/common.h"

struct labels {
	pthread_mutex_t lock;
	struct map at; /* by thread: its name */
};

void labels_init(struct labels *l);
void labels_release(struct labels *l);

const char *labels_thread(struct labels *l, uint32_t tid);

#endif /* NAMES_LABELS_H */
