import type { GetStaticProps } from "next"

/** Fails when it is generated again. */
export const getStaticProps: GetStaticProps = () => {
  if (process.env["NEXT_PHASE"] !== "phase-production-build") throw new Error("thrown by a stale page of pages/")
  return { props: {}, revalidate: 1 }
}

export default function Stale() {
  return <h1>stale</h1>
}
