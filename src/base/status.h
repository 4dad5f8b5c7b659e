/* What a function that deals with the world answers. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

enum status {
	ST_OK,
	ST_END,	      /* no more items */
	ST_BAD_INPUT, /* the input is wrong; the diag says where */
	ST_IO,	      /* the system refused; the diag says what */
	ST_LIMIT,     /* a budget ran out */
	ST_AGAIN,     /* no more for now: ask again later (trace_options.follow) */
};

/* Behind the declaration of a function whose answer must be looked at. */
#define ST_CHECKED __attribute__((warn_unused_result))

/* What commands leave with. */
#define EXIT_FINE 0
#define EXIT_FOUND 1
#define EXIT_TROUBLE 2
#define EXIT_LIMIT 3	     /* a budget ran out and nothing was found */
#define EXIT_OWN_FAILURE 125 /* of record: the status is the program's otherwise */

#endif /* BASE_STATUS_H */
