import { FailsOnServer } from "../../client/fails-on-server"

export const runtime = "edge"

/** Fails in the edge runtime: in a server component, or in a client component that the server renders. */
export default async function Edge({ params }: { params: Promise<{ what: string }> }) {
  if ((await params).what === "server") throw new Error("thrown at the edge by a server component")
  return <FailsOnServer message="thrown at the edge by a client component" />
}
