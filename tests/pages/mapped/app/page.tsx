import { PayButton } from "./pay-button"

export const dynamic = "force-dynamic"

export default function Page() {
  return <PayButton />
}
