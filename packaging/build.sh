# Read by packaging/run and packaging/test: as prepare.sh, then builds what the array `targets` names of the preset, everything
# otherwise.

# shellcheck shell=bash
# shellcheck source=packaging/prepare.sh
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"

build=(cmake --build --preset "$preset" --parallel "$(buildJobs)")
if [[ -n "${targets[*]:-}" ]]; then
    build+=(--target "${targets[@]}")
fi
# A step takes about five seconds of a core, less what a compiler cache knows.
steps=$("${build[@]}" -- -n | grep -c '^\[' || true)
if ((steps > 20)); then
    echo "Building takes $steps steps: about $((1 + steps * 5 / $(buildJobs) / 60)) minutes on $(buildJobs) cores, if nothing of it is in a compiler cache."
fi
timed "building ($preset)" "${build[@]}"
