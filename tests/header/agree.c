/* A generated header and the library choose the same row, whatever the sizes: positive ones, 0 and below. */
#include "shift.h"

#include "base/hash.h"
#include "tuner/decision/decision.h"

#include <math.h>
#include <stdio.h>

enum { TRIES = 100000 };

/* A size like those of the rows, or one far from them. */
static double random_size(const struct decision *decision, size_t s, uint64_t index)
{
    const uint64_t word = hash_random(s + 1, index);
    const double known = decision->rows[word % decision->row_count].sizes[s];
    const double shift = (double)((word >> 8) % 41) - 20;

    switch ((word >> 16) % 5) {
    case 0:
        return known;
    case 1:
        return known + shift;
    case 2:
        return shift;
    case 3:
        return known * exp2(shift / 4);
    default:
        return -known;
    }
}

static int check_agreement(const struct decision *decision)
{
    const struct decision_row *row;
    const struct shift_configuration *ours;
    double sizes[2];
    int i, failures = 0;

    for (i = 0; i < TRIES && failures < 10; i++) {
        sizes[0] = random_size(decision, 0, (uint64_t)i);
        sizes[1] = random_size(decision, 1, (uint64_t)i);
        row = decision_find(decision, "Example GPU", 90, sizes);
        ours = shift_configuration_for("Example GPU", 90, sizes[0], sizes[1]);
        if (ours->THREADS == row->values[0].integer)
            continue;
        printf("N=%g OFFSET=%g: the header takes row %d, the library row %d\n", sizes[0], sizes[1],
               ours->THREADS, (int)row->values[0].integer);
        failures++;
    }
    return failures;
}

/* What was tuned is found again, and of what lies beside it the nearest. */
static int check_wanted(void)
{
    static const struct {
        double n, offset;
        int row;
    } wanted[] = {{4096, 0, 1},  {1024, 0, 2},   {1000, 0, 2}, {1024, -8, 3}, {1024, -1, 4}, {1024, -7, 3},
                  {1024, 3, 5},  {16, 0, 6},     {0, 0, 7},    {-5, 2, 8},    {2e9, 90, 9},  {0.5, 0.25, 10},
                  {1024, 1, 11}, {-64, -64, 12}, {4000, 0, 1}, {1024, -2, 4}};
    int failures = 0;

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const int row = shift_configuration_for("Example GPU", 90, wanted[i].n, wanted[i].offset)->THREADS;

        if (row != wanted[i].row)
            failures++, printf("N=%g OFFSET=%g: row %d, wanted %d\n", wanted[i].n, wanted[i].offset, row,
                               wanted[i].row);
    }
    return failures;
}

int main(int argc, char **argv)
{
    struct decision decision;
    struct err err = {0};
    int failures;

    if (argc != 2 || decision_read(&decision, argv[1], &err)) {
        printf("%s\n", err.text);
        return 1;
    }
    failures = check_wanted() + check_agreement(&decision);
    decision_release(&decision);
    return failures != 0;
}
