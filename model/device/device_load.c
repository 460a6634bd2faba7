/* A profile of a file, or of the folder of profiles by its name. */
#include "model/device/device.h"

#include "base/json.h"
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int device_read(struct device *out, const char *path, struct err *err)
{
    struct json *json;
    struct js_at root;
    int rc;

    device_init(out);
    rc = js_read_file(&json, path, err);
    if (rc)
        return rc;
    root = js_root(json, path);
    rc = device_from_json(out, &root, err);
    js_free(json);
    return rc;
}

/* `directory` may be null. */
static int unknown_profile(const char *name, const char *directory, struct err *err)
{
    char near[256];

    if (directory && nearest_file(near, sizeof near, name, directory, ".json"))
        return err_set(err, ERR_USAGE, "no device profile is called %s; did you mean %s?", name, near);
    return err_set(err, ERR_USAGE,
                   "no device profile is called %s: `occutune devices` lists them; or give the file of one",
                   name);
}

int device_load(struct device *out, const char *name_or_path, const char *directory, struct err *err)
{
    const bool is_path = strchr(name_or_path, '/') || strstr(name_or_path, ".json");
    char path[1024];

    if (is_path || (!directory && !access(name_or_path, F_OK)))
        return device_read(out, name_or_path, err);
    device_init(out);
    if (!directory)
        return unknown_profile(name_or_path, NULL, err);
    if (snprintf(path, sizeof path, "%s/%s.json", directory, name_or_path) >= (int)sizeof path)
        return err_set(err, ERR_USAGE, "%s: the path of the profile is too long", name_or_path);
    if (!access(path, F_OK))
        return device_read(out, path, err);
    return access(name_or_path, F_OK) ? unknown_profile(name_or_path, directory, err)
                                      : device_read(out, name_or_path, err);
}
