import { collectors } from '../collectors/index.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { ConfigError } from '../runtime/errors.ts';
import { suggestion } from '../runtime/suggestion.ts';
import type { CommandContext } from './command.ts';

/** The configuration of the chosen organizations, and the total number of organizations. */
export interface ChosenOrgs {
  readonly config: Config;
  readonly configured: number;
}

/**
 * Loads the configuration and keeps the named organizations, or all if none is named. A name that the configuration
 * does not contain is given to the organization of flags and environment, as with `serve --org`.
 */
export async function loadForOrgs(context: CommandContext, names: readonly string[]): Promise<ChosenOrgs> {
  const config = await loadConfig({ ...context, flags: withOrg(context, undefined), collectors });
  const unknown = names.filter((name) => !config.orgs.some((org) => org.name === name));
  const [first] = unknown;
  if (first === undefined) return keepOrgs(config, names);
  const renamed = await loadConfig({ ...context, flags: withOrg(context, first), collectors });
  return keepOrgs(renamed, names);
}

function withOrg(context: CommandContext, name: string | undefined): CommandContext['flags'] {
  const flags = new Map(context.flags);
  flags.delete('org');
  if (name !== undefined) flags.set('org', { texts: [name], origin: '--org' });
  return flags;
}

function keepOrgs(config: Config, names: readonly string[]): ChosenOrgs {
  const configured = config.orgs.length;
  if (names.length === 0) return { config, configured };
  const known = config.orgs.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new ConfigError(
      `--org: unknown organization ${unknown}`,
      suggestion(unknown, known) ?? `configured organizations: ${known.join(', ')}`,
    );
  }
  return { config: { ...config, orgs: config.orgs.filter(({ name }) => names.includes(name)) }, configured };
}
