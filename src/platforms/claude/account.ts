import { labelValue } from '../../catalog/label.ts';
import type { ApiAnswer, ConfiguredOrg } from '../../catalog/source.ts';

/** Whose figures those of an organization are whose identifier no answer has named. */
export function identityAlone({ baseUrl, kind = '' }: ConfiguredOrg): string {
  return labelValue(`claude:${new URL(baseUrl).hostname}:${kind}`);
}

/** Whose figures those of an organization with this identifier are. */
function identityWith(org: ConfiguredOrg, id: string): string {
  return labelValue(`${identityAlone(org)}:${id.toLowerCase()}`);
}

/** Whose figures an organization's are, if its identifier is configured. */
export function identityOf(org: ConfiguredOrg): string | undefined {
  return org.orgId === undefined ? undefined : identityWith(org, org.orgId);
}

/** The organization of the key, as every answer names it in a header. */
export function orgIdIn({ header }: Pick<ApiAnswer, 'header'>, org: ConfiguredOrg): string | undefined {
  const named = header?.('anthropic-organization-id')?.trim();
  return named ? identityWith(org, named) : undefined;
}
