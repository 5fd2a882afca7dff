"""One node per document over one base: LDA, HDP-LDA, HPYP, author-topic."""
