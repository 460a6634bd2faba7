/* base/nearest: what is suggested for an unknown name, and that nothing is where nothing is near. */
#include "base/nearest.h"
#include "check.h"

static void what_is_few_edits_away_or_contains_it_is_near(void **state)
{
    static const char *const words[] = {"TILE_M", "THREADS", "TILE_SIZE", "nvidia-h200", "nvidia-t4"};
    static const char *const samples[][2] = {
        {"TILE_N", "TILE_M"},  {"THREAD", "THREADS"},     {"threads", "THREADS"}, {"H200", "nvidia-h200"},
        {"size", "TILE_SIZE"}, {"TILE", "TILE_M"},        {"LE_", NULL},          {"t4", NULL},
        {"THR", "THREADS"},    {"nvidia-t", "nvidia-t4"}, {"nowhere", NULL},      {"", NULL},
    };
    const char *near;

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        near = nearest_word(samples[i][0], words, sizeof words / sizeof *words);
        if (samples[i][1] && near)
            assert_string_equal(near, samples[i][1]);
        else
            assert_ptr_equal(near, samples[i][1]);
    }
}

static void files_are_near_by_their_names(void **state)
{
    char name[64];

    assert_true(nearest_file(name, sizeof name, "h200", "model/device/profiles", ".json"));
    assert_string_equal(name, "nvidia-h200");
    assert_false(nearest_file(name, sizeof name, "nowhere", "model/device/profiles", ".json"));
    assert_false(nearest_file(name, sizeof name, "h200", "model/device/profiles", ".txt"));
    assert_false(nearest_file(name, sizeof name, "h200", "model/no-such-folder", ".json"));
    assert_true(nearest_file(name, sizeof name, "transpos", "kernels", ""));
    assert_string_equal(name, "transpose");
}

int main(void)
{
    return RUN_TESTS(what_is_few_edits_away_or_contains_it_is_near, files_are_near_by_their_names);
}
