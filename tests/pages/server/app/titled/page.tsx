export const dynamic = "force-dynamic"

export async function generateMetadata() {
  throw new Error("thrown for a title")
}

export default function Titled() {
  return <h1>titled</h1>
}
