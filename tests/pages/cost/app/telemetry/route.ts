/** Accepts the telemetry of SDKs that have no handler of their own. */
export async function POST(request: Request): Promise<Response> {
  await request.arrayBuffer()
  return Response.json({})
}
