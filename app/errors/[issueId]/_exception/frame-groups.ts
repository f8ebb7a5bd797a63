/** Frames in the order that they are shown: the one that threw first. Neighbours of libraries fold into one line. */
export interface FrameGroup<Frame> {
  readonly isApp: boolean
  readonly frames: readonly Frame[]
}

/** A single frame of a library takes as much room as the line that would hide it. */
const FOLD_FROM = 2

export function frameGroups<Frame extends { readonly inApp: boolean | undefined }>(
  callerFirst: readonly Frame[],
): FrameGroup<Frame>[] {
  const knowsApp = callerFirst.some(({ inApp }) => inApp === true)
  const groups: { isApp: boolean; frames: Frame[] }[] = []
  for (const frame of callerFirst.toReversed()) {
    // Where nobody said which frames are the application's, all that are not a library's may be.
    const isApp = knowsApp ? frame.inApp === true : frame.inApp !== false
    const last = groups.at(-1)
    if (last !== undefined && last.isApp === isApp) last.frames.push(frame)
    else groups.push({ isApp, frames: [frame] })
  }
  return groups.map((group) => (group.frames.length < FOLD_FROM ? { ...group, isApp: true } : group))
}
