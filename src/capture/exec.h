/*
 * Exec: the part that differs between the two runtimes.
 */
#ifndef CAPTURE_EXEC_H
#define CAPTURE_EXEC_H

/* env, and the variables that the recorder needs to be there again in the next program; env
 * itself if it needs none, or there is no memory. */
char *const *exec_environment(char *const env[]);

#endif /* CAPTURE_EXEC_H */
