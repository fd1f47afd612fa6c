import type { OrgSettings } from '../../src/catalog/settings.ts';

/** The organization to measure. */
export const ORG = 'acme';

/** Its settings: the defaults. */
export const SETTINGS: OrgSettings = {
  name: ORG,
  readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: true },
};
