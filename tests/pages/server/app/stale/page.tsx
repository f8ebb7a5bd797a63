export const revalidate = 1

/** Fails when it is generated again. */
export default function Stale() {
  if (process.env["NEXT_PHASE"] !== "phase-production-build") throw new Error("thrown by a stale page")
  return <h1>stale</h1>
}
