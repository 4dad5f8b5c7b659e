/*
 * Notes about synchronisation objects, by address: who waits on a condition, how often a barrier
 * was entered, which thread a handle stands for.  The objects themselves belong to the program and
 * have no room for notes.
 *
 * Notes on one object keep the order in which they were added.  Between
 * object_lock and object_unlock the caller alone sees the notes of obj; it must
 * be inside a hook (recording), so a forked child never meets a lock that was taken
 * in its parent.
 */
#ifndef CAPTURE_OBJECT_H
#define CAPTURE_OBJECT_H

#include "capture/common.h"

enum object_what {
	OBJECT_WAIT,	  /* condition: thread tid waits */
	OBJECT_SIGNAL,	  /* condition: event tseq of tid may wake one */
	OBJECT_BROADCAST, /* condition: ... or all */
	OBJECT_BARRIER,	  /* tid: threads it is for; tseq: entries so far */
	OBJECT_THREAD,	  /* the object is a pthread_t: thread tid, its END event or 0 */
};

struct object_note {
	struct object_note *next;
	const void *obj;
	enum object_what what;
	uint32_t tid;
	uint64_t tseq;
};

/* The list that holds the notes of obj among others. */
struct object_note **object_lock(const void *obj);
void object_unlock(const void *obj);

/* The first link, from `at' on, to a note of obj; at the end a link to NULL. */
struct object_note **object_seek(struct object_note **at, const void *obj);

/* All notes of obj, by the links to them. */
#define OBJECT_EACH(at, list, obj)                                          \
	for (struct object_note **at = object_seek(list, obj); *at != NULL; \
	     at = object_seek(&(*at)->next, obj))

/* The newest note of that kind, of thread tid unless that is 0; NULL: there is none. */
struct object_note **object_find(struct object_note **list, const void *obj, enum object_what what,
				 uint32_t tid);

/* Adds a note at the end.  NULL: no memory; the caller goes on without the note. */
struct object_note *object_add(struct object_note **list, const void *obj, enum object_what what,
			       uint32_t tid, uint64_t tseq);
/* Unlinks *at; at then leads to the next note. */
void object_drop(struct object_note **at);

#endif /* CAPTURE_OBJECT_H */
