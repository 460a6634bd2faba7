/* bool, true and false are built in. */
#pragma once
