#include "model/emulate/read_back.h"

bool slice_is_fixed(const struct sass *i)
{
    const struct sass_access *access = &i->accesses[i->access_count - 1];

    return access->space == SASS_SPACE_SHARED && access->index == SASS_RZ;
}

bool slice_leaves_out(const struct slice *slice, const struct sass *i)
{
    return slice->reads_shared && !slice->reads_moving && i->access_count && !sass_copies_in_bulk(i) &&
           i->accesses[i->access_count - 1].space == SASS_SPACE_SHARED &&
           i->accesses[i->access_count - 1].access & SASS_WRITES && !slice_is_fixed(i);
}

bool slice_doubts(const struct slice *slice, const struct sass *i)
{
    return slice_leaves_out(slice, i) && !slice->wanted[i->pc / SASS_BYTES];
}

bool slice_trusts(const struct slice *slice, const struct sass *i)
{
    return slice->reads_shared && !slice->reads_moving && slice_is_fixed(i) &&
           !slice->pinned[i->pc / SASS_BYTES];
}

bool slice_reads_back(const struct slice *slice, const struct sass *i)
{
    switch (i->accesses[i->access_count - 1].space) {
    case SASS_SPACE_SHARED:
        return slice->reads_shared && !slice_leaves_out(slice, i);
    case SASS_SPACE_LOCAL:
        return slice->reads_local;
    case SASS_SPACE_GENERIC:
        return slice->reads_shared || slice->reads_local || slice->stores;
    default:
        return slice->stores;
    }
}
