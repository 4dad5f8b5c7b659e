#include "capture/object.h"

#define BUCKET_BITS 8
#define BUCKETS (1u << BUCKET_BITS)
#define POOL_BYTES (64u << 10)

static struct bucket {
	struct sys_lock lock;
	struct object_note *list; /* guarded by lock */
} buckets[BUCKETS];

static struct sys_lock pool_lock;
static struct object_note *pool; /* unused notes; guarded by pool_lock */

static struct bucket *bucket_of(const void *obj)
{
	uint64_t h = (uint64_t)(uintptr_t)obj * 0x9e3779b97f4a7c15u;

	return &buckets[h >> (64 - BUCKET_BITS)];
}

struct object_note **object_lock(const void *obj)
{
	struct bucket *b = bucket_of(obj);

	sys_lock_take(&b->lock);
	return &b->list;
}

void object_unlock(const void *obj)
{
	ASSERT_RECORDING(bucket_of(obj)->lock.word != 0);
	sys_lock_drop(&bucket_of(obj)->lock);
}

struct object_note **object_seek(struct object_note **at, const void *obj)
{
	while (*at != NULL && (*at)->obj != obj)
		at = &(*at)->next;
	return at;
}

struct object_note **object_find(struct object_note **list, const void *obj, enum object_what what,
				 uint32_t tid)
{
	struct object_note **found = NULL;

	OBJECT_EACH(at, list, obj)
	if ((*at)->what == what && (tid == 0 || (*at)->tid == tid))
		found = at;
	return found;
}

static struct object_note *pool_take(void)
{
	SYS_HOLD(&pool_lock);
	struct object_note *n;

	if (pool == NULL && (n = sys_pages(POOL_BYTES)) != NULL) {
		for (size_t i = 0; i < POOL_BYTES / sizeof(*n); i++) {
			n[i].next = pool;
			pool = &n[i];
		}
	}
	n = pool;
	if (n != NULL)
		pool = n->next;
	return n;
}

struct object_note *object_add(struct object_note **list, const void *obj, enum object_what what,
			       uint32_t tid, uint64_t tseq)
{
	struct object_note *n = pool_take();

	ASSERT_RECORDING(obj != NULL && list == &bucket_of(obj)->list);
	if (n == NULL)
		return NULL;
	*n = (struct object_note){ .obj = obj, .what = what, .tid = tid, .tseq = tseq };
	while (*list != NULL)
		list = &(*list)->next;
	*list = n;
	return n;
}

void object_drop(struct object_note **at)
{
	struct object_note *n = *at;

	if (!ASSERT_RECORDING(n != NULL))
		return;
	*at = n->next;
	SYS_HOLD(&pool_lock);
	n->next = pool;
	pool = n;
}
