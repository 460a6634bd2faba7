/* malloc() and free() are built in. */
#pragma once
