import { sleep } from "#tests/support/wait-for.ts"

/** Posts JSON, again each half second while the inspector answers that it is busy. */
export async function postJson(address: string, body: object): Promise<void> {
  for (;;) {
    const response = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    })
    if (response.ok) return
    if (response.status !== 503) throw new Error(`${address} answered ${response.status}`)
    await sleep(500)
  }
}
