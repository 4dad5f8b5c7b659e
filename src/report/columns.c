#include "report/columns.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define BETWEEN 8 /* blanks between two columns, room for the arrow */

void columns_release(struct columns *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		mem_free(c->heads[i]);
	for (size_t i = 0; i < c->rows.n; i++) {
		for (uint32_t k = 0; k < COLUMNS_MAX; k++)
			mem_free(c->rows.at[i].cells[k]);
		mem_free(c->rows.at[i].note);
	}
	VEC_RELEASE(&c->rows);
	c->n = 0;
}

/* ---- characters, not bytes ---- */

static bool is_start(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

static int width(const char *s)
{
	int n = 0;

	for (; s && *s; s++)
		n += is_start(*s);
	return n;
}

/* A copy, cut to COLUMNS_WIDTH characters with a mark. */
static char *fit(const char *s)
{
	struct strbuf b = { 0 };
	int n = 0;

	if (width(s) <= COLUMNS_WIDTH)
		return mem_strdup(s);
	for (; n < COLUMNS_WIDTH - 2 || !is_start(*s); s++) {
		strbuf_add(&b, s, 1);
		n += is_start(s[1]);
	}
	strbuf_adds(&b, "..");
	return b.at;
}

/* ---- rows ---- */

void columns_head(struct columns *c, const char *text)
{
	assert(c->n < COLUMNS_MAX);
	c->heads[c->n++] = fit(text);
}

static struct columns_row *new_row(struct columns *c)
{
	struct columns_row *r = VEC_PUSH(&c->rows);

	memset(r, 0, sizeof(*r));
	return r;
}

void columns_event(struct columns *c, uint64_t number, uint32_t column, const char *text)
{
	struct columns_row *r = new_row(c);

	assert(column < c->n);
	r->numbers[0] = number;
	r->cells[column] = fit(text);
}

void columns_gap(struct columns *c, const uint64_t counts[COLUMNS_MAX], uint64_t others)
{
	struct columns_row *r = new_row(c);
	char text[80];

	for (uint32_t i = 0; i < c->n; i++) {
		if (counts[i] == 0)
			continue;
		snprintf(text, sizeof(text), "... %" PRIu64 " event%s", counts[i],
			 counts[i] == 1 ? "" : "s");
		r->cells[i] = fit(text);
	}
	if (others == 0)
		return;
	snprintf(text, sizeof(text), "... %" PRIu64 " event%s of other threads", others,
		 others == 1 ? "" : "s");
	r->note = mem_strdup(text);
}

void columns_pair(struct columns *c, const uint64_t numbers[2], const uint32_t columns[2],
		  const char *const texts[2], const char *note)
{
	struct columns_row *r = new_row(c);
	int first = columns[0] > columns[1];

	assert(columns[0] != columns[1] && columns[0] < c->n && columns[1] < c->n);
	for (int i = 0; i < 2; i++)
		r->cells[columns[i]] = fit(texts[i]);
	r->left = columns[first];
	r->right = columns[!first];
	r->numbers[0] = numbers[first];
	r->numbers[1] = numbers[!first];
	r->note = note ? mem_strdup(note) : NULL;
}

/* ---- the picture ---- */

struct widths {
	int numbers, columns[COLUMNS_MAX];
};

static void numbers_format(const struct columns_row *r, struct strbuf *out)
{
	if (r->numbers[0])
		strbuf_addf(out, "%" PRIu64, r->numbers[0]);
	if (r->numbers[1])
		strbuf_addf(out, ", %" PRIu64, r->numbers[1]);
}

static void measure(const struct columns *c, struct widths *out)
{
	struct strbuf b = { 0 };

	memset(out, 0, sizeof(*out));
	for (uint32_t k = 0; k < c->n; k++)
		out->columns[k] = width(c->heads[k]);
	for (size_t i = 0; i < c->rows.n; i++) {
		const struct columns_row *r = &c->rows.at[i];

		strbuf_clear(&b);
		numbers_format(r, &b);
		if ((int)b.n > out->numbers)
			out->numbers = (int)b.n;
		for (uint32_t k = 0; k < c->n; k++)
			if (width(r->cells[k]) > out->columns[k])
				out->columns[k] = width(r->cells[k]);
	}
	strbuf_release(&b);
}

static void fill(struct strbuf *out, char what, int n)
{
	for (; n > 0; n--)
		strbuf_add(out, &what, 1);
}

/* What stands between column k and the next one. */
static void between(const struct columns_row *r, uint32_t k, struct strbuf *out)
{
	bool inside = r->right > 0 && k >= r->left && k < r->right;

	if (!inside)
		fill(out, ' ', BETWEEN);
	else if (r->right - r->left == 1)
		strbuf_adds(out, "  <-->  ");
	else
		strbuf_adds(out, k == r->left	     ? "  <-----"
				 : k + 1 == r->right ? "----->  "
						     : "--------");
}

static void cells_format(const struct columns *c, const struct widths *w,
			 char *const cells[COLUMNS_MAX], const struct columns_row *r,
			 struct strbuf *out)
{
	for (uint32_t k = 0; k < c->n; k++) {
		bool crossed = r->right > 0 && k > r->left && k < r->right;

		strbuf_adds(out, cells[k] ? cells[k] : "");
		fill(out, crossed ? '-' : ' ', w->columns[k] - width(cells[k]));
		if (k + 1 < c->n)
			between(r, k, out);
	}
}

/* No blanks at the end of a line. */
static void end_line(struct strbuf *out)
{
	while (out->n > 0 && out->at[out->n - 1] == ' ')
		out->at[--out->n] = '\0';
	strbuf_adds(out, "\n");
}

void columns_format(const struct columns *c, int indent, struct strbuf *out)
{
	static const struct columns_row plain;
	struct strbuf number = { 0 };
	struct widths w;

	measure(c, &w);
	fill(out, ' ', indent + w.numbers + 2);
	cells_format(c, &w, c->heads, &plain, out);
	end_line(out);
	for (size_t i = 0; i < c->rows.n; i++) {
		const struct columns_row *r = &c->rows.at[i];

		strbuf_clear(&number);
		numbers_format(r, &number);
		strbuf_addf(out, "%*s%*s  ", indent, "", w.numbers, strbuf_str(&number));
		cells_format(c, &w, r->cells, r, out);
		if (r->note)
			strbuf_addf(out, "    %s", r->note);
		end_line(out);
	}
	strbuf_release(&number);
}
