"""A small program with Sentry's Python SDK, run as a separate process. Its argument is a DSN."""

import sys

import sentry_sdk

sentry_sdk.init(
    dsn=sys.argv[1],
    traces_sample_rate=1.0,
    environment="test",
    release="1.2.3",
    server_name="program",
)


def pay():
    try:
        raise KeyError("row 12 is gone")
    except KeyError as cause:
        raise ValueError("no such cart") from cause


with sentry_sdk.start_transaction(name="checkout", op="job"):
    with sentry_sdk.start_span(op="db", description="SELECT 1") as span:
        span.set_data("rows", 3)
    try:
        pay()
    except ValueError as error:
        sentry_sdk.set_tag("area", "checkout")
        sentry_sdk.capture_exception(error)

sentry_sdk.flush(5)
