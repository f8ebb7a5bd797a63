"use client"

export default function InBrowser() {
  return <p>{window.location.pathname}</p>
}
