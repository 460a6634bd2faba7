#include "base/clock.h"
#include "base/heap.h"
#include "tuner/cli/cli.h"
#include "tuner/cli/plain.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Signals this close are one: timeout(1), for one, signals the program and then its whole process group. */
#define TOGETHER_S 0.3

static volatile sig_atomic_t stop;

/* The first Ctrl-C asks the run to end in order; the second ends it, as the journal is safe at any moment. */
static void interrupted(int number)
{
    static volatile double first_s;
    const double now_s = clock_wall_s();

    if (!stop) {
        first_s = now_s;
        stop = 1;
    } else if (now_s - first_s > TOGETHER_S) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

static void catch_stop(void)
{
    stop = 0;
    signal(SIGINT, interrupted);
    signal(SIGTERM, interrupted);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

int main(int argc, char **argv)
{
    const char *term = getenv("TERM");
    struct cli cli = {.out = plain_open(stdout),
                      .err = plain_open(stderr),
                      .screen = stderr,
                      .program = argc > 0 ? base_name(argv[0]) : "occutune",
                      .terminal = isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb")),
                      .catch_stop = catch_stop,
                      .stop = &stop};
    int status;

    if (!cli.out || !cli.err) {
        fprintf(stderr, "%s: out of memory\n", cli.program);
        exit(CLI_FAILED);
    }
    setvbuf(cli.err, NULL, _IONBF, 0);
    heap_keep();
    signal(SIGXFSZ, SIG_IGN); /* writing past a limit is an error to report, as a full disk is */
    signal(SIGPIPE, SIG_IGN);
    status = cli_run(&cli, argc, argv);
    fclose(cli.out);
    fclose(cli.err);
    exit(status);
}
