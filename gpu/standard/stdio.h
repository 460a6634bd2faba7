/* printf() is built in. */
#pragma once
