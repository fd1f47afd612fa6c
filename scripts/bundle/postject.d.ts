/** Injects a blob into an executable; the package has no types of its own. */
declare module 'postject' {
  export function inject(
    file: string,
    resource: string,
    blob: Buffer,
    options: { readonly sentinelFuse: string; readonly machoSegmentName?: string },
  ): Promise<void>;
}
