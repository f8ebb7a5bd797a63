import { createServer } from "node:http"
import next from "next"

// A server of the app's own, as Next documents it: it answers one path itself and leaves the rest to Next.
const hostname = process.env["HOSTNAME"]
const port = Number(process.env["PORT"])
const app = next({ dev: false, hostname, port })
await app.prepare()
const handle = app.getRequestHandler()
createServer((request, response) => {
  if (request.url === "/live") response.end("live")
  else void handle(request, response)
}).listen(port, hostname)
