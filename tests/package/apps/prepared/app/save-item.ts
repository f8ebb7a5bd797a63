"use server"

import { currentRoute } from "pagespan/route"

export async function saveItem() {
  return currentRoute()
}
