import { notFound } from "next/navigation"

export default function Gone() {
  notFound()
}
