import { headers } from "next/headers"

export default async function Side() {
  return <p>{(await headers()).get("accept-language")}</p>
}
