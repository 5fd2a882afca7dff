"""The HTML report of a fit: one file that works offline, or a served page with live inference."""

from pitmanyor.report.page import build_page
from pitmanyor.report.payload import build_payload
from pitmanyor.report.write import write_report

__all__ = ["build_page", "build_payload", "write_report"]
