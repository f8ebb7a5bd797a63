"use client"

function pay(): void {
  throw new TypeError("the card was refused")
}

export function PayButton() {
  return <button onClick={() => pay()}>Pay</button>
}
