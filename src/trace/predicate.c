#include "trace/predicate.h"

static const char *const cmps[] = {
#define X(id, name) name,
	PREDICATE_CMPS(X)
#undef X
};

static bool number_take(const char **at, const char *end, uint64_t *out)
{
	uint64_t v = 0;

	if (*at == end || **at < '0' || **at > '9')
		return false;
	for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
		unsigned digit = (unsigned)(**at - '0');

		if (v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*out = v;
	return true;
}

static bool cmp_take(const char **at, const char *end, uint8_t *out)
{
	const char *colon = memchr(*at, ':', (size_t)(end - *at));

	for (uint8_t i = 0; colon && i < PREDICATE_NCMPS; i++) {
		if (strlen(cmps[i]) != (size_t)(colon - *at) ||
		    memcmp(cmps[i], *at, (size_t)(colon - *at)) != 0)
			continue;
		*at = colon + 1;
		*out = i;
		return true;
	}
	return false;
}

static bool part_take(const char **at, const char *end, char sign, uint64_t *out)
{
	const char *next = *at + 1;

	if (*at == end || **at != sign)
		return true;
	if (!number_take(&next, end, out))
		return false;
	*at = next;
	return true;
}

const char *predicate_parse(const char **at, const char *end, struct predicate *out)
{
	uint64_t bits = 0;
	bool negative;

	*out = (struct predicate){ .mask = UINT64_MAX };
	if (!cmp_take(at, end, &out->cmp))
		return "expected a comparison, as in ge:30; there are eq ne lt le gt ge ult ule ugt uge";
	negative = *at < end && **at == '-';
	*at += negative;
	if (!number_take(at, end, &out->with) || (negative && out->with > (uint64_t)1 << 63))
		return "expected a number that fits 64 bits";
	if (negative)
		out->with = 0 - out->with;
	if (*at < end && **at == '/' && (!part_take(at, end, '/', &bits) || bits == 0 || bits > 64))
		return "expected 1 to 64 after '/': how many bits are compared";
	if (!part_take(at, end, '&', &out->mask))
		return "expected a mask after '&'";
	out->bits = (uint8_t)bits;
	return NULL;
}

void predicate_format(const struct predicate *p, struct strbuf *out)
{
	bool has_sign = p->cmp >= PREDICATE_LT && p->cmp <= PREDICATE_GE;

	strbuf_addf(out, "%s:", cmps[p->cmp]);
	if (has_sign)
		strbuf_addf(out, "%" PRId64, (int64_t)p->with);
	else
		strbuf_addf(out, "%" PRIu64, p->with);
	if (p->bits != 0)
		strbuf_addf(out, "/%u", p->bits);
	if (p->mask != UINT64_MAX)
		strbuf_addf(out, "&%" PRIu64, p->mask);
}
