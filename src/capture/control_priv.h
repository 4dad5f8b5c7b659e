/* What the files of control share. */
#ifndef CAPTURE_CONTROL_PRIV_H
#define CAPTURE_CONTROL_PRIV_H

#include "capture/control.h"

#include "capture/thread.h"
#include "trace/plan.h"

/* A table that is emptied by a new stamp. */
struct control_entry {
	uint64_t key, stamp;
	uint64_t value;	 /* of bytes that were read */
	uint32_t n;	 /* a count, or the mask of those bytes */
	uint16_t places; /* where they were read */
};

struct control_table {
	struct control_entry *at;
	uint32_t mask, used;
	uint64_t stamp;
};

struct control {
	struct plan_seat *seat; /* in the shared file; of a thread outside the plan its own */
	const struct plan_thread *part;
	const struct plan_step *steps;
	const uint32_t *keys;
	uint32_t index; /* CONTROL_OUTSIDE: the plan does not know it */
	uint32_t nforks;
	struct control *older; /* of all that were made; none goes away */

	uint64_t solids; /* logged so far */
	uint64_t epoch;
	uint32_t next;		     /* step */
	uint64_t input;		     /* of its part: the next one */
	uint32_t tail;		     /* ranges and frees since the part's last solid event */
	struct control_table seen;   /* words read in this epoch */
	struct control_table counts; /* since the last solid event, by class and key */

	/* The operation that is under way. */
	bool pending;  /* control_leave has something to do */
	bool gated;    /* the next solid event has passed its gate */
	bool matched;  /* it is the next step */
	bool solid;    /* it is a solid event (accesses) */
	bool ends;     /* it ends the epoch */
	bool counted;  /* READ: as what was there at the gate */
	bool fresh;    /* ... and that was new */
	bool calling;  /* a call is logged, and goes on: no handler comes between */
	bool due;      /* a step is over as soon as the real call is done */
	bool targeted; /* it has stood at its target, and was let go */
	bool done;     /* and has done it */
	bool loading;  /* FREE: in the loader, under its lock, which whoever makes a thread takes */
	struct plan_op op;
	uint64_t looked;	     /* READ: the value that was there at the gate */
	struct control_entry before; /* READ: of `seen', before the gate */
	uint64_t word;		     /* READ: its key in `seen' */
	/* The last call in vain that was counted, and when. */
	uint64_t vain_key, vain_at;

	/* Signals: blocked until their time comes, as a mask; handlers that the plan has, so far (futex). */
	uint64_t held;
	uint32_t handled;

	struct timespec deadline; /* that was turned into the real clock's time */

	/* In a condition wait. */
	const void *cond;
	struct control *next_waiter;
};

#define CONTROL_OUTSIDE UINT32_MAX

extern struct plan_head *control_plan;

static inline bool control_is_free(void)
{
	return __atomic_load_n(&control_plan->freed, __ATOMIC_ACQUIRE) != 0;
}

static inline const struct plan_step *control_step(const struct control *c)
{
	return c->next < c->part->nsteps ? &c->steps[c->next] : NULL;
}

/* Is what it does now beyond what the order has of its thread? */
static inline bool control_is_beyond(const struct control *c)
{
	return c->solids >= c->part->solids;
}

uint32_t control_key(uint32_t site);
/* Is it code of the dynamic loader? */
bool control_is_loader(const void *code);
/* Of all threads the one that was made last. */
struct control *control_newest(void);

/* Futexes of the shared file. */
void control_sleep(uint32_t *word, uint32_t while_it_is);
void control_wake(uint32_t *word);
/* The tool looks. */
void control_ring(void);

/* The thread's progress has come to this. */
void control_progress(struct control *c, uint32_t to);
/* Waits for what a step waits for. */
void control_await(struct control *c, const struct plan_step *s);
/* Stands at its target until it is let go. */
void control_stand(struct control *c, const struct plan_step *s);
/* Says where a step has written. */
void control_touched(const struct control *c, const struct plan_step *s);
/* Stops until everybody is freed. */
void control_stop(struct control *c);
/* Ends the replay, and stays. */
void control_diverge(struct control *c, enum plan_why why, uint32_t site, uint32_t key);
/* What the thread is about to do, for the tool to see. */
void control_show(struct control *c, const struct thread *t, const struct plan_op *op);

/* The entry of a key, made if it is not there; NULL: there is no memory.  *fresh: it was made. */
struct control_entry *control_find(struct control_table *table, uint64_t key, bool *fresh);

/* Empties a table. */
void control_stamp(struct control_table *table, uint64_t to);
/* How many new ones of its class and key there were since the last solid event, this one included. */
uint32_t control_count(struct control *c, enum plan_class class, uint32_t key);
/* One less: it was not new. */
void control_uncount(struct control *c, enum plan_class class, uint32_t key);
/* Is the next step one of these? */
bool control_is_step(const struct control *c, enum plan_class class, uint32_t key, uint32_t nth);

/* The beginning of every gate.  False: nothing holds the thread back. */
bool control_arrive(struct control *c);
/* The gate of what is known by its count since the last solid event. */
void control_gate_counted(struct control *c, const struct thread *t, enum plan_class class,
			  uint32_t nth);
/* A solid event has happened.  ends: the epoch; due: it is not over before the real call is done. */
void control_solid(struct control *c, uint32_t site, bool ends, bool due);
/* It did what it stood before. */
void control_target_done(struct control *c);

/* The next step is over: others may go on.  due: not before the real call is done. */
void control_over(struct control *c, bool due);
/* A solid event's gate; ahead: of the one after the next. */
void control_gate_solid(struct control *c, const struct thread *t, uint32_t ahead);

/* In a hook, before a solid event, or a read at that site: a signal that came before it in the recording comes
 * first. */
void control_signal_await(struct thread *t, uint32_t read_site);
/* Something has happened: is it time for signals that are held? */
void control_signal_look(struct control *c);

/* What the plan has of this kind (FORMAT_INPUT_*, or a clock) for the thread here; NULL: nothing. */
const struct plan_input *control_input(struct control *c, unsigned what, uint32_t site);
/* The plan is there. */
void control_clock_start(void);

#endif /* CAPTURE_CONTROL_PRIV_H */
