/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. */
export function processEnvironment(): Environment {
  return process.env;
}
