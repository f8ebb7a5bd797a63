export const config = { runtime: "edge" }

export default function handler() {
  throw new Error("thrown by an API route at the edge")
}
