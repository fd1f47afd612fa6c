/** The texts given for an option, and where they stand: `--api.timeout`, `config.yml:3: api.timeout`. */
export interface Given {
  readonly texts: readonly string[];
  readonly origin: string;
}

/** What one source (flags, environment, file) gives, by option name. */
export type GivenOptions = ReadonlyMap<string, Given>;
