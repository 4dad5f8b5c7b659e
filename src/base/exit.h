/* Statuses that commands leave with. */
#ifndef BASE_EXIT_H
#define BASE_EXIT_H

#define EXIT_FINE 0
#define EXIT_FOUND 1
#define EXIT_TROUBLE 2
#define EXIT_LIMIT 3	     /* a budget ran out and nothing was found */
#define EXIT_OWN_FAILURE 125 /* of record: the status is the program's otherwise */

#endif /* BASE_EXIT_H */
