#include "analyse/book.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* In front of each; a finding's strings come behind it, one after the other, each with its NUL. */
struct entry {
	uint32_t kind;
	uint32_t length;     /* of all */
	uint64_t number;     /* the cut, or the events */
	struct kept finding; /* but for its strings */
};

void book_open(struct book *b)
{
	b->fd = memfd_create("foresee-found", MFD_CLOEXEC);
}

void book_close(struct book *b)
{
	if (b->fd >= 0)
		close(b->fd);
	b->fd = -1;
}

/* ---- writing ---- */

/* The file's offset is ours alone. */
static void append(struct book *b, const void *bytes, size_t n)
{
	struct stat st;

	if (b->fd < 0 || fstat(b->fd, &st) != 0 || (uint64_t)st.st_size + n > BOOK_BYTES)
		return;
	(void)!strbuf_write(b->fd, bytes, n);
}

void book_add(struct book *b, const struct kept *k)
{
	STRBUF_SCOPED out = { 0 };
	struct entry e;

	memset(&e, 0, sizeof(e));
	e.kind = BOOK_FINDING;
	e.finding = *k;
	strbuf_add(&out, &e, sizeof(e));
	for (int i = 0; i < KEPT_STRINGS; i++)
		strbuf_add(&out, k->strings[i], strlen(k->strings[i]) + 1);
	e.length = (uint32_t)out.n;
	memcpy(out.at, &e, sizeof(e));
	if (out.n < BOOK_BYTES)
		append(b, out.at, out.n);
}

void book_add_number(struct book *b, enum book_kind kind, uint64_t number)
{
	struct entry e;

	memset(&e, 0, sizeof(e));
	e.kind = kind;
	e.length = sizeof(e);
	e.number = number;
	append(b, &e, sizeof(e));
}

/* ---- reading ---- */

static bool finding_take(const struct entry *e, const char *at, const char *end,
			 struct kept_list *out)
{
	struct kept k = e->finding;

	memset(k.strings, 0, sizeof(k.strings));
	for (int i = 0; i < KEPT_STRINGS; i++) {
		const char *nul = memchr(at, 0, (size_t)(end - at));

		if (!nul) {
			kept_release(&k);
			return false;
		}
		k.strings[i] = mem_strdup(at);
		at = nul + 1;
	}
	kept_list_add(out, &k);
	return true;
}

/* Bytes of the entry, 0 when it is not whole. */
static size_t entry_take(const char *at, size_t n, struct book_content *out)
{
	struct entry e;

	if (n < sizeof(e))
		return 0;
	memcpy(&e, at, sizeof(e));
	if (e.length < sizeof(e) || e.length > n)
		return 0;
	switch ((enum book_kind)e.kind) {
	case BOOK_FINDING:
		return finding_take(&e, at + sizeof(e), at + e.length, &out->found) ? e.length : 0;
	case BOOK_WINDOW:
		out->windows++;
		out->next_cut = e.number;
		return e.length;
	case BOOK_MISSED:
		out->missed += e.number;
		return e.length;
	}
	return 0;
}

void book_read(const struct book *b, struct book_content *out)
{
	struct stat st;
	char *all;
	size_t at = 0, n;

	if (b->fd < 0 || fstat(b->fd, &st) != 0 || st.st_size == 0)
		return;
	all = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, b->fd, 0);
	if (all == MAP_FAILED)
		return;
	while ((n = entry_take(all + at, (size_t)st.st_size - at, out)) != 0)
		at += n;
	munmap(all, (size_t)st.st_size);
}

void book_content_release(struct book_content *c)
{
	kept_list_release(&c->found);
	*c = (struct book_content){ 0 };
}
