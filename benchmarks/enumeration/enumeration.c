/* How fast spaces are counted and listed: enumeration SPEC... prints one line per spec and the peak memory of
 * the process. */
#include "space/space.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

static int measure(const char *path, struct err *err)
{
    unsigned choices[SPEC_PARAMETERS_MAX];
    uint64_t index, sum = 0;
    double start = clock_wall_s(), counted;
    struct spec spec;
    struct space *space;
    int failed = spec_read(&spec, path, SPEC_SPACE, NULL, 0, err);

    if (failed)
        return failed;
    failed = space_open(&space, &spec, 0, err);
    if (!failed) {
        counted = clock_wall_s();
        for (index = 0; index < space_count(space); index++) {
            space_configuration(choices, space, index);
            sum += choices[index % spec.parameter_count];
        }
        printf("%s: %" PRIu64 " valid of %" PRIu64 ", counted in %.3f s, listed in %.3f s (checksum %" PRIu64
               ")\n",
               path, space_count(space), space_combinations(space), counted - start, clock_wall_s() - counted,
               sum);
        space_close(space);
    }
    spec_release(&spec);
    return failed;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    struct err err = {0};

    for (int i = 1; i < argc; i++)
        if (measure(argv[i], &err)) {
            fprintf(stderr, "enumeration: %s\n", err.text);
            return err.code == ERR_USAGE ? 2 : 1;
        }
    getrusage(RUSAGE_SELF, &usage);
    printf("peak memory %.1f MB\n", (double)usage.ru_maxrss / 1024);
    return argc > 1 ? 0 : 2;
}
