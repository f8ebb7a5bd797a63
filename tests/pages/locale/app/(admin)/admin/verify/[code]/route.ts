export function GET(): Response {
  return new Response("verified")
}

export function POST(): Response {
  throw new Error("not verified")
}
