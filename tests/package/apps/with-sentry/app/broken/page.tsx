export const dynamic = "force-dynamic"

export default function Broken() {
  throw new Error("a page failed")
}
