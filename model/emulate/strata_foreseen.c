/* What blocks that are not looked at issue, foreseen of many: double sampling with a regression estimate. */
#include "model/emulate/division.h"
#include "model/emulate/foresee.h"

#include <math.h>

enum {
    LEAST_LOOKED = 4, /* blocks, for a slope */
    DRAWS = 512,      /* blocks foreseen, those included, unless they cost more than ... */
    COST = 1 << 18    /* ... so many instructions: a tenth of a second of a core */
};

/* Relative: a sum in less doubt is good enough. */
#define DOUBT 0.03
/* Share of the variance that what is foreseen explains, at least. */
#define EXPLAINED 0.7

/* Sums over the blocks that were looked at, each as often as it stands for others. */
struct fit {
    double blocks, foreseen, issued; /* means, but for the blocks */
    double squares, products, issued_squares;
};

static int foresee_at(double *out, uint64_t *cost, bool *known, struct division *division,
                      const struct foresight *foresight, const unsigned at[3])
{
    unsigned position[3];
    uint64_t own;
    int rc;

    division_place(position, division, at);
    rc = foresee(out, &own, known, division->signer, foresight, position, division->err);
    *cost += own;
    return rc;
}

static int foresee_looked(bool *known, uint64_t *cost, struct division *division,
                          const struct foresight *foresight)
{
    int rc = 0;

    *known = true;
    for (size_t k = 0; k < division->looked_count && *known && !rc; k++) {
        rc = foresee_at(&division->looked[k].foreseen, cost, known, division, foresight,
                        division->looked[k].at);
        *known &= *cost <= COST;
    }
    return rc;
}

static struct fit fit_of(const struct division *division)
{
    struct fit fit = {0};

    for (size_t k = 0; k < division->looked_count; k++) {
        const struct looked *own = &division->looked[k];

        fit.blocks += own->blocks;
        fit.foreseen += own->blocks * own->foreseen;
        fit.issued += own->blocks * own->issued;
    }
    fit.foreseen /= fit.blocks;
    fit.issued /= fit.blocks;
    for (size_t k = 0; k < division->looked_count; k++) {
        const struct looked *own = &division->looked[k];
        const double x = own->foreseen - fit.foreseen, y = own->issued - fit.issued;

        fit.squares += own->blocks * x * x;
        fit.products += own->blocks * x * y;
        fit.issued_squares += own->blocks * y * y;
    }
    return fit;
}

static bool explains(const struct fit *fit)
{
    return fit->products > 0 &&
           fit->products * fit->products >= EXPLAINED * fit->squares * fit->issued_squares;
}

/* Of what is foreseen of a cell's blocks: what it is more than of the one that was looked at, if all are as those drawn. */
struct drawn {
    double more, variance; /* of the cells' sums */
    double jump;           /* the most that one of them differs from the one looked at */
    double count;
};

/* Draws some more blocks of a cell, which may be the same ones. */
static int draw_cell(struct drawn *drawn, bool *known, uint64_t *cost, struct division *division,
                     const struct foresight *foresight, const struct looked *looked, unsigned draws)
{
    double sum = 0, squares = 0, mean;
    int rc = 0;

    for (unsigned d = 1; d <= draws && *known && !rc; d++) {
        double own, more;
        unsigned at[3];

        division_pick(at, &division->boxes[looked->box], looked->cells, looked->cell, d);
        rc = foresee_at(&own, cost, known, division, foresight, at);
        more = own - looked->foreseen;
        sum += more;
        squares += more * more;
        drawn->jump = fmax(drawn->jump, fabs(more));
    }
    mean = sum / (draws + 1);
    drawn->more += looked->blocks * mean;
    drawn->variance += looked->blocks * looked->blocks * fmax(squares / (draws + 1) - mean * mean, 0) / draws;
    drawn->count += draws;
    return rc;
}

/* As many as they cost if they do as those that were looked at. */
static int draw(struct drawn *drawn, bool *known, uint64_t looked_cost, struct division *division,
                const struct foresight *foresight)
{
    const double each = fmax((double)looked_cost / (double)division->looked_count, 1);
    const double all = fmin(COST / each, DRAWS) / (double)division->looked_count;
    uint64_t *cost = &division->out->cost;
    int rc = 0;

    *known = all >= 2;
    for (size_t k = 0; k < division->looked_count && *known && !rc; k++)
        rc = draw_cell(drawn, known, cost, division, foresight, &division->looked[k], (unsigned)all - 1);
    return rc;
}

/* The sum, and how far it may be off, by what was foreseen. It is at most halved, since the line is one through few blocks. */
static void correct(struct division *division, const struct fit *fit, const struct drawn *drawn)
{
    struct strata *out = division->out;
    const double slope = fit->products / fit->squares, before = out->issued;

    out->issued = fmax(before + slope * drawn->more, before / 2);
    for (size_t i = 0; i < division->signer->emulation->count; i++)
        out->expected[i] = fmax(out->expected[i] * out->issued / before, out->certain[i]);
    division_spread(division, slope);
    division->variance += slope * slope * drawn->variance;
    division->rare = 3 * division->unseen / drawn->count * slope * drawn->jump;
}

static bool is_in_doubt(const struct division *division)
{
    const struct signer *signer = division->signer;
    const double each = division->unseen / fmax((double)division->looked_count, 1);

    return division->looked_count >= LEAST_LOOKED && signer->loaded && !signer->emulation->tickets.count &&
           !signer->emulation->arrivals.count &&
           signer->emulation->deviations * sqrt(division->variance) + 3 * each * division->jump >
               DOUBT * division->out->issued;
}

/* *good: what was foreseen explains what was counted. */
static int foresee_all(bool *good, struct division *division, const struct foresight *foresight)
{
    struct drawn drawn = {0};
    struct fit fit;
    uint64_t cost = 0;
    bool known;
    int rc = foresee_looked(&known, &cost, division, foresight);

    division->out->cost += cost;
    if (rc || !known)
        return rc;
    fit = fit_of(division);
    *good = explains(&fit);
    if (!*good)
        return 0;
    rc = draw(&drawn, &known, cost, division, foresight);
    if (!rc && known)
        correct(division, &fit, &drawn);
    return rc;
}

int division_foresee(struct division *division)
{
    bool good = !is_in_doubt(division);
    int rc = 0;

    for (int which = FORESIGHT_OUTER; which <= FORESIGHT_INNER && !good && !rc; which++) {
        struct foresight foresight;

        rc = foresight_open(&foresight, division->signer->emulation, (enum foresight_loops)which,
                            division->err);
        if (!rc && foresight.count)
            rc = foresee_all(&good, division, &foresight);
        foresight_close(&foresight);
    }
    return rc;
}
