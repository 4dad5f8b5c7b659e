/*
 * Who has to wait for whom, so that the order comes about: edges between events of different threads,
 * those left out that follow from others, from program order, or from how threads are made and
 * joined.
 */
#ifndef REPLAY_EDGES_H
#define REPLAY_EDGES_H

struct draft;

/* Into d->edges.  Identities are known (identity.h). */
void edges_find(struct draft *d);

#endif /* REPLAY_EDGES_H */
