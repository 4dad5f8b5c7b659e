/*
 * The words of the text form, shared by its reader and its writer.
 * doc/STD.md is the specification.
 */
#ifndef TEXT_STD_H
#define TEXT_STD_H

#include "trace/event.h"

#define STD_HEADER "#fmt 1"
#define STD_LINE_MAX (1u << 20)	      /* bytes of a line, its end not counted */
#define STD_VALUE_MAX (1u << 18)      /* bytes of a value written out */
#define STD_FEEDS_MAX 4096u	      /* feeds of one event */
#define STD_TESTS_MAX 64u	      /* comparisons of one event */
#define STD_WORD 8u		      /* bytes of a variable without a length */
#define STD_OFFSET_LIMIT (1ull << 32) /* offset + length of a range stay within */
#define STD_SEQ_CST 5u		      /* number of the word in std_order_word */

/* What stands between the parentheses. */
enum std_operand {
	STD_NOTHING, /* op */
	STD_LABEL,   /* op, op(name): the name may be left out */
	STD_RANGE,   /* op(x), op(x+8), op(x:4), op(x+8:4) */
	STD_OBJECT,  /* op(m) */
	STD_COUNTED, /* op(b:3), the number may be left out */
	STD_TWO,     /* park(c,m) */
	STD_THREAD,  /* fork(T2) */
	STD_CALL,    /* user(name,1,2) */
};

/* Which marks may follow. */
#define STD_CAN_FREE 1u	  /* ~ */
#define STD_CAN_ORDER 2u  /* @acquire */
#define STD_CAN_FEED 4u	  /* <3,5 */
#define STD_CAN_VALUE 8u  /* =7 */
#define STD_CAN_CAUSE 16u /* <3: the signal that woke it */
#define STD_PLAIN 32u	  /* part of plain STD */
#define STD_CAN_TEST 64u  /* <3:ge:30 */

struct std_op {
	enum std_operand operand;
	uint32_t can;	/* STD_CAN_*, STD_PLAIN */
	uint32_t flags; /* event flags that may be written as !words */
};
extern const struct std_op std_ops[EVENT_NOPS];

/* The operation of that name; EVENT_NOPS when there is none. */
enum event_op std_op_find(const char *name, size_t n);

/* Flags with a word: std_flag_word(i, &flag) for i = 0, 1, ... until NULL. */
const char *std_flag_word(unsigned i, uint32_t *flag);
const char *std_order_word(unsigned order); /* NULL past the last */
/* Kinds of locks, channels and user events: NULL past the last and for other objects, "" for the
 * plain kind. */
const char *std_kind_word(enum event_object object, unsigned kind);
const char *std_rmw_word(unsigned op); /* NULL past the last */

#endif /* TEXT_STD_H */
