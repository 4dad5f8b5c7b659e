#include "capture/cell.h"
#include "capture/assert.h"
#include "capture/elf.h"
#include "capture/log.h"
#include "capture/sys.h"

struct locks_cell *locks_cells;

static uint32_t nused; /* atomic */

bool locks_cell_start(void)
{
	locks_cells = sys_pages(sizeof(*locks_cells) << LOCKS_CELL_BITS);
	return locks_cells != NULL;
}

/* Linear probing; never more than half full, so that it ends. */
uint64_t *locks_cell_find(uint64_t word)
{
	static struct locks_cell none; /* of those that found no room; nothing is recorded then */

	ASSERT_RECORDING(word != 0); /* which says that an entry is free */
	for (uint32_t i = locks_cell_home(word);; i = (i + 1) & LOCKS_CELL_MASK) {
		struct locks_cell *c = &locks_cells[i];
		uint64_t is = __atomic_load_n(&c->word, __ATOMIC_RELAXED);

		if (is == word)
			return &c->version;
		if (is != 0)
			continue;
		if (__atomic_load_n(&nused, __ATOMIC_RELAXED) > LOCKS_CELL_MASK / 2) {
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

/* There is no shadow to map or to give back. */
bool cell_cover(const void *p, size_t n)
{
	(void)p, (void)n;
	return true;
}

void cell_share(int advice)
{
	(void)advice;
}

void cell_reset(const void *p, size_t n)
{
	(void)p, (void)n;
}
