#!/usr/bin/env bash
# Random programs are recorded exactly: each trace verifies, with no read from
# an unknown write.  One configuration each; all of them with LONG=1.
. "$(dirname "$0")/../lib.sh"

if [ -n "${LONG:-${FORESEE_LONG:-}}" ]; then
	"$SRC/tests/gen/sweep.sh" 200
else
	"$SRC/tests/gen/sweep.sh" --rotate 200
fi
