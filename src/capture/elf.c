#include "capture/elf.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include "capture/log.h"

#define IMAGES 1024u   /* remembered at a time; code in others has addresses only */
#define NUMBERS 65536u /* in a trace */
#define BUILD_ID 64u   /* bytes */
#define NAME_ROOM 4096u
#define PAGE 4096u
#define ARGUMENTS_MOST (8u << 20) /* bytes of arguments and environment */

static struct {
	struct sys_lock lock; /* guards the rest; taken before that of the control stream */
	const struct link_map *maps[IMAGES];
	struct elf_image images[IMAGES];
	unsigned n;
	uint32_t numbers;
} all;

static const char self; /* lies in the runtime */

static bool is_plumbing(const char *path)
{
	const char *name = text_behind(path, '/');

	return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "ld-linux", 8) == 0;
}

/* ---- headers ---- */

struct heads {
	const Elf64_Phdr *at;
	unsigned n;
};

/* Libraries begin with theirs.  The program may have holes between its parts, and
 * then what was found is but one of them. */
static struct heads heads_of(const struct dl_find_object *found)
{
	const Elf64_Ehdr *e = found->dlfo_map_start;
	const struct heads none = { NULL, 0 };

	if (*found->dlfo_link_map->l_name == '\0')
		return (struct heads){ (const Elf64_Phdr *)getauxval(AT_PHDR),
				       (unsigned)getauxval(AT_PHNUM) };
	if ((uintptr_t)found->dlfo_map_end - (uintptr_t)e < PAGE ||
	    memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 || e->e_phoff != sizeof(*e) ||
	    e->e_phnum > (PAGE - sizeof(*e)) / sizeof(Elf64_Phdr))
		return none;
	return (struct heads){ (const Elf64_Phdr *)(e + 1), e->e_phnum };
}

static void bounds(struct heads h, const struct dl_find_object *found, struct elf_image *i)
{
	i->low = (uintptr_t)found->dlfo_map_start;
	i->high = (uintptr_t)found->dlfo_map_end;
	for (unsigned k = 0; k < h.n; k++) {
		uintptr_t start = i->bias + h.at[k].p_vaddr, end = start + h.at[k].p_memsz;

		if (h.at[k].p_type != PT_LOAD)
			continue;
		i->low = start < i->low ? start : i->low;
		i->high = end > i->high ? end : i->high;
	}
}

/* Of one segment of notes; NULL: not there. */
static const Elf64_Nhdr *find_build_id(const char *note, size_t left)
{
	while (left > sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *n = (const void *)note;
		size_t size =
			sizeof(*n) + ((n->n_namesz + 3ul) & ~3ul) + ((n->n_descsz + 3ul) & ~3ul);

		if (size > left)
			break;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
		    memcmp(n + 1, "GNU", 4) == 0 && n->n_descsz <= BUILD_ID)
			return n;
		note += size;
		left -= size;
	}
	return NULL;
}

static uint8_t *put_build_id(uint8_t *p, struct heads h, const struct elf_image *i)
{
	for (unsigned k = 0; k < h.n; k++) {
		uintptr_t start = i->bias + h.at[k].p_vaddr;
		const Elf64_Nhdr *n = NULL;

		if (h.at[k].p_type == PT_NOTE && start >= i->low && start < i->high &&
		    h.at[k].p_memsz <= i->high - start)
			n = find_build_id((const char *)start, h.at[k].p_memsz);
		if (n != NULL) {
			p = log_varint(p, n->n_descsz);
			return mempcpy(p, (const char *)(n + 1) + 4, n->n_descsz);
		}
	}
	return log_varint(p, 0);
}

/* ---- the trace ---- */

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

static void put_image(const char *name, struct heads h, const struct elf_image *i)
{
	static uint8_t buffer[2 * NAME_ROOM + BUILD_ID + 64]; /* guarded by all.lock */
	SYS_KEEPS_ERRNO;
	uint8_t *p = LOG_NUMBERS(buffer, i->number, i->bias, i->low, i->high);

	p = put_build_id(p, h, i);
	p = put_path(p, name);
	log_control(FORMAT_K_C_IMAGE, buffer, (size_t)(p - buffer));
}

/* all.lock held. */
static struct elf_image image_add(const struct dl_find_object *found)
{
	const struct link_map *map = found->dlfo_link_map;
	struct heads h = heads_of(found);
	struct elf_image i = { .bias = map->l_addr };
	bool room = all.n < IMAGES && all.numbers < NUMBERS;

	bounds(h, found, &i);
	i.own = (uintptr_t)&self >= i.low && (uintptr_t)&self < i.high;
	i.plumbing = i.own || is_plumbing(map->l_name);
	i.number = i.own || !room ? 0 : ++all.numbers;
	if (i.number != 0)
		put_image(map->l_name, h, &i);
	if (room) {
		all.maps[all.n] = map;
		all.images[all.n++] = i;
	}
	return i;
}

struct elf_image elf_of(const struct dl_find_object *found)
{
	SYS_HOLD(&all.lock);
	unsigned k = 0;

	while (k < all.n && all.maps[k] != found->dlfo_link_map)
		k++;
	return k < all.n ? all.images[k] : image_add(found);
}

void elf_note(const void *p)
{
	struct dl_find_object at;

	if (_dl_find_object((void *)(uintptr_t)p, &at) == 0)
		elf_of(&at);
}

void elf_forget(void)
{
	sys_lock_take(&all.lock);
	all.n = 0;
	sys_lock_drop(&all.lock);
}

/* ---- memory that is never written to ---- */

static void steady_put(uintptr_t from, uintptr_t end)
{
	if (from < end)
		log_control_memory(FORMAT_K_C_STEADY, from, end - from);
}

/* The loader takes whole pages away from those that may write, once it has relocated. */
static void put_segments(uintptr_t bias, const Elf64_Phdr *at, unsigned n)
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

void elf_steady_start(void)
{
	dl_iterate_phdr(each_image, NULL);
	put_arguments();
}

void elf_steady_image(const void *p)
{
	struct dl_find_object found;
	struct heads h;

	if (_dl_find_object((void *)(uintptr_t)p, &found) != 0)
		return;
	h = heads_of(&found);
	put_segments(found.dlfo_link_map->l_addr, h.at, h.n);
}
