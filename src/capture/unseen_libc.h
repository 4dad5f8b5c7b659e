/*
 * Functions of libc that have no stand-in, known to order no threads.  All others may: they wait, or ask
 * the kernel for what another thread has changed there.
 */
#ifndef CAPTURE_UNSEEN_LIBC_H
#define CAPTURE_UNSEEN_LIBC_H

#include <link.h>

#include "capture/common.h"

/* May the function at f, of this library of libc's, order threads?  Takes no lock. */
bool unseen_libc_orders(const struct link_map *library, const void *f);

#endif /* CAPTURE_UNSEEN_LIBC_H */
