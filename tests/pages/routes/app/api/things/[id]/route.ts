export function GET(request: Request) {
  return Response.json({
    traceparent: request.headers.get("traceparent"),
    sentryTrace: request.headers.get("sentry-trace"),
    baggage: request.headers.get("baggage"),
  })
}
