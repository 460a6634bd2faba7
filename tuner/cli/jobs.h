/* The jobs of this user that run on this machine, and what their workers do: a file for each, which its process keeps
 * locked and writes anew from time to time, in a folder of the user's own. */
#ifndef TUNER_CLI_JOBS_H
#define TUNER_CLI_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct job_file {
    char path[256];
    int fd; /* -1: none */
};

/* A job is none the worse where its file cannot be made. */
void job_file_open(struct job_file *out);
void job_file_write(const struct job_file *file, const char *text, size_t size);
void job_file_close(struct job_file *file); /* also zeroed */

/* Prints what each running job wrote last; false: there is none. */
bool jobs_print(FILE *out);

#endif
