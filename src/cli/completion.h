/*
 * Scripts that let a shell complete command lines of foresee, made from the tables of commands and options.
 */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "base/common.h"

/* bash, zsh or fish.  False: no such shell. */
bool completion_print(const char *shell, FILE *to);

#endif /* CLI_COMPLETION_H */
