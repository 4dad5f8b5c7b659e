#include "capture/elf.h"
#include "capture/log.h"

struct locks_tag *locks_tags;

static uint32_t nused; /* atomic */

bool locks_tag_start(void)
{
	locks_tags = sys_pages(sizeof(*locks_tags) << LOCKS_TAG_BITS);
	return locks_tags != NULL;
}

/* Linear probing; never more than half full, so that it ends. */
uint64_t *locks_tag_find(uint64_t word)
{
	static struct locks_tag none; /* of those that found no room; nothing is recorded then */

	ASSERT_RECORDING(word != 0); /* which says that an entry is free */
	for (uint32_t i = locks_tag_home(word);; i = (i + 1) & LOCKS_TAG_MASK) {
		struct locks_tag *c = &locks_tags[i];
		uint64_t is = __atomic_load_n(&c->word, __ATOMIC_RELAXED);

		if (is == word)
			return &c->version;
		if (is != 0)
			continue;
		if (__atomic_load_n(&nused, __ATOMIC_RELAXED) > LOCKS_TAG_MASK / 2) {
			log_trouble("more locks than can be told apart", 0);
			return &none.version;
		}
		if (__atomic_compare_exchange_n(&c->word, &is, word, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED)) {
			__atomic_fetch_add(&nused, 1, __ATOMIC_RELAXED);
			elf_note((const void *)(word << 3));
			return &c->version;
		}
		if (is == word)
			return &c->version;
	}
}
