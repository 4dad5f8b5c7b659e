/*
 * What the runtimes do each in their own way when the program becomes another one.
 */
#ifndef CAPTURE_EXEC_H
#define CAPTURE_EXEC_H

/* env with what the recorder needs to go along; env itself where it needs nothing, or has no memory. */
char *const *exec_environment(char *const env[]);

#endif /* CAPTURE_EXEC_H */
