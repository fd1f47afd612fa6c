/** The options that this process was started with. */
export function jobOptions<Options>(): Options {
  const [, , text = '{}'] = process.argv;
  return JSON.parse(text) as Options;
}

/** Reports the result to the parent process, and lets this one exit. */
export function answer(result: object): void {
  process.send?.(result, () => process.disconnect());
}

/** The CPU seconds of this process since an earlier `process.cpuUsage()`. */
export function cpuSecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
