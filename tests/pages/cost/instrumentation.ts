/** An app without an SDK on its server. Without this file Next would use that of a folder above. */
export function register(): void {}
