#!/usr/bin/env bash
# Proves that an installed box sends nothing but to its PBX (root): see --help, docs/security.md.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PATH:/usr/sbin:/sbin"
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
[ -x .venv/bin/python ] || { echo "prove_airgap: no .venv: scripts/install test-all" >&2; exit 2; }
exec .venv/bin/python -m appliance.testing.airgap.proof "$@"
