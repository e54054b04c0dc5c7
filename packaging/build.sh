# Read by packaging/run and packaging/test: as prepare.sh, then builds what the array `targets` names of the preset, everything
# otherwise.

# shellcheck shell=bash
# shellcheck source=packaging/prepare.sh
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"

jobs=$(buildJobs)
if [[ ! -e build/$preset/.ninja_deps ]]; then
    # The first time: a batch of sources takes ten seconds of a core.
    sources=$(ninja -C "build/$preset" -t commands "${targets[@]:-all}" | grep -c ' -c ')
    echo "Building compiles $sources files on $jobs cores, in about $((1 + sources * 10 / jobs / 60)) minutes; less where a compiler cache knows them."
fi
build=(cmake --build --preset "$preset" --parallel "$jobs")
if [[ -n "${targets[*]:-}" ]]; then
    build+=(--target "${targets[@]}")
fi
timed "building ($preset)" "${build[@]}"
