import { crc32 } from 'node:zlib';
import type { OrgConfig } from '../config/config.ts';
import type { Leader } from '../store/leader.ts';

/** A digest that identifies an organization across configurations. */
export function digestOf({ name, baseUrl }: Pick<OrgConfig, 'name' | 'baseUrl'>): string {
  return crc32(`${name} ${baseUrl}`).toString(36);
}

/** The names of the organizations that no process polls: another process leads, and its configuration lacks them. */
export function notPolledOf(
  leadership: Pick<Leader, 'notPolled'> | undefined,
  orgs: readonly Pick<OrgConfig, 'name' | 'baseUrl'>[],
): readonly string[] {
  const missing = new Set(leadership?.notPolled(orgs.map(digestOf)));
  return orgs.filter((org) => missing.has(digestOf(org))).map(({ name }) => name);
}
