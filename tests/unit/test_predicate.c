/*
 * Comparisons: their text; and how they come out, by exact search and by the checker, against a reading of
 * the definition (trace/predicate.h) on strings of bits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/engine.h"
#include "tap.h"
#include "tiny.h"
#include "trace/predicate.h"
#include "trial.h"
#include "trial_engines.h"

#define TRACES 4000
#define TRACES_LONG 40000

static void reads(const char *text)
{
	const char *at = text;
	struct predicate p;
	const char *why = predicate_parse(&at, text + strlen(text), &p);
	STRBUF_SCOPED b = { 0 };

	if (!why)
		predicate_format(&p, &b);
	TAP_OK(!why && *at == '\0' && strcmp(strbuf_str(&b), text) == 0, "%s is read and written",
	       text);
}

static void refuses(const char *text, size_t column)
{
	const char *at = text;
	struct predicate p;
	const char *why = predicate_parse(&at, text + strlen(text), &p);

	TAP_OK(why && (size_t)(at - text) == column, "%s is refused at column %zu: %s", text,
	       column, why ? why : "it is not");
}

/* ---- how they come out ---- */

/* -1, 0, 1; bits from the lowest on, the sign is worth less than nothing. */
static int compare_bits(uint64_t a, uint64_t b, unsigned bits, bool has_sign)
{
	for (unsigned i = bits; i-- > 0;) {
		int x = a >> i & 1, y = b >> i & 1;

		if (x != y)
			return (x < y ? -1 : 1) * (has_sign && i == bits - 1 ? -1 : 1);
	}
	return 0;
}

static bool comes_out(const char *cmp, uint64_t v, uint64_t with, unsigned bits, uint64_t mask)
{
	bool has_sign = cmp[0] != 'u' && strcmp(cmp, "eq") != 0 && strcmp(cmp, "ne") != 0;
	int c = compare_bits(v & mask, with, bits, has_sign);

	cmp += cmp[0] == 'u';
	return !strcmp(cmp, "eq")   ? c == 0
	       : !strcmp(cmp, "ne") ? c != 0
	       : !strcmp(cmp, "lt") ? c < 0
	       : !strcmp(cmp, "le") ? c <= 0
	       : !strcmp(cmp, "gt") ? c > 0
				    : c >= 0;
}

static uint64_t number(struct tiny_rng *r, unsigned bits)
{
	uint64_t v = (uint64_t)tiny_below(r, UINT32_MAX) << 32 | tiny_below(r, UINT32_MAX);

	switch (tiny_below(r, 4)) {
	case 0:
		v = tiny_below(r, 4);
		break;
	case 1:
		v = 0 - (uint64_t)tiny_below(r, 4);
		break;
	case 2:
		v = (1ull << (bits - 1)) + tiny_below(r, 3) - 1;
		break;
	}
	return bits >= 64 ? v : v & ((1ull << bits) - 1);
}

/* Does the checker let T2 come first? */
static bool certifies(const struct trial *x)
{
	static const uint64_t targets[] = { 2, 11 }, events[] = { 1, 7, 8, 9, 10 };
	struct check_order order = { 0 };
	struct check_claim claim;
	bool certified;

	VEC_APPEND(&order.at, events, 5);
	claim = trial_claim(targets, &order, false, false);
	certified = trial_certify(x, &claim, NULL);
	VEC_RELEASE(&order.at);
	return certified;
}

/* T2 may come first iff what it compares comes out the same of what T1 has found.  True: that was said. */
static bool try_one(uint64_t seed, bool *raced)
{
	static const char *const cmps[] = { "eq", "ne",	 "lt",	"le",  "gt",
					    "ge", "ult", "ule", "ugt", "uge" };
	struct tiny_rng r = { seed };
	unsigned len = 1u << tiny_below(&r, 4), bits = 1 + tiny_below(&r, 8 * len);
	const char *cmp = cmps[tiny_below(&r, 10)];
	uint64_t was = number(&r, 8 * len), is = number(&r, 8 * len), with = number(&r, bits);
	uint64_t mask = tiny_chance(&r, 50) ? UINT64_MAX : number(&r, 64);
	static struct trial x;
	struct engine_result out = { 0 };
	struct trial_question q = { engine_find("races"), { 0 } };
	char test[100], read[200], text[900];
	bool right, whole = tiny_chance(&r, 30);

	bits = whole ? 8 * len : bits;
	with = bits >= 64 ? with : with & ((1ull << bits) - 1);
	snprintf(test, sizeof(test), whole ? "%s:%llu" : "%s:%llu/%u", cmp,
		 (unsigned long long)with, bits);
	if (mask != UINT64_MAX)
		snprintf(test + strlen(test), sizeof(test) - strlen(test), "&%llu",
			 (unsigned long long)mask);
	if (seed % 2) /* on the spot */
		snprintf(read, sizeof(read), "~?%s|8\nT2|fence|9", test);
	else
		snprintf(read, sizeof(read), "~|8\nT2|use<8:%s|9", test);
	snprintf(text, sizeof(text),
		 "#fmt 1\nT1|r(x)~=5|1\nT1|w(x)<1=6|2\nT1|acq(m)|3\nT1|r(n:%u)~=%llu|4\n"
		 "T1|w(n:%u)<4=%llu|5\nT1|rel(m)|6\nT2|acq(m)|7\nT2|r(n:%u)=%llu%s\n"
		 "T2|rel(m)|10\nT2|r(x)~=6|11\n",
		 len, (unsigned long long)was, len, (unsigned long long)is, len,
		 (unsigned long long)is, read);
	if (!trial_text(&x, text)) {
		trial_end(&x);
		return false;
	}
	trial_ask(&x, &q, 1, 1, &out);
	*raced = comes_out(cmp, was, with, bits, mask) == comes_out(cmp, is, with, bits, mask);
	right = (out.findings.at.n == 1) == *raced;
	right &= certifies(&x) == *raced;
	if (!right)
		trial_complain(&x, *raced ? "it comes out the same" : "it does not");
	engine_result_release(&out);
	trial_end(&x);
	return right;
}

int main(void)
{
	struct trial_seeds seeds = trial_seeds(TRACES, TRACES_LONG);
	unsigned wrong = 0, raced = 0;
	bool one = false;

	reads("ge:30");
	reads("lt:-5");
	reads("ult:200/8");
	reads("ne:0&4");
	reads("eq:18446744073709551615/64&255");
	refuses("", 0);
	refuses("over:3", 0);
	refuses("ge:", 3);
	refuses("ge:x", 3);
	refuses("ge:18446744073709551616", 22);
	refuses("ge:3/0", 6);
	refuses("ge:3/65", 7);
	refuses("ge:3&", 4);
	for (uint64_t k = seeds.from; k < seeds.from + seeds.n; k++) {
		wrong += !try_one(k, &one);
		raced += one;
	}
	TAP_EQ(wrong, 0, "%llu comparisons come out as they should, %u the same",
	       (unsigned long long)seeds.n, raced);
	TAP_OK(raced > seeds.n / 10 && raced < seeds.n - seeds.n / 10, "both ways");
	return tap_done();
}
