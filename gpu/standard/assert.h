/* assert() is built in. */
#pragma once
