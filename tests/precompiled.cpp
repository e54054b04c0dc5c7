// Exists for its precompiled header alone, which the tests of core share.
