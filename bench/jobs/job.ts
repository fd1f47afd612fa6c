/** The options that this process was started with. */
export function jobOptions<Options>(): Options {
  const [, , text = '{}'] = process.argv;
  return JSON.parse(text) as Options;
}

/** Tells the process that started this one what came of it, and lets this one end. */
export function answer(result: object): void {
  process.send?.(result, () => process.disconnect());
}
