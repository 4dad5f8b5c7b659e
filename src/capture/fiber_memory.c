/*
 * Memory as it was before a run.
 *
 * Before the first run all that can be written to is made read-only, page by page what is written to
 * is copied first, and can then be written to for good.  Between two runs those pages are copied back:
 * after a few runs no more are added, and a run costs no fault.
 *
 * What is shared with others cannot be put back; of that the explorer's file alone may be there.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "capture/fiber_priv.h"

#ifdef __x86_64__

#define MAIN_STACK (1u << 20) /* of the first thread, which would grow */
#define MAPS_ROOM (256u << 10)

/* ---- what there is ---- */

static char *read_maps(void)
{
	char *text = sys_pages(MAPS_ROOM);
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	long r = 0;

	if (fd < 0 || text == NULL)
		return NULL;
	while (n < MAPS_ROOM - 1 && (r = syscall(SYS_read, fd, text + n, MAPS_ROOM - 1 - n)) > 0)
		n += (size_t)r;
	syscall(SYS_close, fd);
	return r == 0 ? text : NULL;
}

static bool add_range(uintptr_t low, uintptr_t high)
{
	uintptr_t kept = (uintptr_t)fiber_kept;

	if (low >= kept && high <= kept + sizeof(*fiber_kept))
		return true;
	/* The kernel joins mappings that are alike: ours may be part of a larger one. */
	if (low <= kept && high >= kept + sizeof(*fiber_kept))
		return (low == kept || add_range(low, kept)) &&
		       (high == kept + sizeof(*fiber_kept) ||
			add_range(kept + sizeof(*fiber_kept), high));
	if (fiber_kept->nranges == FIBER_RANGES)
		return false;
	fiber_kept->ranges[fiber_kept->nranges].low = low;
	fiber_kept->ranges[fiber_kept->nranges++].high = high;
	return true;
}

/* "low-high rwxp ...".  False: it does not fit, such as code that is written while it runs. */
static bool take_line(const char *line)
{
	char *end;
	uintptr_t low = strtoul(line, &end, 16), high = strtoul(end + 1, &end, 16);

	if (end[2] != 'w')
		return true;
	if (end[3] == 'x')
		return false;
	if (end[4] != 'p')
		return low >= (uintptr_t)baton_file &&
		       high <= (uintptr_t)baton_head + baton_file->size;
	return add_range(low, high);
}

static void grow_stack(void)
{
	volatile char here = 0, *at = &here;

	__asm__("" : "+r"(at)); /* the compiler knows that it is not part of it */
	(void)at[-(ptrdiff_t)MAIN_STACK];
}

bool fiber_memory_start(void)
{
	char *text;

	grow_stack();
	text = read_maps();
	if (text == NULL)
		return false;
	for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
		if (!take_line(line))
			return false;
	return true;
}

/* ---- pages ---- */

static bool make(uintptr_t low, uintptr_t high, int how)
{
	return fiber_switch_call(SYS_mprotect, (long)low, (long)(high - low), how, 0, 0, 0) == 0;
}

bool fiber_memory_protect(void)
{
	for (uint32_t i = 0; i < fiber_kept->nranges; i++)
		if (!make(fiber_kept->ranges[i].low, fiber_kept->ranges[i].high, PROT_READ))
			return false;
	return true;
}

static bool can_be_written(uintptr_t page)
{
	for (uint32_t i = 0; i < fiber_kept->nranges; i++)
		if (page >= fiber_kept->ranges[i].low && page < fiber_kept->ranges[i].high)
			return true;
	return false;
}

static bool is_hot(uintptr_t page)
{
	for (uint32_t i = 0; i < fiber_kept->npages; i++)
		if (fiber_kept->pages[i] == page)
			return true;
	return false;
}

static bool add_page(uintptr_t page)
{
	uint32_t n = fiber_kept->npages;

	if (n == FIBER_PAGES || !can_be_written(page))
		return false;
	memcpy(fiber_kept->was[n], (const void *)page, FIBER_PAGE);
	fiber_kept->pages[n] = page;
	fiber_kept->npages++;
	return make(page, page + FIBER_PAGE, PROT_READ | PROT_WRITE);
}

bool fiber_memory_write(uintptr_t at, size_t n)
{
	for (uintptr_t page = at & ~(uintptr_t)(FIBER_PAGE - 1); page < at + n; page += FIBER_PAGE)
		if (!is_hot(page) && !add_page(page))
			return false;
	return true;
}

bool fiber_memory_fault(uintptr_t at)
{
	uintptr_t page = at & ~(uintptr_t)(FIBER_PAGE - 1);

	return !is_hot(page) && add_page(page);
}

void fiber_memory_restore(void)
{
	for (uint32_t i = 0; i < fiber_kept->npages; i++)
		memcpy((void *)fiber_kept->pages[i], fiber_kept->was[i], FIBER_PAGE);
}
#endif
