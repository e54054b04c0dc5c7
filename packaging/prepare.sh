# Read by build.sh and .ci/sanitized: goes to the root of the checkout, installs the packages that are missing, and configures
# the preset that the variable `preset` names, release otherwise. Everything may be repeated; nothing is installed twice.

# shellcheck shell=bash
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# shellcheck source=packaging/packages.sh
source packaging/packages.sh

# timed NAME COMMAND...: runs it, then says how long it took; the exit code is the command's.
timed() {
    local name=$1 start=$SECONDS status=0
    shift
    "$@" || status=$?
    printf '== %s: %d min %02d s\n' "$name" $(((SECONDS - start) / 60)) $(((SECONDS - start) % 60))
    return "$status"
}

# Compiling takes up to 2 GiB a job, so that a machine with many cores and little memory runs fewer jobs than cores.
buildJobs() {
    local memoryKib cores byMemory
    memoryKib=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
    cores=$(nproc)
    byMemory=$((memoryKib / (2048 * 1024)))
    ((byMemory >= 1)) || byMemory=1
    echo $((byMemory < cores ? byMemory : cores))
}

mapfile -t wanted < <(grep -vE '^(#|$)' packaging/packages.txt)
timed "installing packages" installMissing "${wanted[@]}"
timed "configuring" cmake --preset "${preset:=release}"
