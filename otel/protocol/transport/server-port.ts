/** `server.port` of the semantic conventions: the port of the URL, or the default of its protocol, which a URL leaves out. */
export function serverPort({ port, protocol }: URL): number {
  return Number(port) || (protocol === "http:" ? 80 : 443)
}
