import type { OrgSettings } from '../../src/catalog/settings.ts';

/** The organization that is measured. */
export const ORG = 'acme';

/** What its operator has told: the defaults. */
export const SETTINGS: OrgSettings = {
  name: ORG,
  readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: true },
};
