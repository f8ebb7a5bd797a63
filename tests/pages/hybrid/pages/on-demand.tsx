import type { GetStaticProps } from "next"

/** Fails when it is generated again. */
export const getStaticProps: GetStaticProps = () => {
  if (process.env["NEXT_PHASE"] !== "phase-production-build") throw new Error("thrown by a revalidated page of pages/")
  return { props: {} }
}

export default function OnDemand() {
  return <h1>on demand</h1>
}
