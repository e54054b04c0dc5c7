# Read by the parts of CI that look at what changed: the commit it changed from, and the files, newest first. That is what
# differs from origin/main, or, where nothing does (a clone of main itself), from what it was twenty commits ago.

# shellcheck shell=bash
base=$(git merge-base HEAD origin/main 2>/dev/null || true)
if [[ -z $base || $base == "$(git rev-parse HEAD)" ]] && git diff --quiet HEAD; then
    base=$(git rev-list --max-count=21 HEAD | tail -n 1)
fi

changed() {
    {
        git diff --name-only HEAD
        git ls-files --others --exclude-standard
        git log --name-only --format= "$base..HEAD"
    } | awk 'NF && !seen[$0]++'
}
