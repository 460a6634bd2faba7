/* What a controller asks of a worker elsewhere; answer.h reads what comes back. Everything that a request names travels
 * with it, by content, once to each host. */
#ifndef TUNER_REMOTE_DISPATCH_H
#define TUNER_REMOTE_DISPATCH_H

#include "base/json_line.h"
#include "base/map.h"
#include "gpu/compile.h"
#include "gpu/sources.h"
#include "gpu/trial.h"
#include "launch/launch.h"
#include "tuner/predict/predictor.h"
#include "tuner/remote/fleet.h"
#include "tuner/remote/shared.h"

/* What requests are made of: files that fills and references name, read once; the profile that is predicted by. */
struct dispatch_files {
    size_t search;     /* one of several that a controller has at the same time */
    struct map inputs; /* hash of the path -> struct dispatch_input */
    struct map
        packed; /* low word of a content's key -> struct dispatch_packed: sources and the profile go to each host */
    char *profile; /* as JSON text; null: nothing is predicted */
    struct key profile_key;
    const unsigned char *reference; /* the code of the last one, and its key */
    struct key reference_key;
    struct js_line line; /* of a request, ... */
    size_t inputs_at;    /* ... and where its inputs begin */
    struct shared shared;
};
int dispatch_files_open(struct dispatch_files *out, const struct device *profile,
                        struct err *err); /* null: none */
void dispatch_files_release(struct dispatch_files *files);

/* Whether a compile can be done on any machine: what it includes is known, and no option names another file. */
bool dispatch_can_travel(const struct compile_request *request, const struct sources_hash *hash);

/* To predict what was compiled, too. */
struct dispatch_prediction {
    const struct launch *launch; /* null: it is not asked for */
    bool warm;
};

/* Each asks a host for one thing, under a number of the caller's. An error is of this machine: a file that cannot be
 * read, no memory. The code of a reference stays where it is, and what it is, as long as `files`. */
int dispatch_compile(struct host *host, int64_t id, struct dispatch_files *files,
                     const struct compile_request *request, const struct sources_files *sources,
                     const struct dispatch_prediction *prediction, struct err *err);
int dispatch_predict(struct host *host, int64_t id, struct dispatch_files *files,
                     const struct compile_result *compiled, const struct dispatch_prediction *prediction,
                     struct err *err);
int dispatch_trial(struct host *host, int64_t id, struct dispatch_files *files, size_t gpu,
                   const struct compile_result *compiled, const struct launch *launch,
                   const struct reference *reference, const struct protocol *protocol, struct err *err);

/* Nothing that is being compiled for a search is of use any more. */
void dispatch_drop(struct host *host, size_t search);

#endif
