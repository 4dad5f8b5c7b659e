/*
 * Parts of the merging reader: a thread's stream with its two cursors (merge_stream.c), the pending
 * reads (merge_reads.c), how far is scanned and what happens when nobody can go on (merge_window.c).
 *
 * The merger is in a mode.  An ordinary one reads a whole recording (merge_window.c).  A trace that
 * begins in the middle is in the mode of merge_past.c until the past is over, and ordinary from then
 * on; one that grows is in that of merge_follow.c until nothing more comes.
 */
#ifndef MERGE_MERGE_PRIV_H
#define MERGE_MERGE_PRIV_H

#include "recording/decode.h"
#include "merge/prologue.h"

struct control;
struct portion;

/* Pending reads; more between two cuts is ST_LIMIT. */
#define MERGE_READS_MAX (1u << 25)

/* Records that a thread may have made before a cut was begun, beyond its count in the cut. */
#define MERGE_EXTRA 4

struct merge_stream {
	struct blocks *blocks;
	const struct blocks_thread *src;
	struct texts *notes;
	bool ended;   /* the run ended in good order */
	bool damaged; /* events of this thread are known to be lost */
	bool over;    /* scanned to its end */
	struct decode_cursor emit, scan;
	uint64_t nfetched, nscanned; /* items */
	uint64_t limit, load;	     /* event numbers: emit up to limit, scan beyond load */
	uint32_t grace;		     /* records that may be emitted past the limit */
	uint64_t end;		     /* nothing after it is yielded */
	uint32_t tail_records;	     /* scanned beyond it: they may still be past */
	uint32_t extra;		     /* records scanned past load */
	uint64_t stack_low, stack_high;
	uint64_t bytes;
	/* The first read that may be missing, and its chunk. */
	bool has_doubt;
	uint32_t doubt_number;
	struct decode_trailing doubt;
	/* The chunk after the scanned one, read early to know whether there is one. */
	struct blocks_chunk next_head;
	uint8_t *next_bytes;
	uint32_t next_n, next_number;
	uint64_t nscanned_events, nfetched_events; /* items that have numbers */
	/* While the recording grows. */
	bool follow;  /* more may come */
	bool repeats; /* some read since the last synchronisation scanned may be repeated unseen */
	bool carried; /* `repeats' when the chunk that is being written was entered */
};

void merge_stream_init(struct merge_stream *s, struct blocks *b, const struct blocks_thread *src,
		       struct stacks *stacks, bool ended, struct texts *notes);
/* From this chunk on, up to this event.  Before the first scan. */
void merge_stream_start(struct merge_stream *s, uint32_t chunk, uint64_t end);
void merge_stream_release(struct merge_stream *s);

/* Scanning shall reach event number load and MERGE_EXTRA records more. */
void merge_stream_load(struct merge_stream *s, uint64_t load);
bool merge_stream_is_short(const struct merge_stream *s);
/* The scanning cursor's next item; false at the end. */
bool merge_stream_scan(struct merge_stream *s, struct decode_item *item);
/* Is there something scanned that was not fetched? */
bool merge_stream_is_scanned(const struct merge_stream *s);
/* Is it within the limit? */
bool merge_stream_is_open(const struct merge_stream *s);
bool merge_stream_is_end(const struct merge_stream *s);
/* The recording has grown, or (last) nothing more comes of it; src is what there is now. */
void merge_stream_grow(struct merge_stream *s, const struct blocks_thread *src, bool last,
		       bool ended);
/* The emitting cursor's next item.  Precondition: merge_stream_is_scanned. */
void merge_stream_fetch(struct merge_stream *s, struct decode_item *item);

struct merge_stack {
	uint64_t low, high;
	uint32_t tid;
};

struct merge_reads {
	struct map count;		/* merge_reads_key, to pending reads */
	struct map own;			/* INIT only: word << 20 | tid, to its pending reads */
	VEC(struct merge_stack) stacks; /* as owned now, sorted, not overlapping */
};

void merge_reads_release(struct merge_reads *r);
uint64_t merge_reads_count(const struct merge_reads *r);

uint64_t merge_reads_key(struct version v, uint64_t word);
bool merge_reads_is_init(uint64_t key);

/* A read, by the thread of s, of version v of a word. */
void merge_reads_add(struct merge_reads *r, const struct merge_stream *s, struct version v,
		     uint64_t word);
void merge_reads_remove(struct merge_reads *r, const struct merge_stream *s, struct version v,
			uint64_t word);
/* A word of which INIT is to be read: how often by the thread. */
uint64_t merge_reads_own(const struct merge_reads *r, uint32_t tid, uint64_t key);
/* Must the thread of s wait before it replaces v? */
bool merge_reads_block(const struct merge_reads *r, const struct merge_stream *s, struct version v,
		       uint64_t word);
/* From now on [low, low + len) is the stack of tid. */
void merge_reads_own_stack(struct merge_reads *r, uint32_t tid, uint64_t low, uint64_t len);

/* ---- the merger ---- */

#define MERGE_NOBODY UINT32_MAX

enum merge_state {
	MERGE_READY, /* running, or in the queue */
	MERGE_LIMIT, /* at the cut */
	MERGE_EVENT, /* waits for an event of another thread */
	MERGE_READS, /* waits for pending reads to be yielded */
	MERGE_DONE,
};

/* Ascending numbers, first come first gone. */
struct merge_queue {
	VEC(uint64_t) at;
	size_t first;
};

/* Reads of a thread of a growing recording that go on without a record (merge_repeats.c). */
struct merge_repeats {
	struct map open; /* words that were read so, to the version */
	/* By merge_reads_key: versions that were open, whose TRAILING record may come yet; reads that are
	 * there and not settled. */
	struct map left, tail;
	uint64_t nsettled, nsynced; /* of the scanning cursor, when they were looked at */
	uint64_t upto;		    /* last event that is there, settled or not */
	struct merge_queue ends;    /* so many were there at looks, as far as it matters */
	struct merge_queue belated; /* items that may have been done long before, by their count */
};

struct merge_thread {
	struct merge_stream stream;
	struct decode_item item;
	bool has_item;
	bool force;		   /* place the next word though reads of INIT are pending */
	bool unseen_reads;	   /* it waits for reads that may come yet (merge_mode.withholds) */
	struct blocks_thread gone; /* stands for its chunks when there are none any more */
	uint32_t word;		   /* first word of item not yet placed */
	uint32_t clear;		   /* first word not yet found free to go */
	uint64_t emitted;
	enum merge_state state;
	uint32_t next; /* in the list that state says */
	/* Why it is blocked. */
	struct version wait_event;
	uint64_t wait_key;
	uint64_t wait_since; /* window */
	/* Who waits for events of this thread. */
	uint32_t waiters;
	uint64_t waiters_first; /* the lowest event number waited for */
	char *label;
	struct prologue_thread past;  /* merge_past.c */
	struct merge_repeats repeats; /* merge_repeats.c */
};

struct merge;

/* What is different in a mode.  Functions may be NULL: nothing is to be done. */
struct merge_mode {
	bool yields; /* placed events are yielded, up to the end that was asked for */
	bool grows;  /* a thread that is not there may come yet */
	/* The scanning cursor of t has passed the item. */
	void (*scanned)(struct merge *m, struct merge_thread *t, const struct decode_item *item);
	/* May a read of v come that is not recorded yet, by another thread than t? */
	bool (*withholds)(const struct merge *m, const struct merge_thread *t, struct version v,
			  uint64_t word);
	/* The next words of the item of t have been placed as e, which may be changed. */
	void (*placed)(struct merge *m, struct merge_thread *t, struct event *e);
	/* The thread is done with. */
	void (*done)(struct merge *m, struct merge_thread *t);
	/* t waits for reads of INIT: may they be passed over? */
	bool (*overrules)(const struct merge *m, const struct merge_thread *t);
	/* The next window: sets `limit' and `load' of all; then all have been scanned so far. */
	void (*load)(struct merge *m);
	void (*reached)(struct merge *m);
	/* Nobody can run.  ST_OK: somebody can now, or m->error says why not; ST_AGAIN, ST_END: as
	 * merge_next. */
	enum status (*advance)(struct merge *m);
};

extern const struct merge_mode merge_mode_whole;   /* merge_window.c */
extern const struct merge_mode merge_mode_past;	   /* merge_past.c: what is not yielded */
extern const struct merge_mode merge_mode_present; /* merge_past.c: what comes then */
extern const struct merge_mode merge_mode_growing; /* merge_follow.c */
extern const struct merge_mode merge_mode_grown;   /* merge_follow.c: nothing more comes */

/* How far the past has come: CUT up to the cut, GRACE and what a cut may have missed, RELAX and what
 * only reads of INIT hold up. */
enum merge_phase { MERGE_CUT, MERGE_GRACE, MERGE_RELAX };

struct merge_past {
	enum merge_phase phase;
	struct prologue prologue;
	struct map gone; /* merge_reads_key of versions replaced although reads of them may come */
	struct map
		counted; /* threads of which nothing is left: tid, to its last event that is past */
};

struct merge_follow {
	bool end;	 /* all that is there is to be scanned next */
	bool by_look;	 /* what was scanned last ends where a look did, not at a cut */
	bool short_of;	 /* it does not reach to its cut: that is not there yet */
	bool looked;	 /* since somebody was scanned */
	size_t cuts;	 /* up to here they may be scanned to */
	struct map open; /* merge_reads_key, to how often it is in open, left and tail */
	/* Versions replaced of late, while some thread may have been about to record a read of them:
	 * since the one before the last swap, and since that. */
	struct map gone[2];
};

struct merge {
	const struct merge_mode *mode;
	struct texts *notes;
	struct blocks *blocks;
	struct stacks *stacks;
	const struct portion *portion;
	const struct control *control;
	struct merge_thread **threads;
	uint32_t n, ndone;
	uint32_t *by_tid; /* tid, to index + 1; 0 none */
	uint32_t ntids;
	struct merge_reads reads;
	struct map read_waiters; /* key, to the first thread + 1 */
	struct map
		forced;	  /* merge_reads_key of INIT, where reads of it may have been passed over */
	size_t next_cut;  /* to be scanned to */
	bool all_scanned; /* past the last cut: `load' of all is the end */
	bool last_window; /* `limit' too */
	uint64_t window;
	uint32_t running, ready_first, ready_last;
	struct decode_item scanned;
	bool damaged; /* lost something, or was damaged from the start */
	bool stopped;
	size_t prologue; /* of past.prologue.events, to be yielded next */
	struct merge_past past;
	struct merge_follow follow;
	uint64_t pos;
	enum status error;
	struct diag why;
};

/* ---- merge.c ---- */

/* Index of the thread, or MERGE_NOBODY. */
uint32_t merge_find(const struct merge *m, uint32_t tid);
/* Thread i shall run. */
void merge_ready(struct merge *m, uint32_t i);
/* Those that wait for reads of it shall look again. */
void merge_wake(struct merge *m, uint64_t key);
/* Those that wait for an event of u that has come shall run; at the end of u all, who will find out. */
void merge_event_wake(struct merge *m, struct merge_thread *u);
/* One more thread, from blocks->threads. */
void merge_thread_new(struct merge *m, const struct blocks_thread *src, uint32_t chunk,
		      uint64_t end);
/* The reads of words [from, to) of the item have been placed. */
void merge_reads_placed(struct merge *m, struct merge_thread *t, uint32_t from, uint32_t to);

/* ---- merge_window.c ---- */

/* Scanning shall reach the next cut, or all that there is. */
void merge_load(struct merge *m, bool to_end);
/* The same, whichever comes next. */
void merge_load_cut(struct merge *m);
/* Of merge_mode_whole. */
bool merge_whole_overrules(const struct merge *m, const struct merge_thread *t);
void merge_whole_load(struct merge *m);
enum status merge_whole_advance(struct merge *m);
/* Events may be placed up to where all were to be scanned. */
void merge_limit(struct merge *m);
/* Aborts where a thread is not in the one list that its state says.  Costs a look at each thread. */
void merge_check(const struct merge *m);
/* The next window: scans ahead as far as the mode says. */
void merge_advance(struct merge *m);
/* Lets one thread go that reads of INIT hold up, if the mode allows that. */
bool merge_relax(struct merge *m);
/* The thread has come to its end. */
void merge_thread_end(struct merge *m, struct merge_thread *t);
/* It ends here, whatever it has left; with v: because its event names that, which will never come. */
void merge_thread_cut(struct merge *m, struct merge_thread *t);
void merge_thread_stop(struct merge *m, struct merge_thread *t, struct version v);

/* ---- merge_past.c ---- */

/* Before the first event is read. */
void merge_past_begin(struct merge *m);
/* Is the event past?  Of events that will not be yielded. */
bool merge_past_has(const struct merge *m, struct version v);
void merge_past_release(struct merge *m);

/* ---- merge_repeats.c ---- */

void merge_repeats_init(struct merge_repeats *r);
void merge_repeats_release(struct merge_repeats *r);
/* As in merge_mode. */
void merge_repeats_scanned(struct merge *m, struct merge_thread *t, const struct decode_item *item);
bool merge_repeats_withhold(const struct merge *m, const struct merge_thread *t, struct version v,
			    uint64_t word);
/* No read of the thread comes any more. */
void merge_repeats_end(struct merge *m, struct merge_thread *t);
/* Of what is there and not settled: forget it; look at it anew. */
void merge_tail_clear(struct merge *m, struct merge_thread *t);
void merge_tail_renew(struct merge *m, struct merge_thread *t);
/* The item scanned last may have been done, and not recorded, at a look before; so may the one that
 * was fetched last. */
void merge_belated_note(struct merge_thread *t, const struct decode_item *item);
bool merge_belated_is(struct merge_thread *t);

#endif /* MERGE_MERGE_PRIV_H */
