// Tensor copies of boxes in three dimensions: columns, tokens, heads.
__device__ __forceinline__ void load_box(word to, const TensorMap &map, int x, int y, int z, word barrier)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];"
                 ::"r"(to), "l"((address)&map), "r"(x), "r"(y), "r"(z), "r"(barrier)
                 : "memory");
}

__device__ __forceinline__ void load_box_for(word to, const TensorMap &map, int x, int y, int z, word barrier,
                                             unsigned short ranks)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                 "[%1, {%2, %3, %4}], [%5], %6;" ::"r"(to),
                 "l"((address)&map), "r"(x), "r"(y), "r"(z), "r"(barrier), "h"(ranks)
                 : "memory");
}

__device__ __forceinline__ void store_box(const TensorMap &map, int x, int y, int z, word from)
{
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"((address)&map),
                 "r"(x), "r"(y), "r"(z), "r"(from)
                 : "memory");
}
