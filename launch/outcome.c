#include "launch/outcome.h"

#include <string.h>

static const char *const texts[OUTCOME_COUNT] = {
    [OUTCOME_OK] = "ok",           [OUTCOME_CONSTRAINT] = "constraint", [OUTCOME_LIMITS] = "limits",
    [OUTCOME_COMPILE] = "compile", [OUTCOME_LAUNCH] = "launch",         [OUTCOME_RUNTIME] = "runtime",
    [OUTCOME_TIMEOUT] = "timeout", [OUTCOME_WRONG] = "wrong",           [OUTCOME_UNSTABLE] = "unstable",
    [OUTCOME_PRUNED] = "pruned",   [OUTCOME_SAME_CODE] = "same-code",   [OUTCOME_SKIPPED] = "skipped",
};

const char *outcome_text(enum outcome outcome)
{
    return (unsigned)outcome < OUTCOME_COUNT ? texts[outcome] : "unknown";
}

int outcome_parse(const char *text)
{
    for (int i = 0; i < OUTCOME_COUNT; i++)
        if (!strcmp(text, texts[i]))
            return i;
    return -1;
}
