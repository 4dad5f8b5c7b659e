/*
 * One recording that is observed: what the process for it does (cmd_observe.c accepts connections
 * and starts these processes).
 *
 * It receives into a spool file (link/store.h), the file is analysed while it grows (live/live.h),
 * and at the end as `check' would.  Reports of several such processes do not mix: each is made
 * apart and written at once.
 */
#ifndef LIVE_OBSERVE_H
#define LIVE_OBSERVE_H

#include <signal.h>

#include "analyse/analyse.h"
#include "link/address.h"
#include "link/store.h"
#include "link/token.h"

/* Status of a process whose peer was turned away before there was anything to analyse. */
#define OBSERVE_TURNED_AWAY 100

struct observe {
	struct analyse analyse;
	struct address where;
	struct store_limits limits;
	const char *spool;	 /* directory of spools that stay; NULL: temporary ones */
	char token[TOKEN_BYTES]; /* empty: none is wanted */
	bool quiet, once;
	int listener;
	int lock;      /* a file to lock while something is written */
	sigset_t mask; /* of signals, for processes */
};

/* A peer that has been accepted. */
struct observe_peer {
	struct observe *o;
	int fd;
	unsigned number; /* from 1, over all */
};

/* The work of the process (launch/side.h); its status is that of the analysis. */
int observe_peer(void *peer, int stop, int say);

/* Tells the other side why nothing comes of it, and closes the connection. */
void observe_refuse(int fd, bool again, const char *why);

#endif /* LIVE_OBSERVE_H */
