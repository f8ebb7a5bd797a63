export const dynamic = "force-dynamic"

export default function Behind() {
  return <h1>behind the proxy</h1>
}
