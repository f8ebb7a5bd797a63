import type { GetServerSideProps } from "next"

export const getServerSideProps: GetServerSideProps = async () => ({ props: {} })

/** Fails while the server renders it. */
export default function Broken() {
  if (typeof window === "undefined") throw new Error("thrown while a page renders")
  return <h1>rendered in the browser</h1>
}
