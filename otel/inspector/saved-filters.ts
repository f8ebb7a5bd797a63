import { randomBytes } from "node:crypto"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { z } from "zod"
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../protocol/private-files.ts"
import { diskProblem } from "./disk-problem.ts"
import {
  FILTER_SCREENS,
  filterProblem,
  SAVED_FILTER_LIMIT,
  type SavedFilter,
  WATCH_LIMIT,
  WATCH_MEASURES,
} from "./queries/saved-filters/saved-filter.ts"

/** The file, in words that name no directory. */
const FILE = "saved-filters.json in the data directory"

/** Why a filter cannot be saved or removed, in one sentence. */
class SavedFilterRefused extends Error {
  override readonly name = "SavedFilterRefused"
}

/** What the inspector saves: a filter, and with an id a change of the saved one. */
export interface FilterChange extends Omit<SavedFilter, "id"> {
  readonly id?: string | undefined
}

const filter = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  name: z.string(),
  screen: z.enum(FILTER_SCREENS),
  parameters: z.record(z.string(), z.string()),
  watch: z.strictObject({ measure: z.enum(WATCH_MEASURES), above: z.number(), window: z.string() }).optional(),
})
const file = z.strictObject({ version: z.literal(1), filters: z.array(filter).max(SAVED_FILTER_LIMIT) })

/**
 * The saved filters of an inspector, by name. They are one file of its data directory, private to its user, so everyone who
 * opens the inspector has the same.
 */
export class SavedFilters {
  #filters: readonly SavedFilter[] | undefined
  /** Changes run one after the other. */
  #last: Promise<unknown> = Promise.resolve()
  readonly #listeners = new Set<() => void>()

  /** @param path of the file, which the first change creates. */
  constructor(private readonly path: string) {}

  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** @throws {SavedFilterRefused} when the file cannot be read. */
  async list(): Promise<readonly SavedFilter[]> {
    return (this.#filters ??= byName(await this.#read()))
  }

  /** Saves a filter, or changes the one with its id. @throws {SavedFilterRefused} */
  save(change: FilterChange): Promise<SavedFilter> {
    return this.#change(async (known) => {
      const saved = { ...change, id: change.id ?? randomBytes(8).toString("hex") }
      const others = known.filter(({ id }) => id !== saved.id)
      if (change.id !== undefined && others.length === known.length)
        throw new SavedFilterRefused("The filter was removed meanwhile.")
      const problem = filterProblem(saved) ?? collision(saved, others)
      if (problem !== undefined) throw new SavedFilterRefused(problem)
      await this.#write([...others, saved])
      return saved
    })
  }

  /** Returns false when no filter has the id. @throws {SavedFilterRefused} */
  remove(id: string): Promise<boolean> {
    return this.#change(async (known) => {
      const others = known.filter((each) => each.id !== id)
      if (others.length === known.length) return false
      await this.#write(others)
      return true
    })
  }

  #change<T>(act: (known: readonly SavedFilter[]) => Promise<T>): Promise<T> {
    const change = this.#last.then(async () => act(await this.list()))
    this.#last = change.catch(() => undefined)
    return change
  }

  async #read(): Promise<readonly SavedFilter[]> {
    const text = await readFile(this.path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined
      throw new SavedFilterRefused(`${FILE} cannot be read: ${diskProblem(error).reason}.`)
    })
    if (text === undefined) return []
    const parsed = file.safeParse(jsonOf(text))
    // The file is the only copy, so nothing overwrites what somebody may repair.
    if (!parsed.success) throw new SavedFilterRefused(`${FILE} is damaged: repair or remove it.`)
    return parsed.data.filters
  }

  /** Replaces the file as a whole, so that a crash leaves the old or the new one. */
  async #write(filters: readonly SavedFilter[]): Promise<void> {
    const next = `${this.path}.next`
    try {
      await mkdir(dirname(this.path), { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
      await writeFile(next, `${JSON.stringify({ version: 1, filters }, undefined, 2)}\n`, { mode: PRIVATE_FILE_MODE })
      await rename(next, this.path)
    } catch (error) {
      const { reason, remedy } = diskProblem(error)
      throw new SavedFilterRefused(`${FILE} cannot be written: ${reason}. ${remedy}.`)
    }
    this.#filters = byName(filters)
    for (const listener of this.#listeners) listener()
  }
}

function collision({ name, watch }: SavedFilter, others: readonly SavedFilter[]): string | undefined {
  if (others.some((other) => other.name === name)) return `Another filter has the name ${JSON.stringify(name)}.`
  if (others.length >= SAVED_FILTER_LIMIT)
    return `The inspector saves at most ${SAVED_FILTER_LIMIT} filters: remove one first.`
  if (watch !== undefined && others.filter((other) => other.watch !== undefined).length >= WATCH_LIMIT)
    return `The inspector watches at most ${WATCH_LIMIT} filters: stop watching one first.`
  return undefined
}

function byName(filters: readonly SavedFilter[]): readonly SavedFilter[] {
  return filters.toSorted((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }))
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The schema refuses it.
    return undefined
  }
}
