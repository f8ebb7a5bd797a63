/** Fails when it is generated again. */
export default function Renewed() {
  if (process.env["NEXT_PHASE"] !== "phase-production-build") throw new Error("thrown by a page that an action renews")
  return <h1>renewed</h1>
}
