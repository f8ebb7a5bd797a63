export const dynamic = "force-static"
export const revalidate = 1

/** Fails when it is generated again. */
export function GET() {
  if (process.env["NEXT_PHASE"] !== "phase-production-build") throw new Error("thrown by a stale route handler")
  return Response.json({})
}
