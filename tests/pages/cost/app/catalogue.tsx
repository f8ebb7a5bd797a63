"use client"

import { useEffect, useState } from "react"

interface Item {
  readonly id: number
  readonly name: string
  readonly price: number
}

/** Requests its data when it is shown, and has a button with work to do. */
export function Catalogue() {
  const [items, setItems] = useState<readonly Item[]>([])
  const [isDescending, setDescending] = useState(false)
  useEffect(() => {
    const cancellation = new AbortController()
    fetch("/api/items", { signal: cancellation.signal })
      .then((response) => response.json() as Promise<Item[]>)
      .then(setItems)
      .catch(() => undefined)
    return () => cancellation.abort()
  }, [])
  const sorted = items.toSorted((a, b) => (isDescending ? b.price - a.price : a.price - b.price))
  return (
    <>
      <button onClick={() => setDescending(!isDescending)}>Sort</button>
      <ul>
        {sorted.map(({ id, name, price }) => (
          <li key={id}>
            {name}: {price}
          </li>
        ))}
      </ul>
    </>
  )
}
