/** The options that this process was started with. */
export function jobOptions<Options>(): Options {
  const [, , text = '{}'] = process.argv;
  return JSON.parse(text) as Options;
}

/** Reports the result to the parent process, and lets this one exit. */
export function answer(result: object): void {
  process.send?.(result, () => process.disconnect());
}
