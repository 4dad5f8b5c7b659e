/*
 * Filters of system calls (seccomp): under one, a system call of the recorder could get the program
 * killed.
 */
#ifndef CAPTURE_SANDBOX_H
#define CAPTURE_SANDBOX_H

/* Called with all arguments of the system call; stops the recording if it is about to set a filter. */
void sandbox_look(long number, const long a[6]);

#endif /* CAPTURE_SANDBOX_H */
