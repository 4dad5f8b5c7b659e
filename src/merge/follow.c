/*
 * Looking again at a recording that grows.
 *
 * Each look scans all blocks of the file again, because chunks move from slots to the end of the
 * file, and reads the control stream again if it has grown.  What looks damaged may only be
 * unfinished, so notes about damage are kept back until the last look.
 */
#include "merge/follow.h"

#include "recording/blocks.h"
#include "recording/control.h"
#include "merge/merge.h"
#include "names/objects.h"

struct follow {
	char *path;
	struct follow_parts parts;
	struct texts unheard;
	bool due;	  /* the next call has to look */
	bool over;	  /* the next look is the last one */
	bool ended;	  /* the last look is done */
	uint64_t control; /* bytes of the control stream that were read */
};

static uint64_t control_bytes(struct blocks *b)
{
	const struct blocks_thread *t = blocks_thread(b, FORMAT_CONTROL_TID);
	uint64_t n = 0;

	for (size_t i = 0; t && i < t->chunks.n; i++)
		n += t->chunks.at[i].closed ? t->chunks.at[i].room : t->chunks.at[i].nheld;
	return n;
}

struct follow *follow_new(const char *path, const struct follow_parts *parts)
{
	struct follow *f = mem_zalloc(sizeof(*f));

	f->path = mem_strdup(path);
	f->parts = *parts;
	f->control = control_bytes(parts->blocks);
	/* Notes made when the file was opened are dropped; the last look makes those that still hold. */
	texts_release(parts->notes);
	parts->blocks->notes = &f->unheard;
	merge_follow(parts->merge);
	return f;
}

void follow_free(struct follow *f)
{
	if (!f)
		return;
	texts_release(&f->unheard);
	mem_free(f->path);
	mem_free(f);
}

void follow_wait(struct follow *f)
{
	f->due = true;
}

void follow_end(struct follow *f)
{
	f->over = true;
}

/* The recorder says that the run has ended while threads may still be writing: look once more. */
static bool is_last(struct follow *f)
{
	bool last = f->over;

	f->over = f->over || f->parts.control->ended;
	return last;
}

enum status follow_look(struct follow *f, struct diag *d)
{
	const struct follow_parts *p = &f->parts;
	struct blocks fresh;
	enum status st;
	bool last;

	if (!f->due || f->ended)
		return ST_OK;
	f->due = false;
	last = is_last(f);
	texts_release(&f->unheard);
	st = blocks_open(&fresh, f->path, last ? p->notes : &f->unheard, d);
	if (st != ST_OK)
		return st;
	blocks_close(p->blocks);
	*p->blocks = fresh;
	if (last || control_bytes(p->blocks) != f->control) {
		f->control = control_bytes(p->blocks);
		control_read_more(p->control, p->blocks, last ? p->notes : &f->unheard);
		objects_globals(p->objects, &p->control->program);
	}
	if (last)
		blocks_end(p->blocks, p->control->ended);
	f->ended = last;
	merge_follow_look(p->merge, last);
	return ST_OK;
}
