/* What blocks that are not looked at issue, foreseen of many: double sampling with a regression estimate. */
#include "model/emulate/division.h"
#include "model/emulate/foresee.h"

#include <math.h>
#include <stdlib.h>

enum {
    LEAST_LOOKED = 4,   /* blocks, for a slope */
    DRAWS = 512,        /* blocks foreseen, those included, unless they cost more than ... */
    COST = 1 << 18,     /* ... so many instructions: a tenth of a second of a core; */
    COST_SURE = 1 << 16 /* where nothing is in doubt so many */
};

/* Relative: a sum in less doubt is good enough. */
#define DOUBT 0.03
/* Share of the variance that what is foreseen explains, at least. */
#define EXPLAINED 0.7
/* A block is odd of which so much more is foreseen than of any that was looked at, or less, relative. */
#define ODD 0.1

/* A block of a cell, drawn at random. */
struct drawn {
    const struct looked *looked; /* of its cell */
    unsigned at[3];
    double blocks; /* for which it stands */
    double foreseen;
};

/* What is foreseen: of the blocks that were looked at, of many that were drawn, and odd ones of those, which are looked at,
 * too. */
struct survey {
    struct division *division;
    const struct foresight *foresight;
    uint64_t cost, most;   /* in instructions */
    bool known;            /* false where it cannot be said */
    double least, largest; /* of those that were looked at */
    struct drawn drawn[DRAWS];
    size_t drawn_count;
    struct looked odd[2];
    size_t odd_count;
};

/* Sums over the blocks that were looked at, each as often as it stands for others. */
struct fit {
    double blocks, foreseen, issued; /* means, but for the blocks */
    double squares, products, issued_squares;
};

static int foresee_at(double *out, struct survey *survey, const unsigned at[3])
{
    struct division *division = survey->division;
    unsigned position[3];
    uint64_t own;
    int rc;

    division_place(position, division, at);
    rc = foresee(out, &own, &survey->known, division->signer, survey->foresight, position, division->err);
    survey->cost += own;
    division->out->cost += own;
    return rc;
}

static int foresee_looked(struct survey *survey)
{
    struct division *division = survey->division;
    int rc = 0;

    survey->least = INFINITY;
    for (size_t k = 0; k < division->looked_count && survey->known && !rc; k++) {
        struct looked *own = &division->looked[k];

        rc = foresee_at(&own->foreseen, survey, own->at);
        survey->least = fmin(survey->least, own->foreseen);
        survey->largest = fmax(survey->largest, own->foreseen);
        survey->known &= survey->cost <= survey->most;
    }
    return rc;
}

/* Draws `count` more blocks of each cell, which may be the same ones: as many as they cost if they do as those that were looked
 * at. */
static int draw(struct survey *survey)
{
    const struct division *division = survey->division;
    const double each = fmax((double)survey->cost / (double)division->looked_count, 1);
    const double all = fmin((double)survey->most / each, DRAWS) / (double)division->looked_count;
    int rc = 0;

    survey->known &= all >= 2;
    for (size_t k = 0; k < division->looked_count; k++)
        for (unsigned d = 1; d < (unsigned)all && survey->known && !rc; d++) {
            const struct looked *looked = &division->looked[k];
            struct drawn *own = &survey->drawn[survey->drawn_count++];

            *own = (struct drawn){.looked = looked, .blocks = looked->blocks / (unsigned)all};
            division_pick(own->at, &division->boxes[looked->box], looked->cells, looked->cell, d);
            rc = foresee_at(&own->foreseen, survey, own->at);
        }
    return rc;
}

/* Whether more blocks than one are like an odd one rather than like any that was looked at. */
static bool is_like(const struct survey *survey, const struct looked *odd, const struct drawn *drawn)
{
    return odd->foreseen > survey->largest ? drawn->foreseen > (odd->foreseen + survey->largest) / 2
                                           : drawn->foreseen < (odd->foreseen + survey->least) / 2;
}

/* Takes blocks that an odd one stands for from those that were looked at. */
static void make_room(struct division *division, double blocks)
{
    struct strata *out = division->out;
    const double share = fmin(blocks / division->unseen, 1);

    out->issued = 0;
    for (size_t i = 0; i < division->signer->emulation->count; i++) {
        out->expected[i] -= share * (out->expected[i] - out->certain[i]);
        out->issued += out->expected[i];
    }
    for (size_t k = 0; k < division->looked_count; k++) {
        struct looked *own = &division->looked[k];
        const double others = share * (own->blocks - division->column);

        out->list[own->stratum].blocks -= others;
        own->blocks -= others;
    }
}

/* Looks at a block, unless that takes too long. */
static int look_at(struct survey *survey, const struct drawn *drawn)
{
    struct division *division = survey->division;
    struct looked *odd = &survey->odd[survey->odd_count];
    struct signature signature;
    int rc;

    *odd = *drawn->looked;
    for (int axis = 0; axis < 3; axis++)
        odd->at[axis] = drawn->at[axis];
    odd->foreseen = drawn->foreseen;
    odd->blocks = 0;
    for (size_t d = 0; d < survey->drawn_count; d++)
        odd->blocks += is_like(survey, odd, &survey->drawn[d]) ? survey->drawn[d].blocks : 0;
    rc = division_sign(&signature, division, odd->at);
    if (rc || !division->out->known) {
        division->out->known = survey->known = false;
        return rc;
    }
    odd->issued = (double)signature.issued;
    survey->odd_count++;
    make_room(division, odd->blocks);
    return division_add_blocks(division, &signature, odd->at, odd->blocks);
}

/* The largest and the least block drawn may be odd. */
static int look_at_odd(struct survey *survey)
{
    const struct drawn *least = &survey->drawn[0], *largest = least;
    int rc = 0;

    for (size_t d = 0; d < survey->drawn_count; d++) {
        const struct drawn *own = &survey->drawn[d];

        least = own->foreseen < least->foreseen ? own : least;
        largest = own->foreseen > largest->foreseen ? own : largest;
    }
    if (largest->foreseen > (1 + ODD) * survey->largest)
        rc = look_at(survey, largest);
    if (least->foreseen < (1 - ODD) * survey->least && survey->known && !rc)
        rc = look_at(survey, least);
    return rc;
}

static void fit_add(struct fit *fit, const struct looked *list, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const double x = list[k].foreseen - fit->foreseen, y = list[k].issued - fit->issued;

        fit->squares += list[k].blocks * x * x;
        fit->products += list[k].blocks * x * y;
        fit->issued_squares += list[k].blocks * y * y;
    }
}

static void fit_add_means(struct fit *fit, const struct looked *list, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        fit->blocks += list[k].blocks;
        fit->foreseen += list[k].blocks * list[k].foreseen;
        fit->issued += list[k].blocks * list[k].issued;
    }
}

static struct fit fit_of(const struct survey *survey)
{
    const struct division *division = survey->division;
    struct fit fit = {0};

    fit_add_means(&fit, division->looked, division->looked_count);
    fit_add_means(&fit, survey->odd, survey->odd_count);
    fit.foreseen /= fit.blocks;
    fit.issued /= fit.blocks;
    fit_add(&fit, division->looked, division->looked_count);
    fit_add(&fit, survey->odd, survey->odd_count);
    return fit;
}

static bool explains(const struct fit *fit)
{
    return fit->products > 0 &&
           fit->products * fit->products >= EXPLAINED * fit->squares * fit->issued_squares;
}

/* Of what is foreseen of the blocks drawn. */
struct more {
    double sum;      /* more than of those that stand for them, of all blocks */
    double variance; /* of the cells' sums */
    double jump;     /* the most that one of them differs from the one looked at */
};

/* By those of a cell, which stand beside each other. */
static void more_add(struct more *out, const struct survey *survey, size_t first, size_t end)
{
    const struct looked *looked = survey->drawn[first].looked;
    const double count = (double)(end - first);
    double sum = 0, squares = 0, mean;

    for (size_t d = first; d < end; d++) {
        const struct drawn *own = &survey->drawn[d];
        const double more = own->foreseen - looked->foreseen;
        double like = looked->foreseen;

        for (size_t k = 0; k < survey->odd_count; k++)
            like = is_like(survey, &survey->odd[k], own) ? survey->odd[k].foreseen : like;
        out->sum += own->blocks * (own->foreseen - like);
        out->jump = fmax(out->jump, fabs(more));
        sum += more;
        squares += more * more;
    }
    mean = sum / (count + 1);
    out->variance += survey->drawn[first].blocks * survey->drawn[first].blocks * (count + 1) * (count + 1) *
                     fmax(squares / (count + 1) - mean * mean, 0) / count;
}

static struct more more_of(const struct survey *survey)
{
    struct more more = {0};

    for (size_t first = 0, end; first < survey->drawn_count; first = end) {
        for (end = first;
             end < survey->drawn_count && survey->drawn[end].looked == survey->drawn[first].looked;)
            end++;
        more_add(&more, survey, first, end);
    }
    return more;
}

/* The sum, and how far it may be off, by what was foreseen. It is at most halved, since the line is one through few blocks. */
static void correct(struct survey *survey, const struct fit *fit)
{
    struct division *division = survey->division;
    struct strata *out = division->out;
    const struct more more = more_of(survey);
    const double slope = fit->products / fit->squares, before = out->issued;

    out->issued = fmax(before + slope * more.sum, before / 2);
    for (size_t i = 0; i < division->signer->emulation->count; i++)
        out->expected[i] = fmax(out->expected[i] * out->issued / before, out->certain[i]);
    division_spread(division, slope);
    division->variance += slope * slope * more.variance;
    division->rare = 3 * division->unseen / (double)survey->drawn_count * slope * more.jump;
}

/* Whether what blocks issue can be foreseen at all: loaded values decide it, not chance. */
static bool is_foreseen(const struct division *division)
{
    const struct signer *signer = division->signer;

    return division->looked_count >= LEAST_LOOKED && signer->loaded && !signer->emulation->tickets.count &&
           !signer->emulation->arrivals.count;
}

static bool is_in_doubt(const struct division *division)
{
    const double each = division->unseen / fmax((double)division->looked_count, 1);

    return division->signer->emulation->deviations * sqrt(division->variance) + 3 * each * division->jump >
           DOUBT * division->out->issued;
}

/* *good: what was foreseen explains what was counted, or nothing was in doubt and nothing odd is foreseen. */
static int foresee_all(bool *good, struct survey *survey, bool doubt)
{
    struct fit fit;
    int rc = foresee_looked(survey);

    if (!rc && survey->known)
        rc = draw(survey);
    if (!rc && survey->known)
        rc = look_at_odd(survey);
    if (rc || !survey->known)
        return rc;
    *good = !doubt && !survey->odd_count;
    if (*good)
        return 0;
    fit = fit_of(survey);
    *good = explains(&fit);
    if (*good)
        correct(survey, &fit);
    return 0;
}

int division_foresee(struct division *division)
{
    struct survey *survey = malloc(sizeof *survey);
    const bool doubt = is_in_doubt(division);
    bool good = !is_foreseen(division);
    int rc = 0;

    if (!survey)
        return err_memory(division->err);
    for (int which = FORESIGHT_OUTER; which <= FORESIGHT_INNER && !good && !rc; which++) {
        struct foresight foresight;

        rc = foresight_open(&foresight, division->signer->emulation, (enum foresight_loops)which,
                            division->err);
        *survey = (struct survey){
            .division = division, .foresight = &foresight, .most = doubt ? COST : COST_SURE, .known = true};
        if (!rc && foresight.count)
            rc = foresee_all(&good, survey, doubt);
        foresight_close(&foresight);
    }
    free(survey);
    return rc;
}
