// Exists for its precompiled header alone, which all views share.
