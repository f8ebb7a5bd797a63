import { actionHeaders } from "#app/_live/action-headers.ts"

/** Sends a request that changes data. Returns the error message; `undefined` on success. */
export async function sendAction(
  method: "POST" | "DELETE",
  address: string,
  body?: object | undefined,
): Promise<string | undefined> {
  try {
    const response = await fetch(address, {
      method,
      headers: { ...actionHeaders(), ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (response.ok) return undefined
    const { message } = (await response.json()) as { message?: string }
    return message ?? `The server answered ${response.status}.`
  } catch {
    return "Cannot reach the server."
  }
}
