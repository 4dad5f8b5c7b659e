#include "capture/steady.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "capture/log.h"

#define PAGE 4096u
#define ARGUMENTS_MOST (8u << 20) /* bytes of arguments and environment */

static void steady_put(uintptr_t from, uintptr_t end)
{
	if (from < end)
		log_control_memory(FORMAT_K_C_STEADY, from, end - from);
}

/* The loader takes whole pages away from those that may write, once it has relocated. */
static void put_segments(uintptr_t bias, const ElfW(Phdr) * at, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uintptr_t from = bias + at[i].p_vaddr, end = from + at[i].p_memsz;

		if (at[i].p_type == PT_LOAD && !(at[i].p_flags & PF_W))
			steady_put(from, end);
		else if (at[i].p_type == PT_GNU_RELRO)
			steady_put(from, end & ~(uintptr_t)(PAGE - 1));
	}
}

static int each_image(struct dl_phdr_info *i, size_t size, void *unused)
{
	(void)size, (void)unused;
	put_segments(i->dlpi_addr, i->dlpi_phdr, i->dlpi_phnum);
	return 0;
}

/* They lie at the top of the stack, in this order: the arguments' addresses, the environment's,
 * their strings, the name of the program's file. */
static void put_arguments(void)
{
	const char *last = (const char *)getauxval(AT_EXECFN);
	char **at = environ;

	if (last == NULL || at == NULL || (const char *)at > last ||
	    (size_t)(last - (const char *)at) > ARGUMENTS_MOST)
		return;
	/* Below: NULL, the last argument, ..., the first one, how many. */
	for (size_t n = 0; n < ARGUMENTS_MOST / sizeof(*at); n++)
		if (((uintptr_t *)at)[-2 - (ptrdiff_t)n] == n)
			break;
		else if (at[-2 - (ptrdiff_t)n] == program_invocation_name) {
			at -= 2 + n;
			break;
		}
	steady_put((uintptr_t)at, (uintptr_t)last + strlen(last) + 1);
}

void steady_start(void)
{
	dl_iterate_phdr(each_image, NULL);
	put_arguments();
}

void steady_image(const void *p)
{
	struct dl_find_object found;
	const ElfW(Ehdr) * e;

	if (_dl_find_object((void *)(uintptr_t)p, &found) != 0)
		return;
	e = found.dlfo_map_start;
	if ((uintptr_t)found.dlfo_map_end - (uintptr_t)e < PAGE ||
	    memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 ||
	    e->e_phoff + e->e_phnum * sizeof(ElfW(Phdr)) > PAGE)
		return;
	put_segments(found.dlfo_link_map->l_addr,
		     (const ElfW(Phdr) *)((const char *)e + e->e_phoff), e->e_phnum);
}
