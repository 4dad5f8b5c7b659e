/*
 * The board is a map from signatures to the lowest piece that has them, under one lock: it is
 * asked before a search, which costs far more.
 */
#include <pthread.h>

#include "predict/races_priv.h"

struct piece {
	VEC(struct found_pair) at;
	bool done;
};

struct found {
	pthread_mutex_t lock;
	struct map board; /* guarded by lock; signature to piece */
	size_t frontier;  /* guarded by lock: all pieces below are done */
	size_t below;	  /* guarded by lock: signatures (all: pairs) that those have */
	struct piece *pieces;
	size_t npieces, limit;
	bool all;
	VEC(struct found_pair) kept;
};

struct found *found_new(size_t npieces, size_t limit, bool all)
{
	struct found *f = mem_zalloc(sizeof(*f));

	pthread_mutex_init(&f->lock, NULL);
	f->pieces = mem_zalloc((npieces + 1) * sizeof(*f->pieces));
	f->npieces = npieces;
	f->limit = limit;
	f->all = all;
	return f;
}

void found_free(struct found *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->npieces; i++)
		VEC_RELEASE(&f->pieces[i].at);
	mem_free(f->pieces);
	map_release(&f->board);
	VEC_RELEASE(&f->kept);
	pthread_mutex_destroy(&f->lock);
	mem_free(f);
}

bool found_has(struct found *f, size_t piece, uint64_t signature)
{
	const uint64_t *by;
	bool has;

	if (f->all)
		return false;
	pthread_mutex_lock(&f->lock);
	by = map_get(&f->board, signature);
	has = by && *by <= piece;
	pthread_mutex_unlock(&f->lock);
	return has;
}

bool found_add(struct found *f, size_t piece, const struct found_pair *p)
{
	struct piece *own = &f->pieces[piece];
	uint64_t *by;
	bool fresh;

	*VEC_PUSH(&own->at) = *p;
	if (!f->all) {
		pthread_mutex_lock(&f->lock);
		by = map_put(&f->board, p->signature, &fresh);
		if (fresh || *by > piece)
			*by = piece;
		pthread_mutex_unlock(&f->lock);
	}
	return own->at.n <= f->limit;
}

/* How many signatures of the piece no lower one has.  All lower ones are done. */
static size_t count_new(const struct found *f, size_t piece)
{
	const struct piece *own = &f->pieces[piece];
	size_t n = 0;

	if (f->all)
		return own->at.n;
	for (size_t i = 0; i < own->at.n; i++)
		n += *map_get(&f->board, own->at.at[i].signature) == piece;
	return n;
}

void found_done(struct found *f, size_t piece)
{
	pthread_mutex_lock(&f->lock);
	f->pieces[piece].done = true;
	while (f->frontier < f->npieces && f->pieces[f->frontier].done)
		f->below += count_new(f, f->frontier++);
	pthread_mutex_unlock(&f->lock);
}

bool found_enough(struct found *f, size_t piece)
{
	bool enough;

	pthread_mutex_lock(&f->lock);
	enough = piece >= f->frontier && f->below > f->limit;
	pthread_mutex_unlock(&f->lock);
	return enough;
}

bool found_collect(struct found *f)
{
	for (size_t i = 0; i < f->npieces; i++) {
		const struct piece *p = &f->pieces[i];

		for (size_t j = 0; j < p->at.n; j++) {
			/* A lower piece may have found it after this one did. */
			if (!f->all && *map_get(&f->board, p->at.at[j].signature) != i)
				continue;
			if (f->kept.n == f->limit)
				return true;
			*VEC_PUSH(&f->kept) = p->at.at[j];
		}
	}
	return false;
}

const struct found_pair *found_pairs(const struct found *f, size_t *n)
{
	*n = f->kept.n;
	return f->kept.at;
}
