from fitted import blog, joined, microblog, named, plain  # noqa: F401
