/*
 * names/symbols on the one file whose content is known here: this program.  Then on spoilt copies
 * of it, where anything may come out but a crash.
 */
#include "names/symbols.h"
#include "trace/trace.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "tap.h"

#define ROUNDS 150
#define SPOTS 40 /* bytes that are spoilt in a copy */

/* libdw forgets some memory when it gives up on a file. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libdw";
}

int known_variable[16];
static uint64_t place_inlined, place_plain;

static inline __attribute__((always_inline)) uint64_t here(void)
{
	uint64_t pc;

	__asm__ volatile("1: leaq 1b(%%rip), %0" : "=r"(pc));
	return pc;
}
enum { HERE_LINE = __LINE__ - 3 };

__attribute__((noinline)) static void known_function(void)
{
	place_inlined = here();
	__asm__ volatile("1: leaq 1b(%%rip), %0" : "=r"(place_plain));
}
enum { PLAIN_LINE = __LINE__ - 2, INLINED_LINE = PLAIN_LINE - 1 };

static int find_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1; /* the program comes first */
}

static const char *last_part(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static void test_code(struct symbols *s, uint64_t bias)
{
	struct trace_site f[8] = { 0 };
	size_t n = symbols_code(s, place_inlined - bias, f, 8);
	uint64_t offset;

	TAP_EQ(n, 2, "an inlined place is two");
	TAP_STR(f[0].function, "here", "the inner function");
	TAP_EQ(f[0].line, HERE_LINE, "its line");
	TAP_STR(last_part(f[0].file), "test_symbols.c", "its file");
	TAP_STR(f[1].function, "known_function", "the function around it");
	TAP_EQ(f[1].line, INLINED_LINE, "the line of the call");
	TAP_STR(last_part(f[1].file), "test_symbols.c", "the file of the call");
	TAP_EQ(symbols_code(s, place_inlined - bias, f, 1), 1, "room for one");
	TAP_EQ(symbols_code(s, place_plain - bias, f, 8), 1, "a plain place is one");
	TAP_STR(f[0].function, "known_function", "its function");
	TAP_EQ(f[0].line, PLAIN_LINE, "its line");
	TAP_EQ(symbols_code(s, 1, f, 8), 0, "no code there");
	TAP_STR(symbols_function(s, place_plain - bias, &offset), "known_function", "by symbol");
	TAP_EQ(offset, place_plain - (uint64_t)(uintptr_t)known_function, "how far in");
	TAP_STR(symbols_function(s, UINT64_MAX, &offset), NULL, "no function there");
}

static void test_data(struct symbols *s, uint64_t bias)
{
	uint64_t at = (uintptr_t)&known_variable[3] - bias, offset;

	TAP_STR(symbols_variable(s, at, &offset), "known_variable", "a variable");
	TAP_EQ(offset, 12, "how far in");
	TAP_STR(symbols_variable(s, 1, &offset), NULL, "no variable there");
}

static void test_other(const char *path, uint64_t bias)
{
	static const uint8_t id[20] = { 1, 2, 3 };
	struct symbols *s = symbols_new(path, id, sizeof(id));
	struct trace_site f[8];
	uint64_t offset;

	TAP_EQ(symbols_code(s, place_plain - bias, f, 8), 0, "another build id: no place");
	TAP_STR(symbols_function(s, place_plain - bias, &offset), NULL, "and no symbol");
	symbols_free(s);
	for (const char *const *p =
		     (const char *const[]){ "/dev/zero", "/", "/no/such/file", "", NULL };
	     *p; p++) {
		s = symbols_new(*p, NULL, 0);
		TAP_EQ(symbols_code(s, 1000, f, 8), 0, "no names in '%s'", *p);
		symbols_free(s);
	}
}

/* ---- spoilt copies ---- */

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint8_t *read_all(const char *path, size_t *n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *bytes;

	if (fd < 0 || fstat(fd, &st) != 0)
		exit(2);
	*n = (size_t)st.st_size;
	bytes = mem_alloc(*n);
	if (read(fd, bytes, *n) != (ssize_t)*n)
		exit(2);
	close(fd);
	return bytes;
}

static void ask(const char *path, uint64_t bias)
{
	struct symbols *s = symbols_new(path, NULL, 0);
	struct trace_site f[8];
	uint64_t offset;

	symbols_code(s, place_inlined - bias, f, 8);
	symbols_code(s, place_plain - bias, f, 8);
	symbols_function(s, place_plain - bias, &offset);
	symbols_variable(s, (uintptr_t)known_variable - bias, &offset);
	symbols_free(s);
}

/* Half of the spots in the first or the last kilobytes, where headers are. */
static void test_spoilt(const char *path, uint64_t bias)
{
	char copy[] = "/tmp/foresee-symbols.XXXXXX";
	uint64_t state = 88172645463325252u;
	uint8_t *bytes, *spoilt;
	size_t n;
	int fd = mkstemp(copy);

	bytes = read_all(path, &n);
	spoilt = mem_alloc(n);
	for (int round = 0; round < ROUNDS && fd >= 0; round++) {
		size_t size = round % 3 == 0 ? random_next(&state) % n : n;

		memcpy(spoilt, bytes, n);
		for (int i = 0; i < SPOTS; i++) {
			uint64_t r = random_next(&state), at = r >> 16;

			at = r & 1 ? at % n : r & 2 ? at % 4096 : n - 1 - at % 4096;
			spoilt[at] = (uint8_t)(r >> 8);
		}
		if (ftruncate(fd, 0) != 0 || pwrite(fd, spoilt, size, 0) != (ssize_t)size)
			break;
		ask(copy, bias);
	}
	TAP_OK(fd >= 0, "spoilt files do no harm");
	close(fd);
	unlink(copy);
	mem_free(spoilt);
	mem_free(bytes);
}

int main(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	uint64_t bias = 0;
	struct symbols *s;

	if (n <= 0)
		return 2;
	path[n] = '\0';
	dl_iterate_phdr(find_bias, &bias);
	known_function();
	s = symbols_new(path, NULL, 0);
	test_code(s, bias);
	test_data(s, bias);
	symbols_free(s);
	test_other(path, bias);
	test_spoilt(path, bias);
	return tap_done();
}
