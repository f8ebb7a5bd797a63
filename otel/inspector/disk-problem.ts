/** Error codes of the file system: the reason in words, what to do, and whether another attempt fails too until then. */
interface DiskProblem {
  readonly reason: string
  readonly remedy: string
  readonly isPermanent: boolean
}

const PROBLEMS: ReadonlyMap<string, DiskProblem> = new Map(
  (
    [
      ["EACCES", "permission denied", "Give this user the permission to write there", true],
      ["EPERM", "operation not permitted", "Give this user the permission to write there", true],
      ["ENOTDIR", "a part of the path is not a directory", "Set PAGESPAN_DATA to a directory", true],
      ["EEXIST", "there is a file of that name", "Set PAGESPAN_DATA to a directory", true],
      ["ENAMETOOLONG", "the path is too long", "Set PAGESPAN_DATA to a directory with a shorter path", true],
      [
        "EROFS",
        "the file system is read-only",
        "Mount it for writing, or set PAGESPAN_DATA to another directory",
        false,
      ],
      ["ENOSPC", "the disk is full", "Free some space on it", false],
      ["EDQUOT", "the disk quota is exceeded", "Free some space, or raise the quota", false],
      ["EFBIG", "files may not become so large", "Raise the limit of the size of a file", false],
      ["EMFILE", "this process has too many open files", "Raise the limit of open files", false],
      ["ENFILE", "the machine has too many open files", "Raise the limit of open files", false],
      ["EIO", "the disk fails", "Check the disk", false],
    ] as const
  ).map(([code, reason, remedy, isPermanent]) => [code, { reason, remedy, isPermanent }]),
)

/** Why the file system refused, by the error's code. */
export function diskProblem(error: unknown): DiskProblem {
  const { code = "unknown error" } = error as NodeJS.ErrnoException
  return PROBLEMS.get(code) ?? { reason: code, remedy: "Check the disk", isPermanent: false }
}
