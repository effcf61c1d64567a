# What the tests of the built binary share: running it, looking at files, and the judges.
