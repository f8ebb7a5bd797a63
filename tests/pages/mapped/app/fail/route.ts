function stockOf(url: string): number {
  if (url !== "") throw new RangeError("the stock is negative")
  return 0
}

export function GET(request: Request): Response {
  return new Response(String(stockOf(request.url)))
}
