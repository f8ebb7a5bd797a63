import { onTestFinished } from "vitest"
import type { BacklogBatch, Replay } from "#otel/inspector/ingest/journal/directory.ts"
import { Journal, type JournalOptions } from "#otel/inspector/ingest/journal/journal.ts"
import { decodeBatch } from "#otel/protocol/codec/encode-batch.ts"

/** Opens a journal that is closed at the end of the test. */
export async function openJournal(directory: string, options: Partial<JournalOptions> = {}) {
  const replays: Replay[] = []
  const journal = new Journal({ directory, onReplay: (replay) => replays.push(replay), ...options })
  onTestFinished(() => journal.close())
  const isOpen = await journal.open()
  return { journal, isOpen, replay: replays[0] }
}

export const load = async (batch: BacklogBatch) => decodeBatch(await batch.load())

/** The names of the spans that a journal has read back. */
export async function spansOf(replay: Replay | undefined): Promise<string[]> {
  const batches = await Promise.all((replay?.backlog ?? []).map(load))
  return batches.flatMap(({ spans }) => spans).map(({ name }) => name)
}
