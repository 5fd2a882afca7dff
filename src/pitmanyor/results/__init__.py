"""What people hold: fit, load and resume, and the estimates and measures of a Fit."""
