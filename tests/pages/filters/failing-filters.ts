import { setFilters } from "pagespan/filters"

function fail(): never {
  throw new Error("hunter2hunter2")
}

/** Filters with the bugs that an app's filters may have, in pages and on the server. The last one works. */
setFilters({
  errors: [
    { name: "throws", reason: "noisy_error", drops: fail },
    { name: "rejects", reason: "noisy_error", drops: (async () => fail()) as unknown as () => boolean },
    { name: "works", reason: "noisy_error", drops: ({ message }) => message.includes("of no interest") },
  ],
  transactions: [
    { name: "throws", reason: "not_found_trace", drops: fail },
    { name: "rejects", reason: "not_found_trace", drops: (async () => fail()) as unknown as () => boolean },
    { name: "works", reason: "not_found_trace", drops: ({ name }) => name.includes("of no interest") },
  ],
  ignoreErrors: [Object.freeze(/nothing like it/)],
})
