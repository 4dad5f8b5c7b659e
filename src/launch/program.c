#include "launch/program.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define RUNTIME "libforesee_rt.so"
#define LOCK_RECORDER "libforesee_locks.so"
#define LOADER "ld-linux-x86-64" /* of the C library that the lock recorder stands in for */
#define SCRIPTS_MOST \
	4 /* an interpreter may be a script itself; the kernel has had enough after 5 */
#define SCRIPT_LINE 256	     /* that the kernel reads */
#define TABLE_MAX (1u << 20) /* bytes of a table in the file that is looked at */

static const char *const source_suffixes[] = { ".c", ".cc", ".cpp", ".cxx" };

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *source_suffix(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(source_suffixes) / sizeof(source_suffixes[0]); i++) {
		size_t k = strlen(source_suffixes[i]);

		if (n > k && strcmp(name + n - k, source_suffixes[i]) == 0)
			return name + n - k;
	}
	return NULL;
}

bool program_is_source(const char *name)
{
	return source_suffix(name) != NULL;
}

char *program_trace_name(const char *name)
{
	struct strbuf b = { 0 };
	const char *base = base_name(name);
	const char *suffix = source_suffix(base);

	strbuf_add(&b, base, suffix ? (size_t)(suffix - base) : strlen(base));
	strbuf_adds(&b, ".foresee");
	return b.at;
}

char *program_own_directory(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (n <= 0)
		return mem_strdup(".");
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	return mem_strdup(path);
}

static bool is_executable_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static char *search_path(const char *name)
{
	const char *list = getenv("PATH");
	struct strbuf b = { 0 };

	for (const char *at = list; at;) {
		const char *colon = strchrnul(at, ':');

		strbuf_clear(&b);
		if (colon == at)
			strbuf_adds(&b, ".");
		else
			strbuf_add(&b, at, (size_t)(colon - at));
		strbuf_addf(&b, "/%s", name);
		if (is_executable_file(b.at))
			return b.at;
		at = *colon ? colon + 1 : NULL;
	}
	strbuf_release(&b);
	return NULL;
}

static bool read_at(int fd, uint64_t offset, void *into, size_t n)
{
	return offset <= INT64_MAX && pread(fd, into, n, (off_t)offset) == (ssize_t)n;
}

/* What the headers say.  Offsets and sizes in them are not believed: pread decides. */
struct image {
	int fd;
	Elf64_Phdr *heads;
	unsigned count;
	Elf64_Dyn *dynamic;
	size_t ndynamic;
};

static void *read_table(int fd, uint64_t offset, uint64_t bytes)
{
	void *table;

	if (bytes == 0 || bytes > TABLE_MAX)
		return NULL;
	table = mem_alloc(bytes);
	if (read_at(fd, offset, table, bytes))
		return table;
	mem_free(table);
	return NULL;
}

static bool file_offset(const struct image *m, uint64_t address, uint64_t *offset)
{
	for (unsigned i = 0; i < m->count; i++) {
		const Elf64_Phdr *h = &m->heads[i];

		if (h->p_type != PT_LOAD || address < h->p_vaddr ||
		    address - h->p_vaddr >= h->p_filesz)
			continue;
		*offset = h->p_offset + (address - h->p_vaddr);
		return true;
	}
	return false;
}

static bool needs_runtime(const struct image *m)
{
	uint64_t strings = 0;
	char name[sizeof(RUNTIME)];

	for (size_t i = 0; i < m->ndynamic && m->dynamic[i].d_tag != DT_NULL; i++)
		if (m->dynamic[i].d_tag == DT_STRTAB &&
		    !file_offset(m, m->dynamic[i].d_un.d_ptr, &strings))
			return false;
	for (size_t i = 0; i < m->ndynamic && m->dynamic[i].d_tag != DT_NULL; i++)
		if (m->dynamic[i].d_tag == DT_NEEDED &&
		    read_at(m->fd, strings + m->dynamic[i].d_un.d_val, name, sizeof(name)) &&
		    memcmp(name, RUNTIME, sizeof(RUNTIME)) == 0)
			return true;
	return false;
}

/* The one that must load the program: what it preloads comes with it. */
static enum status check_loader(const struct image *m, const char *path, struct diag *d)
{
	char loader[PATH_MAX] = "";

	for (unsigned i = 0; m->heads && i < m->count; i++) {
		const Elf64_Phdr *h = &m->heads[i];

		if (h->p_type == PT_INTERP && h->p_filesz < sizeof(loader) &&
		    !read_at(m->fd, h->p_offset, loader, h->p_filesz))
			loader[0] = '\0';
	}
	if (!loader[0])
		return diag_fail(
			d, ST_BAD_INPUT,
			"'%s' is linked statically; --locks-only needs a dynamically linked program",
			path);
	if (!strstr(loader, LOADER))
		return diag_fail(d, ST_BAD_INPUT,
				 "'%s' does not use the GNU C library; --locks-only needs it",
				 path);
	return ST_OK;
}

static enum status check_runtime(const struct image *m, const char *path, struct diag *d)
{
	if (!m->dynamic)
		return diag_fail(
			d, ST_BAD_INPUT,
			"'%s' is linked statically; recording needs a dynamically linked program",
			path);
	if (!needs_runtime(m))
		return diag_fail(
			d, ST_BAD_INPUT,
			"'%s' was not built for recording; build it with 'CC=foresee-cc make', or give "
			"its source: 'foresee run FILE.c'; --locks-only records locks without that, "
			"--valgrind everything, slowly",
			path);
	return ST_OK;
}

static enum status check_image(struct image *m, const char *path, enum program_how how,
			       struct diag *d)
{
	Elf64_Ehdr head;

	if (!read_at(m->fd, 0, &head, sizeof(head)) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return diag_fail(d, ST_BAD_INPUT, "'%s' is not an ELF program", path);
	if (head.e_ident[EI_CLASS] == ELFCLASS32)
		return diag_fail(d, ST_BAD_INPUT, "'%s' is a 32-bit program, not one for x86-64",
				 path);
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_X86_64)
		return diag_fail(d, ST_BAD_INPUT, "'%s' is not a program for x86-64", path);
	if ((head.e_type != ET_EXEC && head.e_type != ET_DYN) ||
	    head.e_phentsize != sizeof(Elf64_Phdr))
		return diag_fail(d, ST_BAD_INPUT, "'%s' is an ELF file, but not a program", path);
	m->count = head.e_phnum;
	m->heads = read_table(m->fd, head.e_phoff, (uint64_t)head.e_phnum * sizeof(Elf64_Phdr));
	for (unsigned i = 0; m->heads && i < m->count; i++) {
		if (m->heads[i].p_type != PT_DYNAMIC || m->dynamic)
			continue;
		m->dynamic = read_table(m->fd, m->heads[i].p_offset, m->heads[i].p_filesz);
		m->ndynamic = m->heads[i].p_filesz / sizeof(Elf64_Dyn);
	}
	return how == PROGRAM_VALGRIND ? ST_OK
	       : how == PROGRAM_LOCKS  ? check_loader(m, path, d)
				       : check_runtime(m, path, d);
}

static enum status check_program(const char *path, enum program_how how, int depth, struct diag *d);

/* The lock recorder goes into the interpreter. */
static enum status check_script(const char *line, const char *path, enum program_how how, int depth,
				struct diag *d)
{
	size_t blanks = strspn(line, " \t"), n = strcspn(line + blanks, " \t\n");
	char interpreter[SCRIPT_LINE];

	if (how == PROGRAM_BUILT)
		return diag_fail(
			d, ST_BAD_INPUT,
			"'%s' is a script, not an ELF program; give the program that it runs",
			path);
	if (n == 0 || depth >= SCRIPTS_MOST)
		return diag_fail(d, ST_BAD_INPUT, "'%s' is a script of no interpreter", path);
	snprintf(interpreter, sizeof(interpreter), "%.*s", (int)n, line + blanks);
	return check_program(interpreter, how, depth + 1, d);
}

static enum status check_content(int fd, const char *path, enum program_how how, int depth,
				 struct diag *d)
{
	struct image m = { .fd = fd };
	char start[SCRIPT_LINE] = "";
	enum status st;

	if (pread(fd, start, sizeof(start) - 1, 0) > 2 && memcmp(start, "#!", 2) == 0)
		return check_script(start + 2, path, how, depth, d);
	st = check_image(&m, path, how, d);
	MEM_FREE_ALL(m.heads, m.dynamic);
	return st;
}

/* Programs that get rights of their own are loaded without what the environment asks for. */
static bool is_privileged(const char *path, const struct stat *file)
{
	return (file->st_mode & (S_ISUID | S_ISGID)) != 0 ||
	       getxattr(path, "security.capability", NULL, 0) > 0;
}

static enum status check_program(const char *path, enum program_how how, int depth, struct diag *d)
{
	enum status st;
	struct stat file;
	int fd;

	if (stat(path, &file) != 0)
		return diag_fail(d, ST_BAD_INPUT, "cannot find '%s': %s", path, strerror(errno));
	if (S_ISDIR(file.st_mode))
		return diag_fail(d, ST_BAD_INPUT, "'%s' is a directory", path);
	if (!S_ISREG(file.st_mode) || access(path, X_OK) != 0)
		return diag_fail(d, ST_BAD_INPUT, "'%s' is not executable", path);
	if (is_privileged(path, &file))
		return diag_fail(
			d, ST_BAD_INPUT,
			"'%s' is setuid or setgid, or has capabilities, and cannot be recorded",
			path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return diag_fail(d, ST_BAD_INPUT, "cannot read '%s': %s", path, strerror(errno));
	st = check_content(fd, path, how, depth, d);
	close(fd);
	return st;
}

/* A file by the name that traces have: somebody meant `check'. */
static bool is_trace(const char *name)
{
	const char *dot = strrchr(base_name(name), '.');

	return dot && (strcmp(dot, ".foresee") == 0 || strcmp(dot, ".std") == 0) &&
	       access(name, R_OK) == 0 && access(name, X_OK) != 0;
}

enum status program_find(const char *name, enum program_how how, char **path, struct diag *d)
{
	enum status st;

	*path = NULL;
	if (is_trace(name))
		return diag_fail(d, ST_BAD_INPUT,
				 "'%s' is a trace, not a program; 'foresee check %s' analyses it",
				 name, name);

	*path = strchr(name, '/') ? mem_strdup(name) : search_path(name);
	if (!*path)
		return diag_fail(d, ST_BAD_INPUT, "cannot find '%s' along PATH%s%s", name,
				 access(name, F_OK) == 0 ? "; for the one here write ./" : "",
				 access(name, F_OK) == 0 ? name : "");
	st = check_program(*path, how, 0, d);
	if (st != ST_OK) {
		mem_free(*path);
		*path = NULL;
	}
	return st;
}

/* ---- the lock recorder ---- */

/* LD_PRELOAD takes no blank or colon in a name.  Then the library gets another one: a link in a
 * directory of ours, which goes when this process does. */
static struct {
	pid_t owner;
	char directory[PATH_MAX], link[PATH_MAX + sizeof(LOCK_RECORDER) + 1];
} other_name;

static void other_name_drop(void)
{
	if (other_name.owner != getpid())
		return;
	unlink(other_name.link);
	rmdir(other_name.directory);
}

static bool other_name_make(const char *library)
{
	const char *where = getenv("TMPDIR");

	if (!where || *where != '/' || strpbrk(where, ": \t\n") || strlen(where) > PATH_MAX / 2)
		where = "/tmp";
	snprintf(other_name.directory, sizeof(other_name.directory), "%s/foresee-locks-XXXXXX",
		 where);
	if (!mkdtemp(other_name.directory))
		return false;
	snprintf(other_name.link, sizeof(other_name.link), "%s/" LOCK_RECORDER,
		 other_name.directory);
	other_name.owner = getpid();
	if (symlink(library, other_name.link) == 0 && atexit(other_name_drop) == 0)
		return true;
	other_name_drop();
	return false;
}

enum status program_lock_recorder(char **path, struct diag *d)
{
	char *own = program_own_directory();
	struct strbuf b = { 0 };

	strbuf_addf(&b, "%s/../lib/foresee/" LOCK_RECORDER, own);
	mem_free(own);
	*path = b.at;
	if (access(*path, R_OK) != 0)
		diag_set(d, "cannot find the lock recorder '%s': is foresee installed whole?",
			 *path);
	else if (!strpbrk(*path, ": \t"))
		return ST_OK;
	else if (!other_name_make(*path))
		diag_set(
			d,
			"cannot preload '%s': LD_PRELOAD takes no blank or colon in a name, and no "
			"link to it can be made: %s",
			*path, strerror(errno));
	mem_free(*path);
	*path = other_name.owner ? mem_strdup(other_name.link) : NULL;
	return *path ? ST_OK : ST_IO;
}
