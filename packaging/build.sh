# Read by packaging/run and packaging/test: as prepare.sh, then builds the preset.

# shellcheck shell=bash
# shellcheck source=packaging/prepare.sh
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"
timed "building ($preset)" cmake --build --preset "$preset" --parallel "$(buildJobs)"
