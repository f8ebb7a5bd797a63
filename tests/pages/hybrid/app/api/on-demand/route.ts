export const dynamic = "force-static"

/** Fails when it runs again. */
export function GET() {
  if (process.env["NEXT_PHASE"] !== "phase-production-build") throw new Error("thrown by a revalidated route handler")
  return Response.json({})
}
