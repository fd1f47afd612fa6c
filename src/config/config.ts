import type { loadConfig } from './load.ts';

export type { OrgConfig } from './orgs.ts';

/** A complete, valid configuration; options.ts says what each value means. */
export type Config = Readonly<Awaited<ReturnType<typeof loadConfig>>>;

/** The parts that require a restart: sockets, files and routes. A reload that changes them logs a warning. */
type StartPart = 'restart' | 'file' | 'storage' | 'web' | 'hooks';
export type StartConfig = Pick<Config, StartPart | 'log'>;

/** The part of a configuration that a reload applies. */
export type LiveConfig = Omit<Config, StartPart>;

/** Settings of the platform client. */
export type ApiConfig = Config['api'];

/** Settings of the hook intake. */
export type HooksConfig = Config['hooks'];
