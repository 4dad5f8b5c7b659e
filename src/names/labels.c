#include "names/labels.h"

void labels_init(struct labels *l)
{
	*l = (struct labels){ 0 };
	pthread_mutex_init(&l->lock, NULL);
}

void labels_release(struct labels *l)
{
	struct map_item name;

	for (size_t i = 0; map_next(&l->at, &i, &name);)
		mem_free((char *)(uintptr_t)name.value);
	map_release(&l->at);
	pthread_mutex_destroy(&l->lock);
}

const char *labels_thread(struct labels *l, uint32_t tid)
{
	struct strbuf name = { 0 };
	uint64_t *at, text;

	pthread_mutex_lock(&l->lock);
	at = map_put(&l->at, tid, NULL);
	if (*at == 0) {
		strbuf_addf(&name, "T%" PRIu32, tid);
		*at = (uintptr_t)name.at;
	}
	text = *at;
	pthread_mutex_unlock(&l->lock);
	return (const char *)(uintptr_t)text;
}
