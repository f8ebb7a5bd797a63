export declare function programBundle(project: string): string
