/* Who is told what workers answer: one, or one for each kind of GPU that is tuned for. */
#include "tuner/remote/fleeting.h"

#include <stdlib.h>

int fleet_listen(struct fleet *fleet, struct fleet_listener *listener, struct err *err)
{
    listener->signs = calloc(2 * fleet->count + 1, sizeof *listener->signs);
    if (!listener->signs)
        return err_memory(err);
    listener->next = fleet->listeners;
    fleet->listeners = listener;
    return 0;
}

void fleet_forget(struct fleet *fleet, struct fleet_listener *listener)
{
    struct fleet_listener **link = &fleet->listeners;

    while (*link && *link != listener)
        link = &(*link)->next;
    if (*link)
        *link = listener->next;
    free(listener->signs);
    listener->signs = NULL;
}

/* Where memory ends it may be compiled twice. */
bool fleet_claim(struct fleet *fleet, struct key code)
{
    const char *now = map_find(&fleet->claims, code.low);
    const bool mine = !now || now == &fleet->claim_states[CLAIM_NONE];

    map_put(&fleet->claims, code.low, &fleet->claim_states[mine ? CLAIM_MADE : CLAIM_WAITED_FOR], NULL);
    return mine;
}

void fleet_give_up_claim(struct fleet *fleet, struct key code)
{
    const bool waited = map_find(&fleet->claims, code.low) == &fleet->claim_states[CLAIM_WAITED_FOR];

    map_put(&fleet->claims, code.low, &fleet->claim_states[CLAIM_NONE], NULL);
    for (struct fleet_listener *listener = fleet->listeners; waited && listener; listener = listener->next)
        listener->freed(listener->context);
}
