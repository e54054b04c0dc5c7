# Read by packaging/build.sh and .ci/tidy.

# shellcheck shell=bash

# installMissing PACKAGE...: installs those that are not, as root or by sudo.
installMissing() {
    local missing=() package asRoot=()
    for package in "$@"; do
        # dpkg-query fails for a package it has never heard of.
        if [[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" != installed ]]; then
            missing+=("$package")
        fi
    done
    if ((${#missing[@]} == 0)); then
        return
    fi
    echo "Installing: ${missing[*]}"
    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null; then
            echo "Installing needs root and there is no sudo; run as root: apt-get install ${missing[*]}" >&2
            exit 1
        fi
        asRoot=(sudo)
    fi
    "${asRoot[@]}" apt-get update -q || return
    "${asRoot[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}
