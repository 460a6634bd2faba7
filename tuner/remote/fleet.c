#include "tuner/remote/fleeting.h"

#include "base/clock.h"
#include "tuner/remote/exchange.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ANSWER_S = 120,   /* that a worker may take to say what it offers */
    FAILURES_MOST = 5 /* in a row, without any work done; then it is not started again */
};

/* A look at all hosts costs as much as several answers: what comes within so long after one waits for the next. */
static const double look_s = 0.005;

/* What commands write on standard error can wait, and a look at it costs as much as one at the messages. */
static const double listen_s = 0.1;

/* Whoever has not answered by then is named. */
static const double moment_s = 2;

void fleet_say(const struct fleet *fleet, const struct host *host, const char *text)
{
    char line[1500];

    if (!fleet->options.message)
        return;
    snprintf(line, sizeof line, "worker %s: %s", *host->name ? host->name : host->command, text);
    fleet->options.message(fleet->options.context, line);
}

/* Life of a link ----------------------------------------------------------- */

static void start(struct host *host)
{
    struct link *link = host->link;
    struct err why = {0};

    link->state = LINK_STARTED;
    link->worked = false;
    link->broken = (struct err){0};
    link->heard_s = clock_wall_s();
    if (command_start(&link->command, host->command, &why)) {
        link->broken = why;
        return;
    }
    wire_init(&link->wire, link->command.fd, link->command.fd);
    link->wire.packing.fast = true; /* a controller speaks with many */
    link->wire.gathers = true;      /* until the next turn */
    link->wire.skips = true;        /* what the command's launcher says first */
}

static void end(struct host *host)
{
    struct link *link = host->link;

    wire_release(&link->wire);
    command_end(&link->command);
    map_release(&link->has);
    link->has = (struct map){0};
    host->up = false;
    host->cores = 0;
    host_forget_gpus(host);
}

/* Ends a worker, says why, and when it is tried again. */
static void drop(const struct fleet *fleet, struct host *host)
{
    struct link *link = host->link;
    struct fleet_listener *listener;
    const char *greeting = link->wire.begun ? "" : link->wire.greeting;
    char again[64], line[sizeof host->reason + 80], said[256];
    const bool was_up = host->up;

    command_said(said, sizeof said, &link->command);
    link->failures = link->worked ? 0 : link->failures + 1;
    link->answered = true;
    host->drops++;
    snprintf(host->reason, sizeof host->reason, "%.250s%s%.250s", link->broken.text, *said ? ": " : "", said);
    if (*greeting && !strstr(host->reason, greeting))
        snprintf(host->reason, sizeof host->reason, "%.250s%s: \"%s\"%s%.150s", link->broken.text,
                 strstr(link->broken.text, "is no message") ? "" : "; what came is no message", greeting,
                 *said ? ": " : "", said);
    end(host);
    if (link->foreign || link->failures >= FAILURES_MOST) {
        link->state = LINK_ENDED;
        snprintf(again, sizeof again, "it is not started again");
    } else {
        link->state = LINK_RESTING;
        link->next_s = clock_wall_s() + (link->failures ? pow(2, link->failures - 1) : 0.5);
        snprintf(again, sizeof again, "it is started again");
    }
    snprintf(line, sizeof line, "dropped: %s; %s", host->reason, again);
    fleet_say(fleet, host, line);
    for (listener = fleet->listeners; was_up && listener; listener = listener->next)
        listener->dropped(listener->context, host);
}

/* Turns -------------------------------------------------------------------- */

static void say_greeting(const struct fleet *fleet, const struct host *host)
{
    const struct wire *wire = &host->link->wire;
    char line[160];

    if (!wire->skipped)
        return;
    snprintf(line, sizeof line, "before its first message came \"%s\"%s: left out", wire->greeting,
             wire->skipped > 1 ? " and more" : "");
    fleet_say(fleet, host, line);
}

static int take(const struct fleet *fleet, struct host *host, struct message *message, struct err *err)
{
    struct js_at root = js_root(message->head, "worker"), at;
    const struct fleet_listener *listener = fleet->listeners;
    int rc = 0;

    if (js_find(&at, &root, "alive"))
        return 0;
    if (!host->up)
        return js_member(&at, &root, "hello", err) || host_take_hello(fleet, host, &at, err)
                   ? ERR_FORMAT
                   : (say_greeting(fleet, host), 0);
    if (!listener)
        return 0;
    host->link->worked = true;
    for (; listener && !rc; listener = listener->next)
        rc = listener->answered(listener->context, host, message, err);
    return rc;
}

static void receive(const struct fleet *fleet, struct host *host)
{
    struct link *link = host->link;
    struct message message;
    struct err why = {0};
    bool whole = true;
    int rc = wire_receive(&link->wire, &why);

    link->heard_s = clock_wall_s();
    while (!rc && whole && !link->broken.code) {
        rc = wire_next(&message, &whole, &link->wire, &why);
        if (!rc && whole)
            rc = take(fleet, host, &message, &why);
        message_release(&message);
    }
    if (rc && !link->broken.code)
        link->broken = why;
}

static void check_silence(struct host *host, double now_s)
{
    struct link *link = host->link;
    const int patience = link->state == LINK_UP ? REMOTE_SILENCE_S : ANSWER_S;

    if (now_s - link->heard_s > patience)
        err_set(&link->broken, ERR_STOPPED, "it said nothing for %d s", patience);
}

static bool is_connected(const struct link *link)
{
    return link->state == LINK_STARTED || link->state == LINK_UP;
}

/* While it was waited another may have ended a link, and the sign is of one that is no more. */
static short sign_of(const struct pollfd *sign, int fd)
{
    return sign->fd == fd ? sign->revents : 0;
}

static void send_queued(struct link *link)
{
    if (wire_has_more(&link->wire) && !link->broken.code && link->state == LINK_UP)
        wire_flush(&link->wire, &link->broken);
}

static void serve_host(const struct fleet *fleet, struct host *host, const struct pollfd *signs, double now_s)
{
    struct link *link = host->link;

    if (link->state == LINK_RESTING && now_s >= link->next_s)
        start(host);
    if (!is_connected(link))
        return;
    if (sign_of(&signs[1], link->command.errors))
        command_listen(&link->command);
    if (sign_of(&signs[0], link->command.fd) & (POLLIN | POLLHUP | POLLERR))
        receive(fleet, host);
    else if (!link->broken.code)
        check_silence(host, now_s);
    send_queued(link);
    if (link->broken.code)
        drop(fleet, host);
}

/* What a host is waited for; true: it need not be, since it is to be dropped. */
static bool watch(struct pollfd *signs, const struct link *link, bool listens)
{
    const bool connected = is_connected(link) && !link->broken.code;
    const short out = connected && wire_has_more(&link->wire) ? POLLOUT : 0;

    signs[0] = (struct pollfd){.fd = connected ? link->command.fd : -1, .events = (short)(POLLIN | out)};
    signs[1] = (struct pollfd){.fd = connected && listens ? link->command.errors : -1, .events = POLLIN};
    return is_connected(link) && link->broken.code;
}

static void rest(double seconds)
{
    const struct timespec time = {.tv_nsec = (long)(1e9 * seconds)};

    if (time.tv_nsec > 0)
        nanosleep(&time, NULL);
}

int fleet_turn(struct fleet *fleet, double timeout_s, int other, struct fleet_listener *listener,
               struct turns *turns, struct err *err)
{
    struct pollfd *signs = listener ? listener->signs : fleet->signs;
    const double looked_s = fleet->looked_s;
    const bool listens = clock_wall_s() - fleet->listened_s >= listen_s;
    double now_s;
    int failed;

    for (size_t i = 0; i < fleet->count; i++)
        send_queued(&fleet->links[i]);
    for (size_t i = 0; i < fleet->count; i++)
        if (watch(&signs[2 * i], &fleet->links[i], listens))
            timeout_s = 0;
    signs[2 * fleet->count] = (struct pollfd){.fd = other, .events = POLLIN};
    if (listener)
        listener->waits = true;
    turns_leave(turns);
    rest(fmin(timeout_s, looked_s + look_s - clock_wall_s()));
    failed = poll(signs, 2 * fleet->count + 1, (int)ceil(1000 * timeout_s)) < 0 ? errno : 0;
    turns_enter(turns);
    if (listener)
        listener->waits = false;
    if (failed && failed != EINTR)
        return err_set(err, ERR_SYSTEM, "poll: %s", strerror(failed));
    now_s = clock_wall_s();
    for (size_t i = 0; i < fleet->count && !failed; i++)
        serve_host(fleet, &fleet->hosts[i], &signs[2 * i], now_s);
    fleet->looked_s = clock_wall_s();
    fleet->listened_s = listens ? fleet->looked_s : fleet->listened_s;
    return 0;
}

/* The fleet ---------------------------------------------------------------- */

static bool all_answered(const struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->count; i++)
        if (!fleet->links[i].answered)
            return false;
    return true;
}

static bool is_stopped(const struct fleet *fleet)
{
    return fleet->options.stop && *fleet->options.stop;
}

static void say_unanswered(struct fleet *fleet, const char *text)
{
    for (size_t i = 0; i < fleet->count; i++)
        if (!fleet->links[i].answered)
            fleet_say(fleet, &fleet->hosts[i], text);
}

static int wait_for_answers(struct fleet *fleet, struct err *err)
{
    const double given_s = fleet->options.wait_s, began_s = clock_wall_s();
    const double most_s = given_s > 0 && given_s < FLEET_OPEN_S ? given_s : FLEET_OPEN_S;
    bool said = false;
    char line[80];
    int rc = 0;

    while (!rc && !is_stopped(fleet) && !all_answered(fleet) && clock_wall_s() < began_s + most_s) {
        rc = fleet_turn(fleet, 0.25, -1, NULL, NULL, err);
        if (rc || said || clock_wall_s() < began_s + moment_s)
            continue;
        snprintf(line, sizeof line, "has not answered yet: it is waited for, %.0f s at most", most_s);
        say_unanswered(fleet, line);
        said = true;
    }
    if (!rc && !is_stopped(fleet))
        say_unanswered(fleet, "has not answered yet: it joins when it does");
    return rc;
}

int fleet_open(struct fleet **out, const struct fleet_options *options, struct err *err)
{
    struct fleet *fleet = calloc(1, sizeof *fleet);
    int rc = 0;

    *out = NULL;
    if (!fleet)
        return err_memory(err);
    fleet->options = *options;
    fleet->hosts = calloc(options->count + 1, sizeof *fleet->hosts);
    fleet->links = calloc(options->count + 1, sizeof *fleet->links);
    fleet->signs = calloc(2 * options->count + 1, sizeof *fleet->signs);
    if (!fleet->hosts || !fleet->links || !fleet->signs)
        rc = err_memory(err);
    for (size_t i = 0; i < options->count && !rc; i++) {
        fleet->hosts[i] = (struct host){.command = options->commands[i], .link = &fleet->links[i]};
        command_init(&fleet->links[i].command);
        fleet->count = i + 1;
        start(&fleet->hosts[i]);
    }
    if (!rc)
        rc = wait_for_answers(fleet, err);
    if (rc)
        fleet_close(fleet);
    else
        *out = fleet;
    return rc;
}

void fleet_close(struct fleet *fleet)
{
    struct command **commands;

    if (!fleet)
        return;
    commands = calloc(fleet->count + 1, sizeof(struct command *));
    for (size_t i = 0; commands && i < fleet->count; i++)
        commands[i] = &fleet->links[i].command;
    if (commands)
        command_close(commands, fleet->count);
    free(commands);
    for (size_t i = 0; i < fleet->count; i++) {
        end(&fleet->hosts[i]);
        free(fleet->hosts[i].work);
    }
    map_release(&fleet->claims);
    free(fleet->usual);
    free(fleet->hosts);
    free(fleet->links);
    free(fleet->signs);
    free(fleet);
}

size_t fleet_count(const struct fleet *fleet)
{
    return fleet ? fleet->count : 0;
}

struct host *fleet_host(const struct fleet *fleet, size_t index)
{
    return &fleet->hosts[index];
}

int64_t fleet_new_id(struct fleet *fleet)
{
    return ++fleet->last_id;
}

void host_send(struct host *host, const char *head, size_t length)
{
    if (!host->link->broken.code)
        wire_put_text(&host->link->wire, (struct part){head, length}, NULL, 0, &host->link->broken);
}

/* Whether it is still to be sent: then it counts as sent. */
static bool lacks(struct host *host, struct key key)
{
    struct link *link = host->link;

    if (map_find(&link->has, key.low) || link->broken.code)
        return false;
    return !map_put(&link->has, key.low, host, &link->broken);
}

void host_give(struct host *host, struct key key, const void *bytes, size_t size)
{
    static const char head[] = "{\"content\": true}";
    const struct part part = {bytes, size};

    if (lacks(host, key))
        wire_put_text(&host->link->wire, (struct part){head, sizeof head - 1}, &part, 1, &host->link->broken);
}

void host_give_packed(struct host *host, struct key key, struct part packed, size_t size)
{
    char head[64];

    if (!lacks(host, key))
        return;
    snprintf(head, sizeof head, "{\"content\": true, \"bytes\": %zu}", size);
    wire_put_packed_text(&host->link->wire, (struct part){head, strlen(head)}, packed, &host->link->broken);
}

void host_has(struct host *host, struct key key)
{
    map_put(&host->link->has, key.low, host, NULL); /* else it is sent once more */
}

void host_forget_contents(struct host *host)
{
    map_release(&host->link->has);
    host->link->has = (struct map){0};
}
