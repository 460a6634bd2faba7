__device__ inline float half_of(float x)
{
    return x * 0.5f + 1.0f;
}
