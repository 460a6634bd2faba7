/* A journal as one self-contained HTML page: no scripts, nothing fetched, readable on paper. */
#ifndef TUNER_REPORT_REPORT_H
#define TUNER_REPORT_REPORT_H

#include "base/err.h"
#include "model/device/device.h"
#include "space/space.h"
#include "tuner/journal/journal.h"
#include "tuner/predict/predictor.h"

struct report_options {
    const struct journal *journal;
    const struct spec *spec; /* null: the journal alone; else of the journal, and the four below with it */
    const struct space *space;
    struct predictor *predictor;  /* null: nothing is predicted */
    const struct device *profile; /* of the model; null: none */
    size_t predictions;           /* at most so many variants are predicted, evenly from the fastest on */
};

/* The page, malloc'ed. ERR_USAGE when nothing ran in the journal; ERR_MEMORY; what the predictor says. */
int report_page(char **out, const struct report_options *options, struct err *err);

#endif
