/* What a compile process answers. Part of gpu/compile. */
#ifndef GPU_COMPILE_REPLY_H
#define GPU_COMPILE_REPLY_H

#include "gpu/compile.h"
#include "gpu/message.h"

/* The reply of a compile that ended by itself, whose payload is taken over. A name that the source does not
 * have is the user's mistake: ERR_USAGE. Release *out in either case. */
int compile_take_reply(struct compile_result *out, struct message *reply,
                       const struct compile_request *request, struct err *err);

#endif
