export async function POST(request: Request) {
  return Response.json({ echo: await request.text() })
}
