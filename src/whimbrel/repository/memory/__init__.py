"""A repository in the memory of this process, gone with it: for trials and for tests, and the proof that the port asks
for nothing that only files can do."""
