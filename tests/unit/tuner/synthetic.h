/* Spaces whose times and predictions are known functions: what a search is tested on. */
#ifndef TESTS_UNIT_TUNER_SYNTHETIC_H
#define TESTS_UNIT_TUNER_SYNTHETIC_H

#include "space/space.h"
#include "tuner/strategy/strategy.h"

struct synthetic {
    struct spec spec;
    struct space *space;
    uint64_t count, first;
    double *time_s;                       /* true, by index; NaN: fails */
    struct search_prediction *prediction; /* by index */
    double best_s;                        /* of all */
    double noise;                         /* relative, of one measurement */
    uint64_t cool;                        /* the GPU is a tenth faster in the first trials, ... */
    bool corrects;                        /* ... and the search is told so eight trials later */
    uint64_t ready_most;                  /* compiled ones that may wait for their trials; 0: any number */
    bool sharing;                         /* compiling one of odd index costs nothing */
    bool refusing; /* one of odd index cannot be launched, as is known without compiling */
};

enum synthetic_kind {
    SYNTHETIC_EASY,       /* smooth; the model's error is 10 % */
    SYNTHETIC_ROUGH,      /* pairs of parameters interact; the model's error is 25 % */
    SYNTHETIC_NEEDLE,     /* one corner is 30 % faster than all else; the model sees most of that */
    SYNTHETIC_MISLEADING, /* what the model calls fast is slow */
    SYNTHETIC_REFUSED,    /* the model says nothing */
    SYNTHETIC_FALLING,    /* the more warps, the slower; the model thinks the opposite of that parameter */
    SYNTHETIC_WRONG,      /* every variant fails */
    SYNTHETIC_TILED, /* slower by a third where a tile does not divide the problem; the model's error is 10 % */
    SYNTHETIC_KINDS
};

/* `large`: the 116,928 configurations of a published space (tests/data/spaces/gemm.json), else some 700. */
void synthetic_open(struct synthetic *out, enum synthetic_kind kind, bool large, uint64_t seed);
void synthetic_close(struct synthetic *synthetic);

/* How a search went. */
struct synthetic_run {
    double best_s;   /* true time of what measured fastest, audit left out; infinite when none ran */
    double after[3]; /* true time of the fastest known after 10, 30 and 100 trials */
    uint64_t compiled, timed, audited;
    uint64_t audited_faster; /* measured less than the best before the audit */
    struct search_summary summary;
    bool lost_by_bound;                       /* a faster configuration was pruned by `bound` */
    uint64_t unread_cut;                      /* pruned by a rule though without a prediction */
    uint64_t passed_over, passed_over_faster; /* by estimate; and of those truly faster than best_s */
};

/* Runs it to its end with `lanes` things under way at a time: a compile takes 0.2 s, a trial 0.01. */
void synthetic_search(struct synthetic_run *out, const struct synthetic *synthetic,
                      const struct search_options *options, unsigned lanes);

#endif
