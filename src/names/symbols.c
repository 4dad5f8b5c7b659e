#include "names/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names/layout.h"
#include "trace/trace.h"

#define DEBUG_DIRECTORY "/usr/lib/debug/.build-id/"
#define FILE_MOST ((off_t)1 << 32)
#define SYMBOLS_MOST (1u << 22)
#define UNITS_MOST (1u << 20)
#define RANGES_MOST (1u << 20)
#define UNSIZED 4096u /* bytes after a symbol of no size that may be its */

struct symbol {
	uint64_t address, size;
	const char *name;
};

/* Code of a compilation unit. */
struct range {
	uint64_t low, high;
	Dwarf_Off unit;
};

/* An ELF file. */
struct file {
	Elf *elf; /* NULL: there is none */
	Dwarf *dwarf;
};

struct symbols {
	char *path;
	uint8_t *build_id;
	size_t nid;
	bool opened;
	struct file own, debug;
	Dwarf *dwarf; /* of one of the two, or NULL */
	struct intern *text;
	VEC(struct symbol) functions, variables; /* sorted */
	VEC(struct range) ranges;		 /* sorted */
	struct layout *layout;			 /* made when asked for */
};

struct symbols *symbols_new(const char *path, const uint8_t *build_id, size_t nid)
{
	struct symbols *s = mem_zalloc(sizeof(*s));

	s->path = mem_strdup(path);
	s->build_id = mem_alloc(nid + 1);
	if (nid)
		memcpy(s->build_id, build_id, nid);
	s->nid = nid;
	s->text = intern_new();
	return s;
}

/* ---- files ---- */

static void file_close(struct file *f)
{
	if (f->dwarf)
		dwarf_end(f->dwarf);
	if (f->elf)
		elf_end(f->elf);
	*f = (struct file){ 0 };
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	layout_free(s->layout);
	file_close(&s->own);
	file_close(&s->debug);
	VEC_RELEASE_ALL(&s->functions, &s->variables, &s->ranges);
	intern_free(s->text);
	MEM_FREE_ALL(s->build_id, s->path, s);
}

/* Whether a section of notes has the build id. */
static bool notes_have(const struct symbols *s, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		const char *bytes = data->d_buf;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(bytes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 &&
		    note.n_descsz == s->nid && memcmp(bytes + desc, s->build_id, s->nid) == 0)
			return true;
	}
	return false;
}

/* It is the file that was recorded, as far as can be told. */
static bool is_same(const struct symbols *s, Elf *elf)
{
	Elf_Scn *section = NULL;

	while (s->nid && (section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr head;

		if (gelf_getshdr(section, &head) && head.sh_type == SHT_NOTE &&
		    notes_have(s, section))
			return true;
	}
	return s->nid == 0;
}

/* The descriptor is not kept: there may be many files. */
static bool file_open(const struct symbols *s, const char *path, struct file *f)
{
	/* Whatever it is, opening it must not wait. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < FILE_MOST)
		f->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (f->elf && elf_kind(f->elf) == ELF_K_ELF && gelf_getclass(f->elf) == ELFCLASS64 &&
	    is_same(s, f->elf))
		f->dwarf = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	else
		file_close(f);
	if (f->elf && elf_cntl(f->elf, ELF_C_FDREAD) != 0)
		file_close(f);
	if (f->elf)
		elf_cntl(f->elf, ELF_C_FDDONE);
	close(fd);
	return f->elf != NULL;
}

const char *symbols_path(const struct symbols *s)
{
	return s->path;
}

enum symbols_file symbols_compare(const struct symbols *s, const char *path)
{
	struct file f = { 0 };
	bool same;

	elf_version(EV_CURRENT);
	if (access(path, F_OK) != 0)
		return SYMBOLS_GONE;
	if (s->nid == 0)
		return SYMBOLS_UNKNOWN;
	same = file_open(s, path, &f);
	file_close(&f);
	return same ? SYMBOLS_SAME : SYMBOLS_OTHER;
}

static bool has_units(Dwarf *d)
{
	Dwarf_Off next;
	size_t head;

	return d && dwarf_nextcu(d, 0, &next, &head, NULL, NULL, NULL) == 0;
}

static void debug_open(struct symbols *s)
{
	struct strbuf path = { 0 };

	if (s->nid < 2)
		return;
	strbuf_addf(&path, DEBUG_DIRECTORY "%02x/", s->build_id[0]);
	for (size_t i = 1; i < s->nid; i++)
		strbuf_addf(&path, "%02x", s->build_id[i]);
	strbuf_adds(&path, ".debug");
	file_open(s, strbuf_str(&path), &s->debug);
	strbuf_release(&path);
}

/* ---- tables ---- */

static int symbol_order(const void *x, const void *y)
{
	const struct symbol *a = x, *b = y;

	return SORT_ORDER(a->address, b->address) ?: SORT_ORDER(a->size, b->size);
}

static int range_order(const void *x, const void *y)
{
	const struct range *a = x, *b = y;

	return SORT_ORDER(a->low, b->low);
}

static void table_read(struct symbols *s, Elf *elf, Elf_Scn *section, const GElf_Shdr *head)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && head->sh_entsize ? data->d_size / head->sh_entsize : 0;

	for (size_t i = 1; i < n && i < SYMBOLS_MOST && i <= INT_MAX; i++) {
		struct symbol new;
		unsigned type;
		GElf_Sym is;

		if (!gelf_getsym(data, (int)i, &is) || is.st_shndx == SHN_UNDEF)
			continue;
		type = GELF_ST_TYPE(is.st_info);
		new = (struct symbol){ is.st_value, is.st_size,
				       intern_keep(s->text,
						   elf_strptr(elf, head->sh_link, is.st_name)) };
		if (!new.name)
			continue;
		if (type == STT_FUNC || type == STT_GNU_IFUNC)
			*VEC_PUSH(&s->functions) = new;
		else if (type == STT_OBJECT)
			*VEC_PUSH(&s->variables) = new;
	}
}

/* True if the file has a table of that type. */
static bool tables_read(struct symbols *s, Elf *elf, unsigned type)
{
	Elf_Scn *section = NULL;
	bool found = false;

	while (elf && (section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr head;

		if (!gelf_getshdr(section, &head) || head.sh_type != type)
			continue;
		table_read(s, elf, section, &head);
		found = true;
	}
	return found;
}

static void units_read(struct symbols *s)
{
	Dwarf_Off at = 0, next;
	size_t head;

	for (unsigned n = 0; n < UNITS_MOST && s->ranges.n < RANGES_MOST &&
			     dwarf_nextcu(s->dwarf, at, &next, &head, NULL, NULL, NULL) == 0;
	     n++, at = next) {
		Dwarf_Addr base, low, high;
		ptrdiff_t i = 0;
		Dwarf_Die unit;

		if (!dwarf_offdie(s->dwarf, at + head, &unit))
			continue;
		while (s->ranges.n < RANGES_MOST &&
		       (i = dwarf_ranges(&unit, i, &base, &low, &high)) > 0)
			*VEC_PUSH(&s->ranges) = (struct range){ low, high, at + head };
	}
}

/* The full table is in the file itself, or was moved to the other; the small one always stays. */
static void symbols_open(struct symbols *s)
{
	if (s->opened)
		return;
	s->opened = true;
	if (elf_version(EV_CURRENT) == EV_NONE || !file_open(s, s->path, &s->own))
		return;
	if (has_units(s->own.dwarf)) {
		s->dwarf = s->own.dwarf;
	} else {
		debug_open(s);
		s->dwarf = has_units(s->debug.dwarf) ? s->debug.dwarf : NULL;
	}
	if (!tables_read(s, s->own.elf, SHT_SYMTAB) && !tables_read(s, s->debug.elf, SHT_SYMTAB))
		tables_read(s, s->own.elf, SHT_DYNSYM);
	if (s->dwarf)
		units_read(s);
	SORT_VEC(&s->functions, symbol_order);
	SORT_VEC(&s->variables, symbol_order);
	SORT_VEC(&s->ranges, range_order);
}

/* ---- by symbol ---- */

/* The last one that begins at or before the address; sizes of assembly functions may be 0. */
static const struct symbol *symbol_find(const struct symbol *at, size_t n, uint64_t address)
{
	size_t past = SEARCH_PAST(i, 0, n, at[i].address <= address);

	if (past == 0)
		return NULL;
	at += past - 1;
	return address - at->address < (at->size ? at->size : UNSIZED) ? at : NULL;
}

const char *symbols_function(struct symbols *s, uint64_t address, uint64_t *offset)
{
	const struct symbol *f;

	symbols_open(s);
	f = symbol_find(s->functions.at, s->functions.n, address);
	*offset = f ? address - f->address : 0;
	return f ? f->name : NULL;
}

const char *symbols_variable(struct symbols *s, uint64_t address, uint64_t *offset)
{
	const struct symbol *v;

	symbols_open(s);
	v = symbol_find(s->variables.at, s->variables.n, address);
	if (v && v->size == 0 && v->address != address)
		v = NULL;
	*offset = v ? address - v->address : 0;
	return v ? v->name : NULL;
}

bool symbols_find(struct symbols *s, const char *name, size_t *i, uint64_t *address, uint64_t *size)
{
	symbols_open(s);
	while (*i < s->variables.n) {
		const struct symbol *v = &s->variables.at[(*i)++];

		if (strcmp(v->name, name) != 0)
			continue;
		*address = v->address;
		*size = v->size;
		return true;
	}
	return false;
}

/* ---- by debug information ---- */

struct layout *symbols_layout(struct symbols *s)
{
	symbols_open(s);
	if (!s->layout && s->dwarf)
		s->layout = layout_new(s->dwarf);
	return s->layout;
}

static bool unit_find(struct symbols *s, uint64_t address, Dwarf_Die *unit)
{
	size_t past = SEARCH_PAST(i, 0, s->ranges.n, s->ranges.at[i].low <= address);

	return past > 0 && address < s->ranges.at[past - 1].high &&
	       dwarf_offdie(s->dwarf, s->ranges.at[past - 1].unit, unit) != NULL;
}

/* Gcc 16 and later put volatile accesses, which is what atomics are to them, into other instructions. */
#define GCC_MOST 15

/* "GNU C17 12.2.0 -O2 ...", "GNU C++17 12.2.0", of link-time optimisation "GNU GIMPLE 12.2.0". */
static bool is_gcc(const char *producer)
{
	long version;

	if (strncmp(producer, "GNU C", 5) != 0 && strncmp(producer, "GNU GIMPLE ", 11) != 0)
		return false;
	producer = strchr(producer + 4, ' ');
	version = producer ? strtol(producer, NULL, 10) : 0;
	return version > 0 && version <= GCC_MOST;
}

bool symbols_by_gcc(struct symbols *s, uint64_t address)
{
	Dwarf_Attribute attribute;
	const char *producer = NULL;
	Dwarf_Die unit;

	symbols_open(s);
	if (s->dwarf && unit_find(s, address, &unit) &&
	    dwarf_attr(&unit, DW_AT_producer, &attribute))
		producer = dwarf_formstring(&attribute);
	return producer && is_gcc(producer);
}

/* From the directory that the compiler ran in. */
static const char *file_name(struct symbols *s, Dwarf_Die *unit, const char *name)
{
	struct strbuf path = { 0 };
	Dwarf_Attribute attribute;
	const char *directory = NULL;

	if (!name || name[0] == '/')
		return intern_keep(s->text, name);
	if (dwarf_attr(unit, DW_AT_comp_dir, &attribute))
		directory = dwarf_formstring(&attribute);
	if (directory)
		strbuf_addf(&path, "%s/", directory);
	strbuf_adds(&path, name);
	name = intern_keep(s->text, strbuf_str(&path));
	strbuf_release(&path);
	return name;
}

static void line_find(struct symbols *s, Dwarf_Die *unit, uint64_t address, struct trace_site *out)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	int number = 0, column = 0;

	if (!line || dwarf_lineno(line, &number) != 0 || number <= 0)
		return;
	dwarf_linecol(line, &column);
	out->file = file_name(s, unit, dwarf_linesrc(line, NULL, NULL));
	out->line = (uint32_t)number;
	out->column = column > 0 ? (uint32_t)column : 0;
}

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0)
		return 0;
	return value;
}

/* Where the function of an inlined call was called. */
static void call_find(struct symbols *s, Dwarf_Die *unit, Dwarf_Die *inlined,
		      struct trace_site *out)
{
	uint64_t file = number_of(inlined, DW_AT_call_file);
	Dwarf_Files *files;
	size_t n;

	if (dwarf_getsrcfiles(unit, &files, &n) == 0 && file < n)
		out->file = file_name(s, unit, dwarf_filesrc(files, file, NULL, NULL));
	out->line = (uint32_t)number_of(inlined, DW_AT_call_line);
	out->column = (uint32_t)number_of(inlined, DW_AT_call_column);
}

/* The innermost scope at the address and those around it as they lie in the code; the caller's to
 * free.  (What dwarf_getscopes has around an inlined call are those of its definition.) */
static int scopes_find(Dwarf_Die *unit, uint64_t address, Dwarf_Die **out)
{
	Dwarf_Die *scopes = NULL;
	int n = dwarf_getscopes(unit, address, &scopes);

	*out = NULL;
	if (n > 0)
		n = dwarf_getscopes_die(&scopes[0], out);
	free(scopes);
	return n;
}

/* The argument is a pointer to that structure, or to nothing in particular. */
static bool is_pointer_to(Dwarf_Die *argument, const char *structure)
{
	Dwarf_Attribute attribute;
	Dwarf_Die type, to;
	const char *name;

	if (!dwarf_formref_die(dwarf_attr_integrate(argument, DW_AT_type, &attribute), &type) ||
	    dwarf_peel_type(&type, &type) != 0)
		return true; /* nobody knows */
	if (dwarf_tag(&type) != DW_TAG_pointer_type)
		return false;
	if (!dwarf_formref_die(dwarf_attr(&type, DW_AT_type, &attribute), &to) ||
	    dwarf_peel_type(&to, &to) != 0)
		return true; /* void */
	name = dwarf_diename(&to);
	return dwarf_tag(&to) == DW_TAG_structure_type && name && strcmp(name, structure) == 0;
}

bool symbols_may_take(struct symbols *s, uint64_t address, const char *structure, unsigned *n)
{
	Dwarf_Die unit, *scopes = NULL, child;
	bool may = true;
	int i = 0, nscopes;

	*n = 0;
	symbols_open(s);
	if (!s->dwarf || !unit_find(s, address, &unit))
		return true;
	nscopes = scopes_find(&unit, address, &scopes);
	while (i < nscopes && dwarf_tag(&scopes[i]) != DW_TAG_subprogram)
		i++;
	if (i < nscopes && dwarf_child(&scopes[i], &child) == 0)
		do
			if (dwarf_tag(&child) == DW_TAG_formal_parameter && (*n)++ == 0)
				may = is_pointer_to(&child, structure);
		while (dwarf_siblingof(&child, &child) == 0);
	free(scopes);
	return may && *n <= 1;
}

size_t symbols_code(struct symbols *s, uint64_t address, struct trace_site *out, size_t max)
{
	Dwarf_Die unit, *scopes = NULL;
	size_t n = 1;
	int nscopes;

	symbols_open(s);
	if (max == 0 || !s->dwarf || !unit_find(s, address, &unit))
		return 0;
	out[0] = (struct trace_site){ 0 };
	line_find(s, &unit, address, &out[0]);
	nscopes = scopes_find(&unit, address, &scopes);
	for (int i = 0; i < nscopes; i++) {
		int tag = dwarf_tag(&scopes[i]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		out[n - 1].function = intern_keep(s->text, dwarf_diename(&scopes[i]));
		if (tag == DW_TAG_subprogram || n == max)
			break;
		out[n] = (struct trace_site){ 0 };
		call_find(s, &unit, &scopes[i], &out[n++]);
	}
	free(scopes);
	return out[0].line ? n : 0;
}
