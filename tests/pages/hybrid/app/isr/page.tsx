export const dynamic = "force-static"

/** Fails when it is generated again. */
export default function Isr() {
  if (process.env["NEXT_PHASE"] !== "phase-production-build") throw new Error("thrown by a revalidated page")
  return <h1>isr</h1>
}
