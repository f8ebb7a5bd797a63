import type { GetServerSideProps } from "next"

export const config = { runtime: "experimental-edge" }

export const getServerSideProps: GetServerSideProps = async ({ query }) => {
  if (query["what"] === "props") throw new Error("thrown at the edge for the props of a page")
  return { props: { what: String(query["what"]) } }
}

/** Rendered by the edge runtime, where it fails on request: for its props, or while it renders. */
export default function Edge({ what }: { what: string }) {
  if (what === "render" && typeof window === "undefined") throw new Error("thrown at the edge while a page renders")
  return <h1>{`edge ${what}`}</h1>
}
