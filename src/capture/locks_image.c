#include "capture/locks_image.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "capture/log.h"
#include "capture/sys.h"

#define IMAGES 1024u   /* remembered at a time; of more, places have addresses only */
#define NUMBERS 65536u /* in a trace */
#define BUILD_ID 64u   /* bytes */
#define NAME_ROOM 4096u

static struct {
	struct sys_lock lock; /* guards the rest; taken before that of the control stream */
	const void *starts[IMAGES];
	struct locks_image images[IMAGES];
	unsigned n;
	uint32_t numbers;
} all;

static const char self; /* lies in the runtime */

static bool is_plumbing(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;

	return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "ld-linux", 8) == 0;
}

/* Its notes lie in memory, by its own headers; what does not fit the mapping is not looked at. */
static uint8_t *put_build_id(uint8_t *p, const struct dl_find_object *at)
{
	const char *start = at->dlfo_map_start, *end = at->dlfo_map_end;
	uintptr_t bias = at->dlfo_link_map->l_addr;
	const Elf64_Ehdr *e = (const void *)start;
	const Elf64_Phdr *h = (const void *)(start + sizeof(*e));

	if (end - start < 4096 || memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 ||
	    e->e_phoff != sizeof(*e) || e->e_phnum > (4096 - sizeof(*e)) / sizeof(*h))
		return log_varint(p, 0);
	for (unsigned i = 0; i < e->e_phnum; i++) {
		const char *note = (const char *)(bias + h[i].p_vaddr), *last;

		if (h[i].p_type != PT_NOTE || note < start ||
		    h[i].p_memsz > (size_t)(end - start) || note + h[i].p_memsz > end)
			continue;
		for (last = note + h[i].p_memsz; last - note > (long)sizeof(Elf64_Nhdr);) {
			const Elf64_Nhdr *n = (const void *)note;
			size_t name = (n->n_namesz + 3ul) & ~3ul, desc = (n->n_descsz + 3ul) & ~3ul;

			if (name + desc + sizeof(*n) > (size_t)(last - note))
				break;
			if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
			    memcmp(n + 1, "GNU", 4) == 0 && n->n_descsz <= BUILD_ID) {
				p = log_varint(p, n->n_descsz);
				memcpy(p, (const char *)(n + 1) + name, n->n_descsz);
				return p + n->n_descsz;
			}
			note += sizeof(*n) + name + desc;
		}
	}
	return log_varint(p, 0);
}

/* The loader gives the program itself no name, and others as they were asked for. */
static uint8_t *put_path(uint8_t *p, const char *name)
{
	long n = 0;

	if (*name == '\0') {
		n = syscall(SYS_readlink, "/proc/self/exe", p, NAME_ROOM);
		return n > 0 ? p + n : p;
	}
	if (*name != '/' && strchr(name, '/') != NULL) {
		n = syscall(SYS_getcwd, p, NAME_ROOM); /* counts its NUL */
		if (n > 1)
			p[n - 1] = '/';
	}
	if (n < 0)
		n = 0;
	return (uint8_t *)stpncpy((char *)p + n, name, NAME_ROOM);
}

static void put_image(const struct dl_find_object *at, const struct locks_image *i)
{
	static uint8_t buffer[2 * NAME_ROOM + BUILD_ID + 64]; /* guarded by all.lock */
	int saved = errno;
	uint8_t *p = log_varint(buffer, i->number);

	p = log_varint(p, i->bias);
	p = log_varint(p, (uintptr_t)at->dlfo_map_start);
	p = log_varint(p, (uintptr_t)at->dlfo_map_end);
	p = put_build_id(p, at);
	p = put_path(p, at->dlfo_link_map->l_name);
	log_control(FORMAT_K_C_IMAGE, buffer, (size_t)(p - buffer));
	errno = saved;
}

struct locks_image locks_image_of(const struct dl_find_object *at)
{
	struct locks_image i = { 0 };
	unsigned k = 0;

	sys_lock_take(&all.lock);
	while (k < all.n && all.starts[k] != at->dlfo_map_start)
		k++;
	if (k < all.n) {
		i = all.images[k];
	} else if (all.n < IMAGES && all.numbers < NUMBERS) {
		i.number = ++all.numbers;
		i.bias = at->dlfo_link_map->l_addr;
		i.own = (void *)&self >= at->dlfo_map_start && (void *)&self < at->dlfo_map_end;
		i.plumbing = i.own || is_plumbing(at->dlfo_link_map->l_name);
		if (!i.own)
			put_image(at, &i);
		all.starts[all.n] = at->dlfo_map_start;
		all.images[all.n++] = i;
	}
	sys_lock_drop(&all.lock);
	return i;
}

void locks_image_note(const void *p)
{
	struct dl_find_object at;

	if (_dl_find_object((void *)(uintptr_t)p, &at) == 0)
		locks_image_of(&at);
}

void locks_image_forget(void)
{
	sys_lock_take(&all.lock);
	all.n = 0;
	sys_lock_drop(&all.lock);
}
